"""Breakers of the capability model. `breakers` puts them into its table."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

import msgspec

from tests.broken.auth_breakers import AUTH_BREAKERS
from uiap.actions import invoke
from uiap.actions.ops import Focus
from uiap.actions.primitive import Primitive
from uiap.actions.registry import ACTIONS
from uiap.drivers.chromium.driver import ChromiumDriver
from uiap.drivers.chromium.page import graph_feed
from uiap.drivers.scripted import ScriptedDriver
from uiap.drivers.scripted.app import ScriptedPage
from uiap.graph import shown_words
from uiap.host.bundles import bundle as bundles
from uiap.host.bundles import matching
from uiap.host.bundles.adapters import Adapters
from uiap.host.bundles.requests import RequestCompletion
from uiap.host.consent import principals
from uiap.host.execution import app_actions
from uiap.host.handlers import capabilities
from uiap.host.sessions import session_services
from uiap.policy import appraisal, evaluate
from uiap.runtime import permission, resolve
from uiap.runtime.action import Action
from uiap.runtime.confirmation import Question
from uiap.runtime.states import received
from uiap.signals import lookup, registry, reported

RISK = "tests/host/execution/test_declared_risk.py::test_"
DOCUMENT = "tests/host/handlers/test_capabilities.py::test_"
TERMS = "tests/host/bundles/test_session_terms.py::test_"
RECEIVED = "tests/runtime/states/test_received.py::test_"
LIVE = "tests/browser/test_capabilities.py::test_"
ROLES = LIVE + "each_declared_role_occurs_and_each_role_of_a_page_is_declared"
STATES = LIVE + "each_declared_state_key_is_shown_and_shows_its_change"
AFFORDANCES = LIVE + "each_declared_affordance_is_shown_and_disabling_takes_none_away"
SIGNALS = LIVE + "each_kind_of_signal_is_made_by_a_page_and_seen_by_the_runtime"


def _replace(owner: Any, name: str, value: Any) -> None:
    assert hasattr(owner, name), f"{owner!r} has no `{name}`"
    setattr(owner, name, value)


def _edit_page(edit: Callable[[dict[str, Any]], None]) -> None:
    """Change every object in the messages of the page script: elements, scopes, patches and signals."""
    own = graph_feed.read_push

    def visit(value: Any) -> None:
        if isinstance(value, dict):
            edit(value)
        for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            visit(one)

    def broken(payload: str, *rest: Any, **members: Any) -> Any:
        message = json.loads(payload)
        visit(message)
        return own(json.dumps(message), *rest, **members)

    _replace(graph_feed, "read_push", broken)


def _use_words(**words: Any) -> None:
    facts = ChromiumDriver.facts
    vocabulary = dataclasses.replace(facts.vocabulary, **words)
    ChromiumDriver.facts = dataclasses.replace(facts, vocabulary=vocabulary)


def _without_state(key: str) -> Callable[[], None]:
    def edit(node: dict[str, Any]) -> None:
        if isinstance(node.get("state"), dict):
            node["state"].pop(key, None)

    return lambda: _edit_page(edit)


def _drop_state_of_scopes(node: dict[str, Any]) -> None:
    if "scopeId" in node and "kind" in node:
        node.pop("state", None)


def _flatten(node: dict[str, Any]) -> None:
    state = node.get("state")
    if isinstance(state, dict) and state.get("checked") == "mixed":
        state["checked"] = True


def _role_of_tag(node: dict[str, Any]) -> None:
    if node.get("source") == "aria" and node.get("role") == "button":
        node["role"] = "custom"


def _no_affordances_when_disabled(node: dict[str, Any]) -> None:
    patch = node.get("patch")
    if isinstance(patch, dict) and (patch.get("state") or {}).get("enabled") is False:
        patch["affordances"] = ["read"]


def _without(word: str, member: str) -> Callable[[dict[str, Any]], None]:
    def edit(node: dict[str, Any]) -> None:
        if isinstance(node.get(member), list):
            node[member] = [one for one in node[member] if one != word]

    return edit


def _silence(kind: str) -> Callable[[dict[str, Any]], None]:
    def edit(node: dict[str, Any]) -> None:
        if node.get("kind") == kind and node.get("name") == "sync.finished":
            node["name"] = "nothing"

    return edit


def _drop_risk(node: dict[str, Any]) -> None:
    if "instanceId" in node:
        node.pop("risk", None)


def _drop_target() -> None:
    _replace(app_actions, "_with_target", lambda declared, _request: declared)


def _ignore_scope_of_reference() -> None:
    own = resolve.by_role_name
    _replace(resolve, "by_role_name", lambda store, role, name, scope=None: own(store, role, name))


def _retry_conditional() -> None:
    kind = property(lambda self: self.primitive.idempotency(self.args) in ("idempotent", "conditional"))
    Action.idempotent = kind  # type: ignore[method-assign,assignment]


def _one_document() -> None:
    constant = session_services.driver_capabilities(ScriptedDriver(ScriptedPage("http://a.test/")))
    _replace(session_services, "driver_capabilities", lambda *_: constant)


def _one_profile() -> None:
    own = session_services.driver_capabilities
    _replace(
        session_services,
        "driver_capabilities",
        lambda *given: msgspec.structs.replace(own(*given), profile="web@0.1"),
    )


def _permit_everything() -> None:
    own = permission.Permission.decide

    def broken(self: Any, matter: Any, at: Any) -> Any:
        own(self, matter, at)
        return permission.Proceed()

    _replace(permission.Permission, "decide", broken)


def _only_focus(id: str) -> None:
    ACTIONS[id] = dataclasses.replace(
        ACTIONS[id],
        plan=lambda mode, guard, *_: (Focus(guard=guard),),
        proof=lambda *_: "none",
        modes=("semanticUi",),
    )


_NUMBERS = itertools.count()

# requirement, test, lie
CAP_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "the-risk-is-not-readable": (
        "CAP-1",
        LIVE + "an_agent_reads_role_state_affordances_actions_risk_and_success_of_an_element",
        lambda: _edit_page(_drop_risk),
    ),
    "vendor-roles-are-not-declared": (
        "CAP-2.2c",
        ROLES,
        lambda: _replace(capabilities, "shown_words", lambda _elements: shown_words.ShownWords()),
    ),
    "any-word-is-a-role": (
        "CAP-2.1b",
        ROLES,
        lambda: _edit_page(lambda node: node.update(role="custom") if node.get("name") == "Wizard" else None),
    ),
    "roles-are-a-constant": (
        "CAP-2.2",
        ROLES,
        lambda: _use_words(roles=("button", "link", "custom")),
    ),
    "a-role-is-never-derived": (
        "CAP-4b",
        ROLES,
        lambda: _edit_page(lambda node: node.update(role="group") if node.get("role") == "drawer" else None),
    ),
    "hovered-is-never-emitted": ("CAP-5b", STATES, _without_state("hovered")),
    "scopes-have-no-state": ("CAP-5c", STATES, lambda: _edit_page(_drop_state_of_scopes)),
    "mixed-is-true": ("CAP-5d", STATES, lambda: _edit_page(_flatten)),
    "resize-is-never-derived": ("CAP-6b", AFFORDANCES, lambda: _edit_page(_without("resize", "affordances"))),
    "affordances-vanish-when-disabled": (
        "CAP-6c",
        AFFORDANCES,
        lambda: _edit_page(_no_affordances_when_disabled),
    ),
    "a-role-follows-the-tag": (
        "CAP-2.4",
        LIVE + "one_control_has_one_role_however_it_is_written",
        lambda: _edit_page(_role_of_tag),
    ),
    "a-custom-signal-has-no-producer": ("CAP-9b", SIGNALS, lambda: _edit_page(_silence("custom"))),
    "an-id-path-is-ignored": ("CAP-9c", SIGNALS, lambda: _replace(reported, "_has_id", lambda *_: True)),
    "a-kind-is-never-evaluated": (
        "CAP-9",
        SIGNALS,
        lambda: registry.SIGNAL_FAMILIES.update(
            {"collection.count": registry.SignalFamily(reported.read_nothing, lambda *_: reported.NOT_MET)}
        ),
    ),
    "only-annotated-scopes-are-found": (
        "CAP-3b",
        LIVE + "a_target_by_scope_finds_the_live_scope_annotated_or_not",
        lambda: _replace(lookup, "derived_scope_id", lambda *_: ""),
    ),
    "the-scope-of-a-reference-is-ignored": (
        "CAP-3d",
        LIVE + "a_target_by_scope_finds_the_live_scope_annotated_or_not",
        _ignore_scope_of_reference,
    ),
    "a-route-is-used-nowhere": (
        "CAP-3c",
        RECEIVED + "a_target_by_route_is_taken_by_every_action_that_lists_routes",
        lambda: _replace(RequestCompletion, "_route_address", lambda *_: ""),
    ),
    "target-kinds-are-ignored": (
        "CAP-7b",
        RECEIVED + "a_target_of_another_kind_is_refused_and_a_missing_one_is_required",
        lambda: _replace(received, "_unsuitable_kind", lambda _action: None),
    ),
    "only-elements-reach-a-function": (
        "CAP-7c",
        RECEIVED + "scope_route_entity_and_session_reach_the_function",
        _drop_target,
    ),
    "a-label-is-pressed": (
        "CAP-7d",
        RECEIVED + "an_element_without_the_required_affordance_is_refused_before_dispatch",
        lambda: _replace(Primitive, "accepts", lambda *_: True),
    ),
    "listed-modes-are-overwritten": (
        "CAP-7e",
        RECEIVED + "only_the_modes_of_the_descriptor_are_used",
        lambda: _replace(invoke, "_function_modes", lambda _declared: ("appAction",)),
    ),
    "conditional-is-retried-like-idempotent": (
        "CAP-7f",
        RECEIVED + "each_idempotency_has_its_own_rule_for_a_retry[conditional-False-True]",
        _retry_conditional,
    ),
    "vendor-words-have-no-prefix": (
        "CAP-2.1",
        ROLES,
        lambda: _edit_page(
            lambda node: (
                node.update(customRole=node["customRole"].removeprefix("x."))
                if "customRole" in node
                else None
            )
        ),
    ),
    "one-document-for-every-driver": (
        "CAP-2.2b",
        DOCUMENT + "each_surface_declares_its_own_profile_and_only_its_own_words",
        _one_document,
    ),
    "a-document-differs-from-run-to-run": (
        "CAP-2.3",
        DOCUMENT + "two_sessions_on_an_unchanged_app_get_the_same_document",
        lambda: _replace(capabilities, "json_digest", lambda _document: f"{next(_NUMBERS):016d}"),
    ),
    "an-entity-resolves-nowhere": (
        "CAP-3",
        RECEIVED + "each_kind_of_reference_resolves",
        lambda: _replace(resolve, "_by_entity", lambda *_: []),
    ),
    "nobody-resolves-a-custom-target": (
        "CAP-3e",
        "tests/host/bundles/test_adapters.py"
        "::test_a_custom_target_goes_to_its_adapter_and_an_unknown_one_is_not_found",
        lambda: _replace(Adapters, "bind", lambda _self, _store, _target, gathered: gathered),
    ),
    "a-role-is-left-out": (
        "CAP-4",
        ROLES,
        lambda: _use_words(roles=ChromiumDriver.facts.vocabulary.roles[1:]),
    ),
    "sensitive-is-a-label-only": (
        "CAP-5e",
        RISK + "writing_a_field_that_is_marked_sensitive_is_decided_as_sensitive",
        lambda: _replace(appraisal, "_declared_classes", lambda _element: frozenset()),
    ),
    "a-value-is-not-set": (
        "CAP-7g",
        "tests/browser/test_widgets.py::test_an_action_has_the_reported_effect_and_no_other[ui.setValue Keys0]",
        lambda: _only_focus("ui.setValue"),
    ),
    "titles-are-dropped": (
        "CAP-7h",
        RISK + "a_person_is_asked_first_and_reads_title_tags_and_reason",
        lambda: _replace(
            permission,
            "question_of",
            lambda request: Question(
                action_id=request.primitive.id, args=request.args, resolved=request.resolved
            ),
        ),
    ),
    "a-domain-action-cannot-be-invoked": (
        "CAP-7.2",
        RISK + "a_safe_action_runs_unasked_only_within_what_was_granted",
        lambda: _replace(invoke, "_function_modes", lambda _declared: ()),
    ),
    "blocked-runs-by-itself": (
        "CAP-8.2",
        RISK + "a_blocked_action_never_runs_by_itself",
        _permit_everything,
    ),
    "confirm-asks-nobody": (
        "CAP-8.3",
        RISK + "a_person_is_asked_first_and_reads_title_tags_and_reason",
        _permit_everything,
    ),
    "the-reason-is-dropped": (
        "CAP-8.4",
        RISK + "a_person_is_asked_first_and_reads_title_tags_and_reason",
        lambda: _replace(permission, "_declared_reasons", lambda _request: ()),
    ),
    "safe-overrides-a-missing-grant": (
        "CAP-8.5",
        RISK + "a_safe_action_runs_unasked_only_within_what_was_granted",
        lambda: _replace(evaluate, "_missing_grants", lambda *_: ()),
    ),
    "a-payload-is-ignored": (
        "CAP-9d",
        "tests/signals/test_kinds.py::test_each_optional_member_of_a_signal_narrows_the_match",
        lambda: _replace(reported, "_is_subset", lambda *_: True),
    ),
    "signal-kinds-are-not-listed": (
        "CAP-10",
        DOCUMENT + "two_sessions_on_an_unchanged_app_get_the_same_document",
        lambda: _replace(session_services, "SIGNAL_FAMILIES", {}),
    ),
    "every-profile-is-the-web": (
        "CAP-10c",
        DOCUMENT + "each_surface_declares_its_own_profile_and_only_its_own_words",
        _one_profile,
    ),
    "sensitive-fields-are-not-marked": ("CAP-SEC.2", STATES, _without_state("sensitive")),
    "a-css-hint-comes-first": (
        "AUTH-5.3c",
        "tests/host/bundles/test_matching.py::test_annotation_and_semantic_matchers_come_before_a_css_hint",
        lambda: _replace(matching, "_without_hints", lambda binding: binding),
    ),
    "an-adapter-matches-nothing": (
        "RUN-16",
        "tests/host/bundles/test_adapters.py"
        "::test_a_matcher_by_adapter_asks_it_and_an_unknown_adapter_is_reported_at_load",
        lambda: _replace(Adapters, "find", lambda *_: ()),
    ),
    "only-known-attributes-match": (
        "RUN-14",
        TERMS + "an_annotation_matcher_matches_any_attribute_with_or_without_the_prefix",
        lambda: _replace(matching, "is_other", lambda _attribute: False),
    ),
    "the-tool-list-is-constant": (
        "RUN-34",
        "tests/mcp_server/test_bundle_tools.py"
        "::test_the_tools_of_an_agent_are_built_from_the_bundle_and_carry_its_actions_out",
        lambda: _replace(import_module("uiap.mcp_server.server"), "bundle_tools", lambda *_: {}),
    ),
    "selectors-are-judged-at-build-only": (
        "RUN-27",
        TERMS + "selectors_of_policies_are_judged_with_the_profile_and_the_tenant_of_the_session",
        lambda: _replace(bundles, "matches", lambda *_: True),
    ),
    "profiles-are-unused": (
        "RUN-28",
        "tests/host/consent/test_principals.py"
        "::test_a_session_under_a_profile_has_its_roles_and_never_more_than_its_grants",
        lambda: _replace(principals, "principal_under", lambda _bundle, principal: principal),
    ),
}
CAP_BREAKERS |= AUTH_BREAKERS
