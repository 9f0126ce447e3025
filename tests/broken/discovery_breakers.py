"""Breakers of discovery: the run, its plan, its safety and its states. `breakers` puts them into its table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace as replace_dataclass
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from tests.broken.knowledge_breakers import _replace
from tests.broken.live_page_breakers import LIVE_PAGE_BREAKERS
from tests.broken.package_breakers import PACKAGE_BREAKERS
from uiap.api import discovery_options
from uiap.api.discovery_browser import BrowserPageProvider
from uiap.discovery import events, lifecycle, machine
from uiap.discovery.knowledge import candidates, canonical, findings, knowledge, naming, signals
from uiap.discovery.package import actions, catalog, package, review
from uiap.discovery.package.actions import ActionCatalogBuilder
from uiap.discovery.package.catalog import Catalog
from uiap.discovery.package.workflows import WorkflowCatalogBuilder
from uiap.discovery.plan import conditions, plan, seeds
from uiap.discovery.plan.address import AllowedOrigins
from uiap.discovery.plan.plan import RunBounds, RunPlan
from uiap.discovery.safety import safety
from uiap.discovery.safety.safety import SafetyDecision
from uiap.discovery.states import exploring, finishing, preparing, seeding
from uiap.drivers.chromium.page.world import WorldConfig
from uiap.host.handlers import discovery
from uiap.host.runs.exploration import Exploration
from uiap.host.runs.page_worker import PageWorker
from uiap.host.runs.run_handler import RunHandler
from uiap.host.sessions import session_services

MACHINE = "tests/discovery/test_machine.py::test_"
PACKAGE = "tests/discovery/package/test_package.py::test_"
REVIEW = "tests/discovery/package/test_review.py::test_"
CANDIDATES = "tests/discovery/knowledge/test_candidates.py::test_"
SAFETY = "tests/discovery/safety/test_safety.py::test_"
CONDITIONS = "tests/discovery/plan/test_conditions.py::test_"
SEEDING = "tests/discovery/states/test_seeding.py::test_"
SESSION = "tests/host/handlers/test_discovery.py::test_"
WORLD = "tests/drivers/chromium/page/test_world.py::test_"


def _without_member(member: str) -> Callable[[], None]:
    """Build packages that lack a member."""

    def apply() -> None:
        own = package.build_package
        _replace(finishing, "build_package", lambda run: replace(own(run), **{member: UNSET}))

    return apply


def _always_in_sandbox() -> None:
    own = safety._decide_by_side_effect
    _replace(
        safety, "_decide_by_side_effect", lambda kind, policy, _sandbox, why: own(kind, policy, True, why)
    )


def _never_in_sandbox() -> None:
    own = safety._decide_by_side_effect
    _replace(
        safety, "_decide_by_side_effect", lambda kind, policy, _sandbox, why: own(kind, policy, False, why)
    )


def _allow_unknown() -> None:
    own = safety._decide_by_side_effect
    _replace(
        safety,
        "_decide_by_side_effect",
        lambda kind, *rest: own("ui_state" if kind == "unknown" else kind, *rest),
    )


def _skip_synthesizing() -> None:
    """Go from extracting to reviewing."""
    row = lifecycle.PhaseRow(
        lambda run: finishing._report_and_enter(run, "reviewing"), frozenset({"reviewing"})
    )
    _replace(machine, "PHASES", {**lifecycle.PHASES, "extracting": row})
    _replace(machine, "MOVES", {**lifecycle.MOVES, "extracting": frozenset({"reviewing"})})


def _act_without_decision() -> None:
    own = exploring.decide
    _replace(exploring, "decide", lambda *args, **more: own(*args, **more)._replace(why=""))


def _allow_everything() -> None:
    for module in (knowledge, exploring):
        _replace(module, "decide", lambda *_, **__: SafetyDecision("allow", "safe", "always"))


def _enter_every_frame() -> None:
    own = WorldConfig.boot_call
    _replace(WorldConfig, "may_enter", lambda *_: True)
    _replace(WorldConfig, "boot_call", lambda self, document, _root: own(self, document, document.origin))


def _load_the_base_page() -> None:
    own = seeds._targets_of
    _replace(
        seeds,
        "_targets_of",
        lambda plan, seed: [replace_dataclass(one, url=plan.environment.base_url) for one in own(plan, seed)],
    )


def _ignore_catalogs() -> None:
    own = WorkflowCatalogBuilder.workflows
    _replace(WorkflowCatalogBuilder, "workflows", lambda self, _catalog=(): own(self))


def _one_flag_opens_all() -> None:
    own = safety._decide_by_side_effect

    def decide(kind: Any, policy: Any, sandbox: bool, why: str) -> SafetyDecision:
        names = [name for name in policy.__struct_fields__ if name.startswith("allow_")]
        if sandbox and any(getattr(policy, name) is True for name in names):
            policy = replace(policy, **dict.fromkeys(names, True))
        return own(kind, policy, sandbox, why)

    _replace(safety, "_decide_by_side_effect", decide)


def _plan_for_everybody() -> None:
    own = discovery.DiscoveryHandler.plan

    def plan_run(self: Any, call: Any) -> Any:
        one = replace(
            call.payload.environment, principal_profiles=call.payload.environment.principal_profiles[:1]
        )
        return own(self, call._replace(payload=replace(call.payload, environment=one)))

    _replace(discovery.DiscoveryHandler, "plan", plan_run)


def _reverse_evidence() -> None:
    own = catalog.element_refs
    _replace(catalog, "element_refs", lambda *args: list(reversed(own(*args))))


def _answer_and_go_on(event: type[events.Event]) -> None:
    """Answer at once, and let the machine never hear of it."""
    own = Exploration.apply

    async def apply(self: Any, sent: events.Event) -> None:
        if not isinstance(sent, event):
            await own(self, sent)

    _replace(Exploration, "apply", apply)


def _old_signals_only() -> None:
    own = signals.observed_signals
    kept = ("route.changed", "dialog.opened", "dialog.closed", "toast.contains")
    _replace(
        signals,
        "observed_signals",
        lambda *args, **more: tuple(s for s in own(*args, **more) if s.kind in kept),
    )


def _keep_revisions() -> None:
    own = canonical.canonical_page

    def keep(store: Any) -> Any:
        page = own(store)
        return canonical.CanonicalPage(replace(page.graph, seq=store.snapshot().seq), page.live_ids)

    _replace(canonical, "canonical_page", keep)


def _rows_without(type: str) -> None:
    own = RunHandler.rows.fget
    assert own is not None
    _replace(
        RunHandler,
        "rows",
        property(lambda self: {name: row for name, row in own(self).items() if name != type}),
    )


def _only_forms() -> None:
    own = Catalog.scopes
    _replace(Catalog, "scopes", lambda self: [one for one in own(self) if one.kind == "form"])


async def _claim_to_sign_in(_self: Any, _ui: Any, _services: Any, principal: Any) -> tuple[str, ...]:
    return (f"`{principal.id}` signed in",)


async def _no_evidence(*_: Any, **__: Any) -> None:
    return None


# requirement, test, lie
DISCOVERY_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "one-flag-opens-all": (
        "DISC-8.6",
        SAFETY + "each_flag_opens_its_own_class_and_no_other_and_never_more_than_the_mode_permits",
        _one_flag_opens_all,
    ),
    "flags-are-recorded-and-not-applied": (
        "DISC-8.5b",
        CONDITIONS + "flags_are_put_where_the_application_reads_them_or_the_run_says_which_are_not_applied",
        lambda: _replace(conditions, "flag_storage", lambda _environment: (None, ())),
    ),
    "profiles-are-not-recorded": (
        "DISC-8.5",
        CONDITIONS + "an_environment_has_profiles_locale_viewport_flags_and_the_mode_of_signing_in",
        lambda: _replace(discovery_options, "DiscoveryPrincipalProfile", lambda **_: None),
    ),
    "the-mode-of-signing-in-is-ignored": (
        "DISC-8.5d",
        "tests/api/test_discovery_browser.py"
        "::test_each_mode_of_signing_in_brings_the_run_into_the_application_in_its_own_way",
        lambda: _replace(BrowserPageProvider, "_sign_in", _claim_to_sign_in),
    ),
    "one-login-for-several-principals": (
        "DISC-8.5c",
        SESSION + "one_login_is_not_recorded_as_several_principals",
        _plan_for_everybody,
    ),
    "grants-are-not-used": (
        "DISC-8.5e",
        CONDITIONS + "the_grants_of_a_profile_limit_what_is_done_under_it",
        lambda: _replace(RunPlan, "missing_grant", lambda *_: None),
    ),
    "a-switch-that-nobody-reads": (
        "DISC-11.3c",
        "tests/discovery/knowledge/test_states.py"
        "::test_each_switch_of_the_fingerprint_policy_changes_which_pages_are_one_state",
        lambda: _replace(plan, "_fingerprint_policy", lambda _environment: None),
    ),
    "markup-comes-before-annotations": (
        "DISC-11.4",
        PACKAGE + "annotations_precede_markup_and_markup_precedes_inference",
        _reverse_evidence,
    ),
    "a-step-of-extraction-is-missing": (
        "DISC-11.4d",
        "tests/discovery/package/test_evidence.py"
        "::test_each_source_of_evidence_is_recorded_where_it_was_used_and_only_there",
        lambda: _replace(findings.Findings, "add_accessible", lambda *_: None),
    ),
    "a-condition-is-not-checked": (
        "DISC-11.5f",
        CANDIDATES + "each_condition_alone_keeps_the_run_from_acting_and_is_recorded",
        lambda: _replace(candidates, "_reason_unusable", lambda _element: None),
    ),
    "a-paused-run-goes-on": (
        "DISC-14.4",
        SESSION + "nothing_is_done_while_a_run_is_paused_and_after_it_was_cancelled",
        lambda: _answer_and_go_on(events.Paused),
    ),
    "a-cancelled-run-goes-on": (
        "DISC-14.6",
        SESSION + "nothing_is_done_while_a_run_is_paused_and_after_it_was_cancelled",
        lambda: _answer_and_go_on(events.Cancelled),
    ),
    "an-address-is-the-only-rule": (
        "DISC-15.1b",
        "tests/discovery/package/test_routes.py"
        "::test_a_view_that_navigation_shows_at_the_same_address_is_a_route",
        lambda: _replace(Catalog, "_views", lambda _self: iter(())),
    ),
    "one-route-for-each-record": (
        "DISC-15.1c",
        "tests/discovery/package/test_routes.py"
        "::test_addresses_that_differ_in_the_id_of_a_record_are_one_route_with_a_pattern",
        lambda: _replace(catalog, "merged_routes", lambda _routes: {}),
    ),
    "routes-dialogs-and-toasts-only": (
        "DISC-15.5b",
        "tests/discovery/knowledge/test_signals.py::test_validation_entities_and_counts_are_signals_too",
        _old_signals_only,
    ),
    "the-printed-plan-is-refused": (
        "DISC-18",
        "tests/discovery/plan/test_conditions.py::test_the_printed_plan_is_accepted_as_it_stands",
        lambda: _replace(seeds, "_refusal", lambda *_: "not known"),
    ),
    "seeds-load-the-base-page": (
        "DISC-9",
        SEEDING + "each_of_the_six_kinds_of_seeds_has_its_own_initial_state",
        _load_the_base_page,
    ),
    "an-unknown-action-counts-as-visited": (
        "DISC-9.1a",
        SEEDING + "an_action_seed_is_visited_where_the_action_is_offered_and_rejected_where_nobody_knows_it",
        lambda: _replace(seeding, "meets", lambda *_: True),
    ),
    "a-workflow-is-not-followed": (
        "DISC-9.1b",
        SEEDING + "a_workflow_seed_starts_where_the_workflow_starts_and_follows_its_permitted_steps",
        lambda: _replace(exploring, "next_workflow_step", lambda run: run.following.clear()),
    ),
    "documents-are-not-read": (
        "DISC-9.1c",
        SEEDING + "a_documentation_seed_is_read_and_its_addresses_and_labels_become_seeds_and_evidence",
        lambda: _replace(seeds, "_LABELS", re.compile("(x)(y)")),
    ),
    "a-route-is-a-path-made-from-its-name": (
        "DISC-9.1d",
        SEEDING + "a_route_seed_leads_to_the_route_of_that_id_and_to_no_path_made_from_its_name",
        lambda: _replace(
            seeds, "route_url", lambda plan, id: plan.allowed_origins.resolve("/" + id.replace(".", "/"))
        ),
    ),
    "seeds-do-not-say-where-they-come-from": (
        "DISC-9.2",
        SEEDING + "each_seed_says_where_it_comes_from",
        lambda: _replace(seeds, "seed_key", lambda _seed: ""),
    ),
    "documents-over-the-protocol-are-refused": (
        "DISC-14.1",
        SESSION + "every_planned_seed_is_accepted_or_rejected_with_a_reason_over_the_protocol",
        lambda: _replace(discovery, "metadata", lambda _environment: {}),
    ),
    "the-policy-of-the-app-is-not-read": (
        "DISC-11.1c",
        SESSION + "a_policy_of_the_application_is_in_force_while_exploring",
        lambda: _replace(session_services, "compose_rules", lambda *_: "trusted"),
    ),
    "catalogs-are-not-read": (
        "DISC-11.1d",
        "tests/discovery/package/test_workflows.py"
        "::test_catalogs_chains_documents_forms_and_marked_flows_are_sources_that_a_candidate_names",
        _ignore_catalogs,
    ),
    "registries-are-not-read-first": (
        "DISC-11.1",
        MACHINE + "everything_is_prepared_before_anything_is_loaded",
        lambda: _replace(knowledge.Knowledge, "add_registered", lambda *_: None),
    ),
    "budgets-are-not-read": (
        "DISC-2.1",
        MACHINE + "budgets_end_the_run_and_are_reported",
        lambda: _replace(RunBounds, "of", classmethod(lambda cls, _budget: cls())),
    ),
    "frames-of-other-origins-are-read": (
        "DISC-2.5",
        WORLD + "frame_on_another_port_shares_the_process_but_is_opaque",
        _enter_every_frame,
    ),
    "an-opaque-frame-is-not-marked": (
        "DISC-12.2",
        REVIEW + "a_boundary_that_blocks",
        lambda: _replace(review, "_boundaries", lambda _findings: iter(())),
    ),
    "a-closed-shadow-root-is-not-marked": (
        "DISC-12.5",
        REVIEW + "a_boundary_that_blocks",
        lambda: _replace(review, "_boundaries", lambda _findings: iter(())),
    ),
    "the-fields-of-a-found-action-are-lost": (
        "RUN-23",
        "tests/discovery/package/test_actions.py"
        "::test_an_action_names_the_element_that_runs_it_and_the_fields_of_its_arguments",
        lambda: _replace(ActionCatalogBuilder, "_field_keys", lambda *_: {}),
    ),
    "discovery-is-not-offered": (
        "DISC-3",
        SESSION + "a_run_is_planned_started_reported_and_fetched",
        lambda: _replace(session_services, "_EXTENSIONS", session_services._EXTENSIONS[:2]),
    ),
    "a-package-without-its-evidence": (
        "DISC-6",
        PACKAGE + "a_package_is_valid_and_complete",
        _without_member("evidence_index"),
    ),
    "keys-name-the-state": (
        "DISC-6.4",
        PACKAGE + "semantic_keys_do_not_depend_on_the_order_of_exploration",
        lambda: _replace(Catalog, "semantic_key", lambda _self, one: f"{list(one.states)}{one.key}"),
    ),
    "safe-explore-writes": (
        "DISC-8.2",
        SAFETY + "safe_explore_allows_only_actions_that_change_no_data",
        _always_in_sandbox,
    ),
    "a-sandbox-is-never-written": (
        "DISC-8.3",
        "tests/discovery/safety/test_sample.py::test_a_sandbox_fills_a_form_before_it_submits_it",
        _never_in_sandbox,
    ),
    "unknown-actions-are-harmless": (
        "DISC-8.4",
        MACHINE + "only_allowed_actions_are_performed_and_each_has_its_decision",
        _allow_unknown,
    ),
    "a-phase-is-skipped": ("DISC-10", MACHINE + "a_run_passes_its_statuses_in_order", _skip_synthesizing),
    "seeds-are-not-visited": (
        "DISC-11.2a",
        MACHINE + "observe_only_loads_seeds_and_performs_no_action",
        lambda: _replace(preparing, "seed_targets", lambda *_: []),
    ),
    "no-accessibility-tree": (
        "DISC-11.2b",
        SESSION + "a_run_is_planned_started_reported_and_fetched",
        lambda: _replace(PageWorker, "_read_evidence", _no_evidence),
    ),
    "drafts-come-first": (
        "DISC-11.5a",
        "tests/discovery/safety/test_sample.py::test_a_sandbox_fills_a_form_before_it_submits_it",
        lambda: _replace(candidates, "NAVIGATION", candidates.FALLBACK),
    ),
    "steps-are-found-by-name": (
        "DISC-11.5c",
        CANDIDATES + "a_step_is_found_again_by_stable_id_and_by_role_name_and_scope",
        lambda: _replace(candidates, "element_key", lambda _store, element, _route=None: str(element.name)),
    ),
    "actions-run-without-permission": (
        "DISC-11.5d",
        MACHINE + "only_allowed_actions_are_performed_and_each_has_its_decision",
        _allow_everything,
    ),
    "actions-run-without-a-recorded-decision": (
        "DISC-13.1",
        MACHINE + "only_allowed_actions_are_performed_and_each_has_its_decision",
        _act_without_decision,
    ),
    "a-package-cannot-be-fetched": (
        "DISC-14",
        SESSION + "a_run_is_planned_started_reported_and_fetched",
        lambda: _rows_without("uiap.discovery.package.get"),
    ),
    "every-record-is-a-route": (
        "DISC-15.1",
        MACHINE + "routes_with_parameters_are_one_route_and_one_visit",
        lambda: _replace(naming, "route_key", lambda route: route.path),
    ),
    "only-forms-are-scopes": (
        "DISC-15.2",
        PACKAGE + "scopes_and_elements_are_derived_with_their_routes",
        _only_forms,
    ),
    "messages-are-no-elements": (
        "DISC-15.3",
        PACKAGE + "interactive_elements_parameter_sources_and_messages_are_catalogued_and_plain_text_is_not",
        lambda: _replace(findings, "_SIGNAL_ROLES", frozenset()),
    ),
    "sensitive-flows-are-not-reviewed": (
        "DISC-16",
        REVIEW + "a_flow_near_security_or_billing",
        lambda: _replace(review, "_sensitive_elements", lambda _elements: iter(())),
    ),
    "equal-pages-have-different-bytes": (
        "DISC-17.1",
        "tests/discovery/knowledge/test_canonical.py::test_the_same_state_gives_the_same_bytes_every_time",
        _keep_revisions,
    ),
    "any-origin-is-allowed": (
        "DISC-SEC.1",
        MACHINE + "seeds_outside_the_allowed_origins_are_rejected_with_a_reason",
        lambda: _replace(AllowedOrigins, "refusal", lambda *_: None),
    ),
    "findings-count-as-reviewed": (
        "DISC-SEC.4",
        PACKAGE + "a_package_requires_a_review",
        lambda: _replace(actions, "_review_state", lambda _decision: "verified"),
    ),
}
DISCOVERY_BREAKERS |= PACKAGE_BREAKERS | LIVE_PAGE_BREAKERS
