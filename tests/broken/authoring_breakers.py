"""Breakers of authoring, discovery and the roadmap of mobile-debug-mcp. `breakers` puts them into its table."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from uiap.authoring.analysis import diff
from uiap.authoring.assembly import content, merge, overlay, package
from uiap.authoring.bundles import signature
from uiap.authoring.checks import gates, references, review
from uiap.authoring.documents import locale
from uiap.authoring.from_discovery import findings
from uiap.authoring.kinds import actions as actions_kind
from uiap.authoring.kinds import package as package_kind
from uiap.discovery.knowledge import candidates, states
from uiap.discovery.package import catalog, compare
from uiap.discovery.package import package as discovery_package
from uiap.discovery.package import review as discovery_review
from uiap.discovery.plan import authorisation
from uiap.discovery.safety import redaction, safety
from uiap.graph import fingerprint, identity
from uiap.host.handlers import expectations
from uiap.runtime import resolve, result

build = import_module("uiap.authoring.build")  # the package has a function of this name
PACKAGE = "tests/authoring/assembly/test_package.py::test_"
IMPORTS = "tests/authoring/assembly/test_imports.py::test_"
MERGE = "tests/authoring/assembly/test_merge.py::test_"
OVERLAY = "tests/authoring/assembly/test_overlay.py::test_"
REVIEW = "tests/authoring/checks/test_review.py::test_"
REFERENCES = "tests/authoring/checks/test_references.py::test_"
FINDINGS = "tests/authoring/from_discovery/test_findings.py::test_"
DISCOVERED = "tests/discovery/package/test_package.py::test_"
SAFETY = "tests/discovery/safety/test_safety.py::test_"
CANDIDATES = "tests/discovery/knowledge/test_candidates.py::test_"


def _replace(owner: Any, name: str, value: Any) -> None:
    assert hasattr(owner, name), f"{owner!r} has no `{name}`"
    setattr(owner, name, value)


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _allow(*_: Any, **__: Any) -> Any:
    return safety.SafetyDecision("allow", "safe", "")


def _apply_overlays_backwards() -> None:
    own = overlay.apply_overlays

    def backwards(manifests: Any, *rest: Any) -> Any:
        return own([*reversed(manifests)], *rest)

    _replace(build, "apply_overlays", backwards)


# requirement, test, lie
AUTHORING_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "two-apps-are-one": (
        "AUTH-4.1a",
        IMPORTS + "an_app_may_come_from_an_import_but_only_one",
        lambda: _replace(
            content, "_app", lambda _p, manifests, _problems: next(m for m in manifests if m.kind == "App")
        ),
    ),
    "imported-ids-have-no-alias": (
        "AUTH-4.1b",
        IMPORTS + "ids_of_imported_manifests_have_their_alias_and_never_collide_with_local_ids",
        lambda: _replace(package, "_qualified_id", lambda _alias, id: id),
    ),
    "every-range-fits": (
        "AUTH-4.1c",
        PACKAGE + "an_incompatible_package_is_refused",
        lambda: _replace(package, "_fits", lambda *_: True),
    ),
    "capabilities-may-be-laxer-than-actions": (
        "AUTH-5.2",
        MERGE + "capabilities_with_a_lower_risk_than_actions_are_an_error_and_stricter_ones_win",
        lambda: _replace(content, "_reconcile_risks", lambda capabilities, *_: capabilities),
    ),
    "references-are-not-resolved": (
        "AUTH-5.3",
        REFERENCES + "an_unresolved_reference_of_an_element_is_an_error",
        lambda: _replace(build, "validate_references", _nothing),
    ),
    "a-new-id-is-no-change": (
        "AUTH-5.3b",
        "tests/authoring/analysis/test_diff.py::test_each_change_needs_its_version_step",
        lambda: _replace(diff, "_renamed_ids", lambda *_: {}),
    ),
    "an-implementation-needs-no-ref": (
        "AUTH-5.4",
        REFERENCES + "an_implementation_without_a_ref_is_an_error",
        lambda: _replace(actions_kind, "_implementation", _nothing),
    ),
    "a-missing-implementation-is-fine": (
        "AUTH-5.4b",
        REFERENCES + "a_domain_action_without_implementation_is_a_warning",
        lambda: _replace(actions_kind, "_implementation", _nothing),
    ),
    "the-first-policy-wins": (
        "AUTH-5.5",
        MERGE + "several_policies_are_kept_and_the_stricter_default_is_reported",
        lambda: _replace(references, "_check_policies", _nothing),
    ),
    "generated-workflows-are-published": (
        "AUTH-5.6",
        REVIEW + "a_generated_workflow_is_refused_in_production_even_if_the_channel_does_not_require_it",
        lambda: _replace(gates, "_check", _nothing),
    ),
    "an-overlay-reinterprets-a-workflow": (
        "AUTH-5.6b",
        OVERLAY + "an_overlay_that_changes_the_meaning_of_a_workflow_needs_a_new_version",
        lambda: _replace(overlay, "_checked_result", lambda target, *_: target),
    ),
    "only-the-exact-locale-counts": (
        "AUTH-5.7",
        "tests/authoring/documents/test_locale.py"
        "::test_a_text_is_searched_from_the_exact_locale_to_shorter_ones",
        lambda: _replace(locale, "_locale_chain", lambda tag: iter((tag,))),
    ),
    "every-overlay-applies": (
        "AUTH-5.8a",
        OVERLAY + "only_overlays_the_context_selects_apply",
        lambda: _replace(overlay, "matches", lambda *_: True),
    ),
    "overlays-apply-backwards": (
        "AUTH-5.8b",
        OVERLAY + "overlays_apply_in_the_order_of_the_package",
        _apply_overlays_backwards,
    ),
    "waivers-never-count": (
        "AUTH-5.9",
        REVIEW + "a_waiver_counts_while_it_is_valid_and_where_it_is_allowed",
        lambda: _replace(review, "_read_waivers", _nothing),
    ),
    "everything-discovered-is-imported": (
        "AUTH-5.10",
        FINDINGS + "ids_limit_a_rule_and_rejections_win",
        lambda: _replace(findings.ImportedRun, "rejected", lambda *_: False),
    ),
    "an-alias-is-used-twice": (
        "AUTH-6",
        IMPORTS + "a_repeated_alias_is_refused",
        lambda: _replace(package_kind, "_imports", _nothing),
    ),
    "the-last-item-wins": (
        "AUTH-7.1",
        MERGE + "items_that_contradict_each_other_name_both_files",
        lambda: _replace(merge, "deep_merge", lambda _old, new, _path=(): new),
    ),
    "an-overridden-decision-is-silent": (
        "AUTH-7.2",
        REVIEW + "an_overridden_decision_is_reported_with_both_reviewers",
        lambda: _replace(
            review, "_record", lambda key, found, reviews, _problems: reviews.decide(key, found)
        ),
    ),
    "content-for-every-context": (
        "AUTH-8",
        MERGE + "only_content_for_the_context_is_in_the_bundle",
        lambda: _replace(content, "matches", lambda *_: True),
    ),
    "gates-are-not-checked": (
        "AUTH-9",
        REVIEW + "a_channel_admits_content_with_the_required_review_state",
        lambda: _replace(build, "check_gates", _nothing),
    ),
    "a-lenient-channel-is-silent": (
        "AUTH-9.2",
        REFERENCES + "a_lenient_production_channel_is_a_warning",
        lambda: _replace(package_kind, "_prod", _nothing),
    ),
    "generated-content-needs-no-decision": (
        "AUTH-10.2",
        REVIEW + "generated_content_without_a_decision_is_a_warning",
        lambda: _replace(review, "_check_obligations", _nothing),
    ),
    "every-step-is-large-enough": (
        "AUTH-11",
        "tests/authoring/analysis/test_diff.py::test_a_version_step_must_be_large_enough",
        lambda: _replace(diff, "required_step", lambda *_: "patch"),
    ),
    "any-signature-is-good": (
        "AUTH-12",
        "tests/authoring/bundles/test_signature.py::test_any_other_bundle_or_signature_is_refused",
        lambda: _replace(signature, "_check_signature", _nothing),
    ),
    "paths-lead-anywhere": (
        "AUTH-SEC.1",
        PACKAGE + "a_manifest_path_outside_the_package_is_refused",
        lambda: _replace(package, "path_fault", lambda _path: None),
    ),
    "an-action-needs-no-signal": (
        "CAP-9.2",
        REFERENCES + "an_action_with_too_few_success_signals_is_a_warning",
        lambda: _replace(actions_kind, "lint_descriptor", _nothing),
    ),
    # -- discovery ------------------------------------------------------------------------------------------
    "safe-explore-presses-everything": (
        "DISC-2.3",
        SAFETY + "safe_explore_allows_only_actions_that_change_no_data",
        lambda: _replace(safety, "_decide_by_side_effect", _allow),
    ),
    "candidates-have-no-order": (
        "DISC-2.4",
        CANDIDATES + "candidates_are_tried_in_the_order_of_their_rank",
        lambda: _replace(candidates, "_rank", lambda *_: 0),
    ),
    "production-needs-no-permission": (
        "DISC-2.6",
        "tests/discovery/plan/test_authorisation.py::test_any_other_host_needs_a_recorded_permission",
        lambda: _replace(authorisation, "is_test_host", lambda _host: True),
    ),
    "observe-only-acts": (
        "DISC-8.1",
        SAFETY + "observe_only_allows_no_action",
        lambda: _replace(safety, "decide", _allow),
    ),
    "annotations-lower-a-judgement": (
        "DISC-13.2",
        SAFETY + "annotations_can_only_make_a_judgement_stricter",
        lambda: _replace(safety, "_raised_by_annotations", lambda judgement, _element: judgement),
    ),
    "temporary-content-is-a-state": (
        "DISC-11.3b",
        "tests/graph/test_fingerprint.py::test_temporary_content_does_not_make_another_state",
        lambda: _replace(fingerprint, "stable_text", lambda text: text),
    ),
    "disabled-controls-are-usable": (
        "DISC-11.5b",
        CANDIDATES + "an_element_that_cannot_be_used_is_not_a_candidate",
        lambda: _replace(candidates, "_reason_unusable", lambda _element: None),
    ),
    "personal-data-is-stored": (
        "DISC-SEC.2",
        "tests/discovery/safety/test_redaction.py::test_personal_data_is_masked",
        lambda: _replace(redaction, "mask_text", lambda text: text),
    ),
    "secrets-are-stored": (
        "DISC-SEC.3",
        "tests/discovery/safety/test_redaction.py::test_a_stored_graph_contains_no_secret",
        lambda: _replace(redaction, "_redact_element", lambda element: element),
    ),
    "nothing-is-ever-changed": (
        "DISC-17.2",
        "tests/discovery/package/test_compare.py::test_findings_that_appeared_vanished_and_changed_are_listed",
        lambda: _replace(compare, "_changed_members", lambda *_: iter(())),
    ),
    "findings-without-evidence": (
        "DISC-2.2",
        DISCOVERED + "every_finding_has_evidence_in_the_index_and_a_confidence",
        lambda: _replace(discovery_package, "evidence_items", lambda *_: []),
    ),
    "an-action-without-a-signal-is-not-reviewed": (
        "DISC-15.5",
        DISCOVERED + "an_action_without_a_signal_is_a_review_item",
        lambda: _replace(discovery_review, "_actions", lambda _actions: iter(())),
    ),
    "affordances-have-no-primitives": (
        "DISC-15.4",
        DISCOVERED + "each_affordance_has_its_primitive_actions",
        lambda: _replace(catalog, "primitives", lambda _node: ()),
    ),
    "every-page-is-a-state": (
        "DISC-11.3a",
        "tests/discovery/knowledge/test_states.py"
        "::test_a_page_with_other_parameters_that_offers_nothing_new_is_the_same_state",
        lambda: _replace(states.StateIndex, "find_with_other_parameters", lambda *_: None),
    ),
    # -- mobile-debug-mcp -----------------------------------------------------------------------------------
    "words-beat-stable-ids": (
        "MDM-R2",
        "tests/graph/test_identity.py::test_meaning_and_stable_ids_beat_words_that_translation_changes",
        lambda: _replace(identity, "element_label", lambda element: element.name or ""),
    ),
    "busy-elements-are-idle": (
        "MDM-R3b",
        "tests/host/handlers/test_expectations.py::test_idle_waits_for_busy_elements",
        lambda: _replace(expectations, "shows_progress", lambda _node: False),
    ),
    "the-visible-leaf-is-pressed": (
        "MDM-R4a",
        "tests/runtime/test_resolve.py"
        "::test_the_container_that_can_be_pressed_is_preferred_over_the_leaf_that_was_named",
        lambda: _replace(resolve, "_executable", lambda _store, _target, found, _affordances: found),
    ),
    "any-confidence-is-enough": (
        "MDM-R4b",
        "tests/runtime/test_resolve.py::test_a_higher_risk_needs_a_higher_confidence",
        lambda: _replace(resolve, "SURE", dict.fromkeys(resolve.SURE, 0.0)),
    ),
    "failures-have-one-class": (
        "MDM-11",
        "tests/runtime/test_outcome.py::test_each_failure_has_its_class",
        lambda: _replace(result, "failure_class", lambda *_: "dispatch"),
    ),
    "an-update-in-place-is-no-change": (
        "MDM-R3a",
        "tests/host/handlers/test_expectations.py::test_an_update_in_place_ends_the_wait",
        lambda: _replace(expectations.ExpectationBaseline, "changed", False),
    ),
}
