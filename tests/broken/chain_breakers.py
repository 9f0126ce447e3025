"""Breakers of what is authored or discovered, on its way from the package to a session that acts."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from tests.broken.package_breakers import _annotated_scopes_only
from tests.broken.patching import patch
from uiap.api import open_session
from uiap.authoring.assembly import content, merge
from uiap.authoring.bundles import bundle as compiled
from uiap.authoring.bundles import load
from uiap.authoring.checks import gates
from uiap.authoring.documents import locale, source
from uiap.authoring.kinds import bindings as bindings_kind
from uiap.discovery.knowledge import knowledge
from uiap.discovery.package import actions
from uiap.discovery.plan.address import AllowedOrigins
from uiap.discovery.safety import safety
from uiap.discovery.safety.safety import SafetyDecision
from uiap.discovery.states import exploring
from uiap.host.bundles import bundle
from uiap.host.bundles.adapters import Adapters
from uiap.host.bundles.matching import ElementMatching
from uiap.host.bundles.names import BundleNames
from uiap.host.bundles.routes import Routes
from uiap.host.bundles.scopes import Scopes
from uiap.host.execution.app_actions import AppActions
from uiap.host.sessions import session_services
from uiap.policy import evaluate
from uiap.runtime import expectation
from uiap.runtime.states import received

CHAIN = "tests/browser/test_chain.py::test_"
TERMS = "tests/host/bundles/test_session_terms.py::test_"
NAMES = "tests/host/bundles/test_names.py::test_"
REQUESTS = "tests/host/bundles/test_requests.py::test_"
ACTED = "tests/host/handlers/test_action_requests.py::test_"
LOCALE = "tests/authoring/documents/test_locale.py::test_"
MERGE = "tests/authoring/assembly/test_merge.py::test_"
MACHINE = "tests/discovery/test_machine.py::test_"
SECTIONS = TERMS + "every_section_of_a_bundle_changes_something_at_run_time"
NO_EXTENSION = TERMS + "an_extension_that_the_session_does_not_offer_refuses_the_bundle"
DECIDED = MACHINE + "only_allowed_actions_are_performed_and_each_has_its_decision"


def _nothing(*_: Any, **__: Any) -> None:
    return None


async def _no_descriptors(_self: Any) -> list[Any]:
    return []


def _last_wins(known: Any, item: Any, manifest: Any, *_: Any) -> Any:
    return merge.MergedItem(item, (manifest,))


def _mildest_policy() -> None:
    patch(evaluate, "_STRICTNESS", {effect: -n for effect, n in evaluate._STRICTNESS.items()})


def _allow_everything() -> None:
    for module in (knowledge, exploring):
        patch(module, "decide", lambda *_, **__: SafetyDecision("allow", "safe", "because"))


def _as_in_a_sandbox() -> None:
    own = safety._decide_by_side_effect
    patch(safety, "_decide_by_side_effect", lambda kind, policy, _, why: own(kind, policy, True, why))


def _literal_routes() -> None:
    """Take the id of a route that begins with a slash for its address."""
    own = Routes.address
    patch(Routes, "address", lambda self, id, params: id if id.startswith("/") else own(self, id, params))


def _count_as_reviewed() -> None:
    patch(import_module("uiap.authoring.build"), "check_gates", _nothing)


CHAIN_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    # -- the build
    "an-app-names-no-address": (
        "AUTH-5.1",
        "tests/host/bundles/test_bundle.py::test_a_bundle_covers_the_base_urls_of_its_app",
        lambda: patch(bundle, "_base_urls", lambda _content: ()),
    ),
    "a-matcher-in-the-bundle-finds-nothing": (
        "AUTH-5.3",
        CHAIN + "each_element_of_the_page_is_the_one_it_was_found_on",
        lambda: patch(ElementMatching, "find", lambda *_: []),
    ),
    "an-approved-action-needs-no-implementation": (
        "AUTH-5.4",
        "tests/authoring/checks/test_review.py::test_an_approved_action_without_implementation_is_an_error",
        lambda: patch(gates, "_check_implementations", _nothing),
    ),
    "two-actions-have-one-id": (
        "AUTH-5.4b",
        "tests/authoring/test_duties.py::test_incompatible_implementations_of_one_action_are_an_error",
        lambda: patch(merge, "_join_items", _last_wins),
    ),
    "the-mildest-policy-decides": (
        "AUTH-5.5",
        TERMS + "of_several_policies_the_stricter_one_decides_in_either_order",
        _mildest_policy,
    ),
    "a-missing-text-has-no-name": (
        "AUTH-5.7c",
        LOCALE + "a_missing_text_falls_back_or_is_reported",
        lambda: patch(locale, "_missing_text", lambda text, *_: str(text.get("fallback", text["ref"]))),
    ),
    "local-content-changes-an-import": (
        "AUTH-6",
        "tests/authoring/assembly/test_imports.py"
        "::test_a_local_manifest_never_changes_imported_content_implicitly",
        lambda: patch(merge, "_join_items", _last_wins),
    ),
    "a-text-reference-is-left": (
        "AUTH-12",
        LOCALE + "all_texts_are_resolved_and_similar_objects_are_not_changed",
        lambda: patch(locale, "_resolve_manifest", lambda manifest, *_: manifest),
    ),
    "content-of-another-context-is-left": (
        "AUTH-12",
        MERGE + "only_content_for_the_context_is_in_the_bundle",
        lambda: patch(content, "_selected", lambda *_: True),
    ),
    "the-order-of-manifests-changes-the-bytes": (
        "AUTH-12",
        "tests/authoring/test_build.py::test_a_bundle_is_resolved_and_sorted",
        lambda: patch(
            compiled, "_sorted", lambda content, section: [i.value for i in content.items[section].values()]
        ),
    ),
    "hostile-text-is-parsed": (
        "AUTH-SEC.1",
        "tests/authoring/documents/test_source.py::test_hostile_text_is_refused_with_file_line_and_reason",
        lambda: patch(source, "scan", lambda _text: None),
    ),
    "described-actions-are-missing": (
        "AUTH-5.2c",
        TERMS + "without_authored_capabilities_the_session_has_those_of_bindings_and_actions",
        lambda: patch(AppActions, "_authored_descriptors", _no_descriptors),
    ),
    # -- the session
    **{
        f"the-section-{section}-is-not-read": ("RUN-2", SECTIONS, lie)
        for section, lie in {
            "bindings": lambda: patch(Routes, "name", lambda _self, route: route),
            "capabilities": lambda: patch(session_services, "merge_capabilities", lambda own, _bundle: own),
            "policies": lambda: patch(bundle.Bundle, "policies", ()),
            "workflows": lambda: patch(bundle.Bundle, "workflows", ()),
            "locales": lambda: patch(bundle.Bundle, "texts", {}),
        }.items()
    },
    "an-unknown-extension-is-offered": (
        "RUN-4",
        NO_EXTENSION,
        lambda: patch(session_services, "require_fit", _nothing),
    ),
    "a-version-is-not-compared": (
        "RUN-4",
        TERMS + "a_version_that_this_runtime_does_not_have_refuses_the_bundle",
        lambda: patch(load, "_check_versions", _nothing),
    ),
    "a-matcher-that-finds-nothing-is-built-silently": (
        "RUN-18",
        "tests/authoring/kinds/test_bindings.py::test_a_build_names_a_matcher_that_finds_nothing",
        lambda: patch(bindings_kind, "_can_match", lambda _matcher: True),
    ),
    "a-route-by-signal-is-built-silently": (
        "RUN-8",
        "tests/authoring/kinds/test_bindings.py::test_a_build_names_a_matcher_that_finds_nothing[bindings1-signal]",
        lambda: patch(bindings_kind, "_can_match", lambda _matcher: True),
    ),
    "a-rule-about-a-scope-never-applies": (
        "RUN-12",
        NAMES + "a_rule_about_a_scope_of_the_bundle_applies_to_the_live_scope",
        lambda: patch(BundleNames, "scope_name", lambda *_: None),
    ),
    "a-child-is-not-inside-its-parent": (
        "RUN-13",
        NAMES + "what_is_limited_to_a_route_or_scope_holds_inside_its_children",
        lambda: patch(Routes, "_with_parents", lambda _self, ids: ids),
    ),
    "outer-scopes-are-not-read": (
        "RUN-13",
        "tests/host/bundles/test_scopes.py::test_a_scope_outside_the_outer_scope_is_not_the_same",
        lambda: patch(Scopes, "_is_placed", lambda *_: True),
    ),
    "the-signals-of-an-action-are-dropped": (
        "RUN-25",
        ACTED + "the_success_signals_of_the_bundle_decide_whether_it_worked",
        lambda: patch(expectation, "_declared", lambda *_: ()),
    ),
    "the-arguments-of-an-action-are-not-checked": (
        "RUN-25",
        ACTED + "arguments_are_checked_against_the_description_of_the_bundle",
        lambda: patch(received, "argument_faults", lambda *_: []),
    ),
    "an-open-session-has-every-grant": (
        "RUN-28",
        "tests/host/consent/test_principals.py"
        "::test_an_agent_that_opens_the_application_under_a_profile_cannot_do_more_than_it",
        lambda: patch(open_session, "principal_under", lambda _bundle, principal: principal),
    ),
    "a-route-provider-is-never-asked": (
        "RUN-32",
        "tests/host/bundles/test_adapters.py::test_a_route_provider_reads_the_route_and_writes_its_address",
        lambda: patch(Adapters, "route_provider", _nothing),
    ),
    "a-session-draws-nevertheless": (
        "RUN-33",
        TERMS + "a_session_draws_nothing_where_the_bundle_forbids_overlays",
        lambda: patch(session_services, "draws_overlays", lambda _bundle: True),
    ),
    # -- the chain
    "found-elements-need-annotations": (
        "RUN-37",
        CHAIN + "each_element_of_the_page_is_the_one_it_was_found_on",
        lambda: patch(ElementMatching, "_by_texts", lambda *_: []),
    ),
    "a-pattern-is-taken-for-an-address": (
        "RUN-38",
        REQUESTS + "a_route_whose_id_is_its_pattern_leads_to_the_address_with_its_parameters",
        _literal_routes,
    ),
    "a-found-route-is-not-recognised": (
        "RUN-38",
        CHAIN + "a_found_route_is_recognised_and_led_to_by_its_id",
        lambda: patch(Routes, "name", lambda _self, route: route),
    ),
    "a-form-without-annotation-is-no-scope": (
        "DISC-17.3",
        CHAIN + "an_application_without_annotations_gives_every_part_of_a_package",
        _annotated_scopes_only,
    ),
    "findings-are-built-for-production": (
        "DISC-SEC.4",
        CHAIN + "findings_that_nobody_reviewed_are_not_built_for_production",
        _count_as_reviewed,
    ),
    "twins-of-an-unprepared-application-are-lost": (
        "RUN-41",
        "tests/cli/test_unprepared_application.py"
        "::test_an_application_that_nobody_prepared_is_explored_reviewed_built_and_acted_on",
        lambda: patch(ElementMatching, "_one_twin", lambda *_: ()),
    ),
    # -- discovery
    "a-run-that-only-observes-presses": (
        "DISC-8.1",
        MACHINE + "observe_only_loads_seeds_and_performs_no_action",
        _allow_everything,
    ),
    "a-run-presses-everything": ("DISC-2.3", DECIDED, _allow_everything),
    "a-safe-run-writes": (
        "DISC-8.2",
        MACHINE + "each_reason_of_a_decision_is_given_by_its_own_condition",
        _as_in_a_sandbox,
    ),
    "a-link-leads-anywhere": (
        "DISC-SEC.1",
        MACHINE + "a_link_to_another_origin_is_never_followed",
        lambda: patch(AllowedOrigins, "allows", lambda *_: True),
    ),
    "a-package-offers-no-primitives": (
        "DISC-15.4",
        "tests/discovery/package/test_package.py::test_each_affordance_has_its_primitive_actions",
        lambda: patch(actions, "primitives", lambda *_: ()),
    ),
}  # fmt: skip
