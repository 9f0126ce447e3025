"""Breakers of the discovery package: its evidence, catalogs, review items and workflow candidates."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from tests.broken.knowledge_breakers import _replace
from uiap.discovery.knowledge import findings, knowledge
from uiap.discovery.knowledge.areas import Areas
from uiap.discovery.knowledge.findings import ElementFinding, Findings
from uiap.discovery.knowledge.transitions import RunLog
from uiap.discovery.package import (
    actions,
    catalog,
    evidence,
    goals,
    package,
    provenance,
    review,
    transition_catalog,
    workflows,
)
from uiap.discovery.package.actions import ActionCatalogBuilder
from uiap.discovery.package.catalog import Catalog
from uiap.discovery.package.workflows import WorkflowCatalogBuilder
from uiap.discovery.plan.plan import RunBounds
from uiap.discovery.safety.safety import SafetyDecision
from uiap.discovery.states import capturing, control, exploring, finishing, preparing
from uiap.spec.capability import RouteChanged

MACHINE = "tests/discovery/test_machine.py::test_"
EVIDENCE = "tests/discovery/package/test_evidence.py::test_"
REVIEW = "tests/discovery/package/test_review.py::test_"
ACTIONS = "tests/discovery/package/test_actions.py::test_"
WORKFLOWS = "tests/discovery/package/test_workflows.py::test_"


def _after(owner: Any, name: str, change: Callable[[Any], Any]) -> Callable[[], None]:
    """Return a lie that changes what a function returns."""

    def apply() -> None:
        own = getattr(owner, name)
        _replace(owner, name, lambda *args, **more: change(own(*args, **more)))

    return apply


def _without(*members: str) -> Callable[[Any], Any]:
    return lambda found: replace(found, **dict.fromkeys(members, UNSET))


def _drop_metadata(name: str) -> Callable[[Any], Any]:
    """Return a change that removes one member of the metadata."""

    def change(found: Any) -> Any:
        kept = {key: value for key, value in (found.metadata or {}).items() if key != name}
        return replace(found, metadata=kept)

    return change


def _without_why() -> None:
    for module in (catalog, actions, transition_catalog):
        own = module.metadata_or_unset
        _replace(module, "metadata_or_unset", lambda own=own, **members: own(**{**members, "why": None}))


def _first_sighting_only() -> None:
    own = Findings._add_element

    def add(self: Any, store: Any, one: Any, route: str, *rest: Any) -> None:
        if not any(found.node.stable_id == one.stable_id is not UNSET for found in self.elements):
            own(self, store, one, route, *rest)

    _replace(Findings, "_add_element", add)


def _coverage_of_findings() -> None:
    """Count elements before equal ones are merged."""
    own = package._coverage
    _replace(
        package, "_coverage", lambda run, found, items: replace(own(run, found, items), routes_discovered=99)
    )


def _role_patterns() -> None:
    own = actions.pattern_of
    _replace(
        actions,
        "pattern_of",
        lambda *args: replace(own(*args), meaning=UNSET, stable_id=UNSET, scope_id=UNSET),
    )


def _exit_repeats_entry() -> None:
    own = Catalog._route

    def route(self: Any, id: str, members: Any) -> Any:
        return replace(own(self, id, members), exit_signals=(RouteChanged(pattern=id),))

    _replace(Catalog, "_route", route)


def _aria_is_accessibility() -> None:
    own = provenance.element_refs

    def refs(one: ElementFinding, *rest: Any) -> Any:
        found = own(one, *rest)
        state = next(iter(one.states), "")
        return (
            [*found, provenance.ref("accessibility", f"{state}.ax")] if one.node.source == "aria" else found
        )

    _replace(catalog, "element_refs", refs)


def _one_reason() -> None:
    own = knowledge.decide

    def decide(*args: Any, **more: Any) -> SafetyDecision:
        found = own(*args, **more)
        return found if found.effect == "allow" else found._replace(reason="unknown_side_effect")

    _replace(knowledge, "decide", decide)


def _forms_only() -> None:
    own = WorkflowCatalogBuilder._workflow
    _replace(WorkflowCatalogBuilder, "_workflow", lambda self, one, _chain: own(self, one, ()))


def _sold_as_chain() -> None:
    own = workflows._facts
    _replace(workflows, "_facts", lambda one, _is_chain, *rest: own(one, True, *rest))


def _execute_to_learn() -> None:
    for module in (knowledge, exploring):
        _replace(module, "decide", lambda *_, **__: SafetyDecision("allow", "safe", "to learn it"))


def _init_without_registry() -> Any:
    own = Catalog.__init__
    return lambda self, found, states, log, _registered, documents: own(
        self, found, states, log, (), documents
    )


def _ignore_budget_per_route() -> None:
    own = RunBounds.of.__func__
    _replace(
        RunBounds, "of", classmethod(lambda cls, budget: dataclasses.replace(own(cls, budget), per_route=99))
    )


def _index_of_files_only() -> None:
    own = evidence.evidence_items
    _replace(package, "evidence_items", lambda states, transitions, _refs: own(states, transitions, ()))


def _every_visit_is_captured() -> None:
    own = evidence.evidence_items
    _replace(package, "evidence_items", lambda states, *rest: [*own(states, *rest), *own(states, (), ())])


def _annotated_scopes_only() -> None:
    own = Catalog.scopes
    _replace(Catalog, "scopes", lambda self: [one for one in own(self) if one.confidence == "high"])


# requirement, test, lie
PACKAGE_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "fields-have-no-meaning": (
        "DISC-11.4b",
        "tests/discovery/knowledge/test_meaning.py"
        "::test_a_field_gets_its_meaning_from_annotation_autocomplete_label_or_name",
        lambda: _replace(findings, "meaning_of", lambda _one: None),
    ),
    "an-area-that-was-not-reached-is-not-reported": (
        "DISC-5",
        REVIEW + "every_main_area_is_visited_or_reported_as_a_gap",
        lambda: _replace(Areas, "unreached", lambda *_: iter(())),
    ),
    "low-confidence-without-a-reason": (
        "DISC-5b",
        EVIDENCE + "every_entry_of_low_confidence_says_why",
        _without_why,
    ),
    "evidence-that-is-not-in-the-index": (
        "DISC-6.1",
        EVIDENCE + "every_reference_inside_a_package_resolves",
        _index_of_files_only,
    ),
    "exit-signals-repeat-the-entry": (
        "DISC-6.2",
        ACTIONS + "a_route_has_the_actions_that_led_to_it_and_the_signals_of_leaving_it",
        _exit_repeats_entry,
    ),
    "scopes-have-no-parent": (
        "DISC-6.3",
        ACTIONS + "a_scope_has_kind_routes_parent_names_and_ids_of_all_states",
        _after(Catalog, "_scope", _without("parent_scope_id")),
    ),
    "an-element-as-it-was-first-seen": (
        "DISC-6.4b",
        ACTIONS + "an_element_has_everything_under_which_it_was_seen",
        _first_sighting_only,
    ),
    "actions-have-no-prerequisites": (
        "DISC-6.5",
        ACTIONS + "prerequisites_are_the_conditions_that_held_whenever_the_action_worked",
        lambda: _replace(ActionCatalogBuilder, "_prerequisites", lambda *_: UNSET),
    ),
    "patterns-match-every-button": (
        "DISC-6.5b",
        "tests/discovery/package/test_patterns.py"
        "::test_a_pattern_selects_on_a_later_page_exactly_the_elements_of_its_action",
        _role_patterns,
    ),
    "every-action-is-a-candidate": (
        "DISC-6.5c",
        REVIEW + "the_review_state_follows_evidence_and_risk",
        lambda: _replace(actions, "_review_state", lambda _decision: "candidate"),
    ),
    "duplicate-names-are-not-reported": (
        "DISC-6.8",
        REVIEW + "each_kind_of_item_has_its_own_condition",
        lambda: _replace(Findings, "_add_duplicate_names", lambda *_: None),
    ),
    "every-item-is-as-urgent": (
        "DISC-6.8b",
        REVIEW + "the_severity_follows_the_risk_and_every_item_says_what_to_do",
        lambda: _replace(review, "severity_of", lambda _side_effect: "medium"),
    ),
    "figures-apart-from-the-catalogs": (
        "DISC-6.9",
        EVIDENCE + "the_coverage_counts_what_the_package_holds",
        _coverage_of_findings,
    ),
    "every-edge-is-certain": (
        "DISC-7",
        EVIDENCE + "the_confidence_of_a_transition_follows_from_its_repetitions",
        lambda: _replace(transition_catalog, "edge_confidence", lambda _one: "high"),
    ),
    "the-registry-is-no-evidence": (
        "DISC-7b",
        EVIDENCE + "each_source_of_evidence_is_recorded_where_it_was_used_and_only_there",
        lambda: _replace(Catalog, "__init__", _init_without_registry()),
    ),
    "an-attribute-counts-as-accessibility": (
        "DISC-7c",
        EVIDENCE + "each_source_of_evidence_is_recorded_where_it_was_used_and_only_there",
        _aria_is_accessibility,
    ),
    "repetitions-are-not-counted": (
        "DISC-7d",
        EVIDENCE + "the_confidence_of_a_transition_follows_from_its_repetitions",
        lambda: _replace(RunLog, "repeat", lambda *_: None),
    ),
    "states-of-a-route-are-not-counted": (
        "DISC-8.7",
        MACHINE + "each_budget_alone_ends_exploration_with_a_package_that_names_it",
        _ignore_budget_per_route,
    ),
    "no-package-after-a-cancel": (
        "DISC-10b",
        MACHINE + "a_run_that_ends_early_delivers_what_it_found_under_its_status",
        lambda: _replace(control, "end", lambda run, status: finishing.enter_status(run, status) or []),
    ),
    "available-profiles-are-not-recorded": (
        "DISC-11.1b",
        MACHINE + "the_seven_facts_of_the_preparation_are_recorded_before_the_first_state",
        _after(preparing, "_preparation", lambda facts: {**facts, "available": {}}),
    ),
    "states-forget-their-seed": (
        "DISC-11.2c",
        MACHINE + "each_state_says_when_it_was_found_and_from_which_seed",
        lambda: _replace(capturing, "_record_origin", lambda *_: None),
    ),
    "a-fallback-without-a-reason": (
        "DISC-11.5g",
        MACHINE + "a_control_that_only_its_behaviour_tells_is_used_with_a_recorded_reason",
        _after(transition_catalog.TransitionCatalog, "_edge", _drop_metadata("fallback")),
    ),
    "app-actions-are-only-pressed": (
        "DISC-11.5e",
        ACTIONS + "a_registered_action_that_is_safe_is_invoked_before_anything_is_pressed",
        lambda: _replace(knowledge, "registered_candidates", lambda *_: ()),
    ),
    "edges-without-arguments": (
        "DISC-11.6",
        MACHINE + "an_edge_has_source_target_action_arguments_side_effect_and_confidence",
        _after(transition_catalog.TransitionCatalog, "_edge", _without("args", "side_effect_class")),
    ),
    "a-stored-target-resolves-to-nothing": (
        "DISC-11.6b",
        MACHINE + "a_recorded_transition_can_be_done_again",
        _after(Catalog, "target", lambda target: msgspec.structs.replace(target, name="gone")),
    ),
    "a-form-is-sold-as-a-chain": (
        "DISC-11.7",
        WORKFLOWS + "a_chain_over_several_routes_is_one_candidate_with_its_routes_in_order",
        _sold_as_chain,
    ),
    "one-candidate-for-each-form": (
        "DISC-11.7b",
        WORKFLOWS + "a_chain_over_several_routes_is_one_candidate_with_its_routes_in_order",
        _forms_only,
    ),
    "navigation-without-an-address": (
        "DISC-11.7c",
        WORKFLOWS + "every_action_step_names_a_target_that_resolves_or_a_route_that_exists",
        lambda: _replace(
            workflows, "RouteRef", lambda value: workflows.SemanticRef(role="app", name="?", scope="?")
        ),
    ),
    "every-chain-is-proposed": (
        "DISC-11.7d",
        WORKFLOWS + "a_chain_that_lacks_something_is_marked_as_uncertain",
        lambda: _replace(workflows, "_lacks", lambda *_: []),
    ),
    "forms-are-the-only-source": (
        "DISC-11.7e",
        WORKFLOWS + "catalogs_chains_documents_forms_and_marked_flows_are_sources_that_a_candidate_names",
        lambda: _replace(WorkflowCatalogBuilder, "_with_texts", lambda _self, one: one),
    ),
    "every-workflow-is-a-task": (
        "DISC-11.7f",
        WORKFLOWS + "inputs_have_type_and_required_flag_and_the_category_fits_the_goal",
        lambda: _replace(goals, "_WORDS", ()),
    ),
    "a-risky-step-is-executed-to-learn-it": (
        "DISC-13.4",
        WORKFLOWS + "a_workflow_whose_risky_last_step_was_not_executed_is_marked_as_observed_only",
        _execute_to_learn,
    ),
    "a-canvas-is-not-marked": (
        "DISC-12.6",
        REVIEW + "a_boundary_that_blocks",
        _after(transition_catalog.TransitionCatalog, "_state", _drop_metadata("visionAssisted")),
    ),
    "one-reason-for-every-refusal": (
        "DISC-13.3",
        MACHINE + "each_reason_of_a_decision_is_given_by_its_own_condition",
        _one_reason,
    ),
    "actions-are-not-counted": (
        "DISC-14.3",
        MACHINE + "progress_has_seed_route_state_and_five_counters_that_grow",
        lambda: _replace(Findings, "action_count", 0),
    ),
    "registered-actions-are-left-out": (
        "DISC-15.4b",
        ACTIONS + "a_registered_action_is_in_the_catalog_with_its_arguments_and_its_risk",
        lambda: _replace(ActionCatalogBuilder, "_registered_actions", lambda _self: iter(())),
    ),
    "transitions-make-no-actions": (
        "DISC-15.4c",
        ACTIONS + "a_press_with_the_same_effect_again_is_a_candidate_action",
        lambda: _replace(ActionCatalogBuilder, "_repeated_transitions", lambda _self: iter(())),
    ),
    "every-visit-is-a-state": (
        "DISC-17.1b",
        EVIDENCE + "a_state_that_is_seen_again_adds_no_evidence",
        _every_visit_is_captured,
    ),
    "scopes-need-an-annotation": (
        "DISC-17.3",
        REVIEW + "the_minimum_scope_holds_on_an_application_without_any_annotation",
        _annotated_scopes_only,
    ),
}
