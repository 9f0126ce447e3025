"""Breakers of the consumers of a bundle and of the capability model. `breakers` puts them into its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from uiap.actions.registry import ACTIONS
from uiap.authoring.bundles import load
from uiap.authoring.kinds import bindings as bindings_kind
from uiap.drivers.chromium.input import app_actions as chromium_app_actions
from uiap.graph import view
from uiap.host.bundles import bindings, bundle, routes, scopes
from uiap.host.bundles.authored_actions import AuthoredActions, ElementPath, HandlerPath
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.bundle import Bundle
from uiap.host.bundles.exploration_knowledge import knowledge_of
from uiap.host.bundles.in_use import BundleInUse
from uiap.host.bundles.matching import ElementMatching
from uiap.host.bundles.names import BundleNames
from uiap.host.bundles.requests import RequestCompletion
from uiap.host.bundles.routes import Routes
from uiap.host.execution.app_actions import AppActions
from uiap.host.handlers import capabilities
from uiap.host.handlers import discovery as discovery_handler
from uiap.host.handlers.actions import ActionHandler
from uiap.host.handlers.capabilities import CapabilityHandler
from uiap.host.sessions import session_services
from uiap.policy import appraisal
from uiap.runtime import resolve, result
from uiap.spec.authoring import UIAPCompiledBundle

TERMS = "tests/host/bundles/test_session_terms.py::test_"
ROUTES = "tests/host/bundles/test_routes.py::test_"
REQUESTS = "tests/host/bundles/test_requests.py::test_"
NAMES = "tests/host/bundles/test_names.py::test_"
AUTHORED = "tests/host/bundles/test_authored_actions.py::test_"
ACTED = "tests/host/handlers/test_action_requests.py::test_"
BINDINGS = "tests/host/bundles/test_bindings.py::test_"
OPENED = "tests/host/bundles/test_bundle.py::test_"


def _replace(owner: Any, name: str, value: Any) -> None:
    assert hasattr(owner, name), f"{owner!r} has no `{name}`"
    setattr(owner, name, value)


def _any_context() -> None:
    for module in (load, bundle):
        _replace(module, "check_context", lambda *_: None)


def _read_anything() -> None:
    """Open every file as a bundle."""
    known = load.load_bundle

    def read(data: bytes, running: Any = None) -> UIAPCompiledBundle:
        if data.startswith(b'{"actions"'):
            return known(data, running)
        from tests.support.bundled_videos import videos_bundle

        return videos_bundle().content

    _replace(bundle, "load_bundle", read)


def _ignore_implementation_none() -> None:
    own = AuthoredActions.paths

    def paths(self: Any, action: Any) -> Any:
        kind = UNSET if action.implementation is UNSET else action.implementation.kind
        return (ElementPath("video.save"),) if kind == "none" else own(self, action)

    _replace(AuthoredActions, "paths", paths)


def _need_roles() -> None:
    """Find nothing by a text alone."""
    own = ElementMatching._named

    def named(self: Any, store: Any, binding: Any, role: Any, *rest: Any, **members: Any) -> Any:
        return own(self, store, binding, role, *rest, **members) if isinstance(role, str) else []

    _replace(ElementMatching, "_named", named)


def _forget_route_ids() -> None:
    own = routes._fits
    _replace(
        routes,
        "_fits",
        lambda route, path, matcher: (
            not isinstance(matcher, routes.RouteIdMatcher) and own(route, path, matcher)
        ),
    )


async def _no_replacement(_self: Any, _id: str) -> None:
    return None


class _NoOps:
    """Types of actions that need no gesture."""

    def __getitem__(self, _id: str) -> Any:
        return type("Type", (), {"ops": ()})()


async def _no_descriptors(_self: Any) -> list[Any]:
    return []


# requirement, test, lie
KNOWLEDGE_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "manifests-are-read-at-run-time": ("RUN-1", OPENED + "a_manifest_is_not_a_bundle", _read_anything),
    "a-section-nobody-reads": (
        "RUN-2",
        TERMS + "every_section_of_a_bundle_changes_something_at_run_time",
        lambda: _replace(AppActions, "_authored_descriptors", _no_descriptors),
    ),
    "the-digest-is-not-checked": (
        "RUN-3",
        OPENED + "a_bundle_changed_after_signing_is_refused_with_and_without_a_key",
        lambda: _replace(load, "digest_matches", lambda _data: True),
    ),
    "an-extension-is-claimed": (
        "RUN-4",
        TERMS + "an_extension_that_the_session_does_not_offer_refuses_the_bundle",
        lambda: _replace(session_services, "require_fit", lambda *_: None),
    ),
    "any-context-fits": (
        "RUN-5",
        OPENED + "a_bundle_built_for_another_context_than_that_of_the_session_is_refused[environment]",
        lambda: _any_context(),
    ),
    "any-profile-fits": (
        "RUN-5",
        TERMS + "a_bundle_for_another_profile_is_refused",
        lambda: _replace(session_services, "require_fit", lambda *_: None),
    ),
    "authored-capabilities-are-dropped": (
        "RUN-6",
        TERMS + "authored_capabilities_are_part_of_the_document_of_the_session",
        lambda: _replace(session_services, "merge_capabilities", lambda own, _bundle: own),
    ),
    "route-ids-by-annotation-only": (
        "RUN-7",
        ROUTES + "a_route_gets_the_id_of_its_binding_where_the_page_publishes_none",
        lambda: _replace(Routes, "name", lambda _self, route: route),
    ),
    "route-ids-never-match": (
        "RUN-8",
        ROUTES + "a_route_is_recognised_by_the_id_that_the_page_publishes",
        _forget_route_ids,
    ),
    "a-route-id-is-no-address": (
        "RUN-9",
        REQUESTS + "a_route_id_leads_to_its_address_and_its_signals_verify_the_arrival",
        lambda: _replace(Routes, "address", lambda _self, id, _params: f"/{id}"),
    ),
    "signals-of-routes-are-not-read": (
        "RUN-10",
        REQUESTS + "an_arrival_without_the_signals_of_the_route_is_not_reported_as_success",
        lambda: _replace(RequestCompletion, "_arrival_signals", lambda *_: ()),
    ),
    "scopes-need-annotations": (
        "RUN-11",
        "tests/host/bundles/test_scopes.py::test_a_scope_is_recognised_by_its_name_or_by_its_content",
        lambda: _replace(scopes.Scopes, "_recognise", lambda *_: frozenset()),
    ),
    "scope-ids-are-those-of-the-page": (
        "RUN-12",
        NAMES + "a_scope_id_of_the_bundle_in_a_target_means_the_live_scope",
        lambda: _replace(BundleNames, "scopes", lambda *_: frozenset()),
    ),
    "parent-routes-are-unused": (
        "RUN-13",
        ROUTES + "a_page_below_a_route_is_included_in_it",
        lambda: _replace(Routes, "_with_parents", lambda _self, ids: ids),
    ),
    "labels-need-a-role": (
        "RUN-15",
        "tests/host/bundles/test_matching.py::test_a_text_finds_its_element_without_a_role",
        _need_roles,
    ),
    "a-dead-matcher-compiles-silently": (
        "RUN-18",
        "tests/authoring/kinds/test_bindings.py::test_a_matcher_that_no_runtime_evaluates_is_named",
        lambda: _replace(bindings_kind, "_can_match", lambda _matcher: True),
    ),
    "a-binding-applies-everywhere": (
        "RUN-19",
        BINDINGS + "texts_match_only_on_the_route_of_the_binding",
        lambda: _replace(Routes, "includes", lambda *_: True),
    ),
    "a-binding-gives-the-id-only": (
        "RUN-20",
        BINDINGS + "success_signals_come_from_the_bundle_for_every_kind_of_target",
        lambda: _replace(Bindings, "_added_fields", lambda _self, _element, one: {"stable_id": one.id}),
    ),
    "the-ref-of-a-handler-is-ignored": (
        "RUN-21",
        ACTED + "a_handler_that_is_registered_under_its_ref_runs",
        lambda: _replace(AuthoredActions, "paths", lambda _self, action: (HandlerPath((action.id,)),)),
    ),
    "the-endpoint-is-never-called": (
        "RUN-22",
        "tests/drivers/chromium/input/test_endpoint_call.py"
        "::test_a_server_action_calls_its_endpoint_with_the_session_of_the_page",
        lambda: _replace(
            chromium_app_actions, "endpoint_call", lambda _op, _mark: "JSON.stringify({value: null})"
        ),
    ),
    "the-element-of-an-action-is-never-pressed": (
        "RUN-23",
        ACTED + "an_action_fills_in_the_fields_of_its_arguments_and_presses_its_element",
        lambda: _replace(AuthoredActions, "_driver_path", lambda _self, ref: HandlerPath((ref,))),
    ),
    "an-action-of-kind-none-runs": (
        "RUN-24",
        ACTED + "an_action_without_an_implementation_is_declared_and_cannot_run",
        _ignore_implementation_none,
    ),
    "the-risk-of-the-page-replaces-the-signed-one": (
        "RUN-25",
        AUTHORED + "the_risk_of_a_function_counts_where_it_is_stricter",
        lambda: _replace(AuthoredActions, "_risk", lambda _self, action, own: own or action.risk),
    ),
    "default-actions-are-never-invoked": (
        "RUN-26",
        ACTED + "a_press_runs_the_default_action_of_the_element_where_a_function_is_registered",
        lambda: _replace(AppActions, "replacement", _no_replacement),
    ),
    "workflows-have-no-consumer": (
        "RUN-29",
        "tests/host/handlers/test_workflow_actions.py"
        "::test_an_action_runs_its_workflow_with_its_arguments_as_parameters",
        lambda: _replace(Bundle, "workflows", ()),
    ),
    "texts-have-no-consumer": (
        "RUN-30",
        TERMS + "a_person_reads_the_texts_of_the_bundle_in_its_locale",
        lambda: _replace(bundle, "localized", lambda value, _locales: value),
    ),
    "the-page-reads-the-default-prefix": (
        "RUN-31",
        TERMS + "the_page_script_reads_annotations_with_the_prefix_of_the_app",
        lambda: _replace(session_services, "annotation_prefix", lambda _bundle: "data-uiap-"),
    ),
    "a-hash-route-is-read-as-a-path": (
        "RUN-32",
        ROUTES + "the_routing_mode_of_the_app_says_where_the_path_is",
        lambda: _replace(Routes, "path_of", lambda _self, route: str(route.path)),
    ),
    "the-overlay-flag-is-unused": (
        "RUN-33",
        "tests/host/execution/test_presenter.py"
        "::test_nothing_is_drawn_where_the_application_forbids_overlays",
        lambda: _replace(ActionHandler, "allow_overlays", lambda *_: None),
    ),
    "discovered-elements-need-annotations": (
        "RUN-37",
        "tests/host/bundles/test_matching.py::test_every_element_of_the_page_is_found_again",
        lambda: _replace(ElementMatching, "_by_texts", lambda *_: []),
    ),
    "a-discovered-route-leads-nowhere": (
        "RUN-38",
        ROUTES + "a_route_has_an_address_with_its_parameters_filled_in",
        lambda: _replace(Routes, "address", lambda *_: "/"),
    ),
    "steps-of-workflows-resolve-to-nothing": (
        "RUN-39",
        "tests/host/handlers/test_workflow_actions.py"
        "::test_an_action_runs_its_workflow_with_its_arguments_as_parameters",
        lambda: _replace(BundleNames, "elements", lambda *_: ()),
    ),
    "a-discovered-scope-is-unknown": (
        "RUN-40",
        NAMES + "a_signal_about_a_scope_of_the_bundle_is_observed_in_the_live_scope",
        lambda: _replace(BundleNames, "scopes", lambda *_: frozenset()),
    ),
    "whatever-had-no-effect-is-retryable": (
        "ACT-6.4b",
        "tests/runtime/test_result.py::test_an_error_that_the_same_request_meets_again_is_not_retryable",
        lambda: _replace(result, "FINAL_ERRORS", frozenset()),
    ),
    "an-unknown-id-ends-the-search": (
        "ACT-8.1b",
        "tests/runtime/test_resolve.py"
        "::test_an_id_that_is_gone_is_found_by_the_expected_role_and_name_with_less_confidence",
        lambda: _replace(resolve, "_by_stable_id", lambda *_: []),
    ),
    # -- capability model -----------------------------------------------------------------------------------
    "a-document-declares-every-gesture": (
        "CAP-2.2",
        "tests/actions/test_types.py::test_a_desktop_offers_only_gestures_that_it_supports",
        lambda: _replace(session_services, "ACTION_TYPES", _NoOps()),
    ),
    "hidden-means-disabled": (
        "CAP-5",
        "tests/graph/test_view.py::test_only_visible_false_hides_an_element",
        lambda: _replace(view, "is_hidden", lambda _node: False),
    ),
    "roles-make-an-element-actionable": (
        "CAP-6",
        "tests/graph/test_view.py::test_affordances_and_not_roles_make_an_element_actionable",
        lambda: _replace(view, "is_actionable", lambda element: element.role == "button"),
    ),
    "a-primitive-is-missing": (
        "CAP-7",
        "tests/actions/test_registry.py::test_every_primitive_of_the_spec_is_there_and_every_gesture",
        lambda: ACTIONS.pop("ui.hover"),
    ),
    "the-laxest-risk-wins": (
        "CAP-8.1",
        BINDINGS + "an_untrusted_bundle_can_only_raise_a_risk",
        lambda: _replace(bindings, "strictest_risk", lambda risks: next(iter(risks))),
    ),
    "labels-are-not-compared-with-the-risk": (
        "CAP-SEC.3",
        "tests/attack/test_risks.py::test_a_risky_button_that_declares_itself_safe_is_still_risky",
        lambda: _replace(appraisal, "_risk_hints", lambda *_: ()),
    ),
    "a-change-is-never-announced": (
        "CAP-10d",
        "tests/host/handlers/test_capabilities.py"
        "::test_a_registered_and_a_removed_action_change_the_document_and_are_announced",
        lambda: _replace(CapabilityHandler, "check_for_changes", lambda _self: None),
    ),
    "everybody-reads-capabilities": (
        "CAP-SEC.1",
        "tests/host/consent/test_obligations.py::test_a_caller_without_observe_cannot_read_the_page",
        lambda: _replace(capabilities, "observe_refusal", lambda _redaction: None),
    ),
    "a-hint-of-a-binding-finds-nothing": (
        "RUN-17",
        "tests/api/test_bundle.py::test_css_and_xpath_of_a_binding_find_its_element_as_the_last_resort",
        lambda: _replace(BundleInUse, "hints", lambda *_: ()),
    ),
    "a-run-ignores-the-bundle": (
        "RUN-35",
        "tests/host/handlers/test_discovery.py"
        "::test_the_bundle_of_a_session_gives_a_run_its_seeds_and_evidence",
        lambda: _replace(discovery_handler, "knowledge_of", lambda _bundle, url: knowledge_of(None, url)),
    ),
    "a-bundle-needs-a-restart": (
        "RUN-36",
        "tests/host/bundles/test_in_use.py::test_a_loaded_bundle_works_at_once_and_an_unloaded_one_does_not",
        lambda: _replace(BundleInUse, "use", lambda _self, _bundle: None),
    ),
}
