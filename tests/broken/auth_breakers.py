"""Breakers of the duties of authoring. `cap_breakers` puts them into its table."""

from __future__ import annotations

import socket
from collections.abc import Callable
from importlib import import_module
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.authoring import selector
from uiap.authoring.analysis import diff, provenance
from uiap.authoring.assembly import content, imports, merge, overlay, package
from uiap.authoring.assembly.merge import MergedItem
from uiap.authoring.bundles import bundle, derived
from uiap.authoring.checks import declared, gates, review
from uiap.authoring.checks.review import Reviews
from uiap.authoring.documents import document, locale
from uiap.authoring.from_discovery import findings, items, starter
from uiap.authoring.kinds import actions as actions_kind
from uiap.authoring.kinds import kind as kinds
from uiap.authoring.kinds import package as package_kind
from uiap.authoring.kinds.kind import FactCollector
from uiap.authoring.manifest import Manifest
from uiap.cli import authoring as cli_authoring
from uiap.spec.authoring import API_VERSION

build = import_module("uiap.authoring.build")
DUTY = "tests/authoring/test_duties.py::test_"
IMPORTS = "tests/authoring/assembly/test_imports.py::test_"
PACKAGE = "tests/authoring/assembly/test_package.py::test_"
MERGE = "tests/authoring/assembly/test_merge.py::test_"
LOCALE = "tests/authoring/documents/test_locale.py::test_"
FINDINGS = "tests/authoring/from_discovery/test_findings.py::test_"
EXAMPLE = "tests/authoring/test_example.py::test_"
DIFF = "tests/authoring/analysis/test_diff.py::test_each_change_needs_its_version_step"


def _replace(owner: Any, name: str, value: Any) -> None:
    assert hasattr(owner, name), f"{owner!r} has no `{name}`"
    setattr(owner, name, value)


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _last_wins(known: Any, item: Any, manifest: Any, *_: Any) -> Any:
    return MergedItem(item, (manifest,))


def _without_runs() -> None:
    own = findings._source

    def broken(manifest: Manifest, *rest: Any) -> Any:
        source = {key: value for key, value in manifest.spec["source"].items() if key != "runId"}
        spec = {**manifest.spec, "source": source or manifest.spec["source"]}
        return own(manifest._replace(document={**manifest.document, "spec": spec}), *rest)

    _replace(findings, "_source", broken)


def _accept_everything() -> None:
    own = findings._accept

    def broken(source: Any, rule: Any, *rest: Any) -> None:
        own(source, msgspec.structs.replace(rule, ids=UNSET), *rest)

    _replace(findings, "_accept", broken)
    _replace(findings.ImportedRun, "rejected", lambda *_: False)


def _link_is_promote() -> None:
    own = findings._accept_item

    def broken(editor: Any, item: Any, mode: str, *rest: Any) -> None:
        own(editor, item, "promote" if mode == "link" else mode, *rest)

    _replace(findings, "_accept_item", broken)


def _ignore_a_kind() -> None:
    own = findings._accept
    _replace(
        findings,
        "_accept",
        lambda source, rule, *rest: None if rule.kind == "workflowCandidate" else own(source, rule, *rest),
    )


def _overlays_before_discovery() -> None:
    discover, patch = build.apply_discovery, build.apply_overlays
    waiting: list[Any] = []

    def later(manifests: Any, *rest: Any) -> Any:
        waiting.append(rest)
        return list(manifests)

    def both(manifests: Any, *rest: Any) -> Any:
        return discover(patch(manifests, *rest), *waiting.pop())

    _replace(build, "apply_discovery", later)
    _replace(build, "apply_overlays", both)


def _unchecked_scopes() -> None:
    own = FactCollector.refer

    def refer(self: Any, kind: Any, id: Any, *path: Any, **members: Any) -> None:
        if kind != "scope":
            own(self, kind, id, *path, **members)

    _replace(FactCollector, "refer", refer)


def _one_policy() -> None:
    own = content.merge_items

    def broken(manifests: Any, kind: str, section: str, *rest: Any) -> Any:
        found = own(manifests, kind, section, *rest)
        return dict(list(found.items())[:1]) if section == "policies" else found

    _replace(content, "merge_items", broken)


def _namespaces_replace() -> None:
    own = merge._messages

    def broken(manifests: Any) -> Any:
        last = {namespace: manifest.id for manifest, namespace, _, _ in own(list(manifests))}
        return (one for one in own(list(manifests)) if last[one[1]] == one[0].id)

    _replace(merge, "_messages", broken)


def _local_index() -> None:
    own = build.generate_bundle
    _replace(
        build,
        "generate_bundle",
        lambda package, manifests, *rest: own(
            package, [m for m in manifests if not m.origin.imported], *rest
        ),
    )


def _no_digest_gate() -> None:
    own = gates._channel

    def broken(*given: Any) -> Any:
        found = own(*given)
        return found and msgspec.structs.replace(found, require_digest=UNSET)

    _replace(gates, "_channel", broken)


def _item_is_manifest() -> None:
    own = review._target_keys
    _replace(review, "_target_keys", lambda *given: [(key[0], "", "") for key in own(*given)])


def _metadata_wins() -> None:
    _replace(Reviews, "manifest_state", lambda _self, manifest: manifest.metadata.get("reviewState", "draft"))


def _bump(section: str, value: str) -> Callable[[], None]:
    own = diff._bump_of_change

    def broken(of: str, old: Any, new: Any) -> Any:
        return (
            (value, "")
            if of == section or (section == "" and own(of, old, new)[0] == "patch")
            else own(of, old, new)
        )

    return lambda: _replace(diff, "_bump_of_change", broken)


def _rejected_is_draft() -> None:
    _replace(gates, "RANK", {**gates.RANK, "rejected": 1})


def _no_hints() -> None:
    own = gates.GateSubject

    def made(
        manifest: Any, key: Any, state: Any, generated: bool, pointer: str, high_risk: bool = False
    ) -> Any:
        return own(manifest, key, state, generated, pointer)

    _replace(gates, "GateSubject", made)


def _skip_workflow_texts() -> None:
    own = locale._resolve_manifest

    def broken(manifest: Manifest, *rest: Any) -> Manifest:
        return manifest if manifest.kind == "WorkflowCatalog" else own(manifest, *rest)

    _replace(locale, "_resolve_manifest", broken)


def _no_fallback() -> None:
    own = locale._missing_text

    def broken(text: Any, *rest: Any) -> str:
        return own({"ref": text["ref"]}, *rest)

    _replace(locale, "_missing_text", broken)


def _skip_bad_patches() -> None:
    own = overlay._apply_patches

    def broken(target: Any, steps: Any, problems: Any) -> Any:
        return own(target, [], problems)

    _replace(overlay, "_apply_patches", broken)


def _call_home() -> None:
    own = cli_authoring.run_build

    def broken(*given: Any) -> Any:
        with socket.socket() as wire:
            wire.connect(("127.0.0.1", 9))
        return own(*given)

    for module in ("build", "validate"):
        _replace(import_module(f"uiap.cli.{module}"), "run_build", broken)


def _visited_paths() -> None:
    own = items._route
    items._FORMS = {**items._FORMS, "route": lambda found: own({**found, "metadata": {}})}


def _everything_manual() -> None:
    own = provenance._records

    def broken(*given: Any) -> Any:
        return (msgspec.structs.replace(one, source="manual") for one in own(*given))

    _replace(provenance, "_records", broken)


def _runs_are_not_named() -> None:
    own = findings.ManifestChange
    _replace(findings, "ManifestChange", lambda *given, **_: own(*given, run="invented"))


def _any_api_version() -> None:
    faults, check = document.kind_faults, document.normalize_and_check
    own = {"apiVersion": API_VERSION}

    def normalised(kind: str, value: Any) -> Any:
        return check(kind, {**value, **own})

    _replace(document, "kind_faults", lambda value: faults({**value, **own}))
    _replace(document, "normalize_and_check", normalised)


# requirement, test, lie
AUTH_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "reviews-are-prose": (
        "AUTH-2.4",
        DUTY + "the_review_state_of_every_item_is_read_by_a_program_with_its_decision_or_waiver",
        lambda: _replace(cli_authoring, "review_states", lambda _built: ()),
    ),
    "any-api-version-is-accepted": (
        "AUTH-3",
        PACKAGE + "another_api_version_or_kind_is_refused",
        _any_api_version,
    ),
    "one-id-for-two-manifests": (
        "AUTH-3.1",
        PACKAGE + "manifest_ids_are_unique_and_agree_with_the_package",
        lambda: _replace(package_kind, "_manifests", _nothing),
    ),
    "a-version-is-empty": (
        "AUTH-3.1b",
        DUTY + "the_review_state_of_every_item_is_read_by_a_program_with_its_decision_or_waiver",
        lambda: _replace(Manifest, "version", property(lambda self: self.metadata.get("version", ""))),
    ),
    "rejected-passes-like-draft": (
        "AUTH-3.1c",
        DUTY + "each_review_state_has_its_own_effect_on_the_gates",
        _rejected_is_draft,
    ),
    "required-is-ignored": (
        "AUTH-4.1d",
        PACKAGE + "a_missing_file_is_an_error_unless_it_is_optional",
        lambda: _replace(package, "_report_missing_file", _nothing),
    ),
    "include-is-ignored": (
        "AUTH-4.1e",
        IMPORTS + "include_filters_by_kind_and_by_id",
        lambda: _replace(imports, "_is_included", lambda *_: True),
    ),
    "a-range-is-never-compared": (
        "AUTH-4.1f",
        IMPORTS + "an_import_that_is_not_available_is_an_error",
        lambda: _replace(imports, "satisfies", lambda *_: True),
    ),
    "only-a-local-app-works": (
        "AUTH-4.1g",
        DUTY + "the_app_may_come_from_an_import_and_an_overlay",
        lambda: _replace(
            content,
            "_app",
            lambda _p, manifests, _problems: next(
                (m for m in manifests if m.kind == "App" and not m.origin.imported), None
            ),
        ),
    ),
    "an-app-declares-nothing": (
        "AUTH-5.1",
        DUTY + "a_selector_that_names_what_the_app_does_not_declare_is_reported",
        lambda: _replace(declared, "_declared", lambda *_: []),
    ),
    "a-misspelt-selector-is-silent": (
        "AUTH-5.1b",
        DUTY + "a_selector_that_names_what_the_app_does_not_declare_is_reported",
        lambda: _replace(build, "check_selectors", _nothing),
    ),
    "only-the-risk-is-compared": (
        "AUTH-5.2b",
        DUTY + "words_that_the_capabilities_lack_are_reported",
        lambda: _replace(build, "check_capabilities", _nothing),
    ),
    "a-bundle-without-capabilities": (
        "AUTH-5.2c",
        "tests/authoring/bundles/test_derived.py::test_capabilities_are_derived_from_bindings_and_actions",
        lambda: _replace(derived, "AFFORDANCES", {}),
    ),
    "a-handler-without-a-name": (
        "AUTH-5.4c",
        "tests/authoring/checks/test_references.py::test_an_implementation_without_a_ref_is_an_error",
        lambda: _replace(actions_kind, "_implementation", _nothing),
    ),
    "hints-are-never-read": (
        "AUTH-5.6c",
        DUTY + "each_review_hint_of_a_workflow_changes_what_the_gates_ask",
        _no_hints,
    ),
    "a-reference-is-left-in-a-step": (
        "AUTH-5.7b",
        LOCALE + "all_texts_are_resolved_and_similar_objects_are_not_changed",
        _skip_workflow_texts,
    ),
    "a-missing-text-is-empty": (
        "AUTH-5.7c",
        LOCALE + "a_missing_text_falls_back_or_is_reported",
        lambda: _replace(locale, "_missing_text", lambda *_: ""),
    ),
    "a-fallback-is-ignored": ("AUTH-5.7d", LOCALE + "a_missing_text_falls_back_or_is_reported", _no_fallback),
    "tenants-are-ignored": (
        "AUTH-5.8c",
        DUTY + "each_member_of_a_selector_alone_decides_whether_an_overlay_applies[tenantIds-tenant_id-t1]",
        lambda: _replace(selector, "_LISTS", [one for one in selector._LISTS if one[0] != "tenant_ids"]),
    ),
    "a-bad-patch-is-skipped": (
        "AUTH-5.8d",
        DUTY + "a_patch_that_cannot_be_applied_is_an_error",
        _skip_bad_patches,
    ),
    "an-item-approves-its-manifest": (
        "AUTH-5.9b",
        DUTY + "a_decision_covers_only_what_it_aims_at",
        _item_is_manifest,
    ),
    "metadata-beats-the-decision": (
        "AUTH-5.9c",
        DUTY + "a_rejecting_decision_is_not_undone_by_metadata_that_says_approved",
        _metadata_wins,
    ),
    "an-unnamed-finding-is-imported": (
        "AUTH-5.10b",
        FINDINGS + "ids_limit_a_rule_and_rejections_win",
        _accept_everything,
    ),
    "a-link-imports-content": (
        "AUTH-5.10c",
        FINDINGS + "link_adds_evidence_and_no_content",
        _link_is_promote,
    ),
    "candidates-are-ignored": ("AUTH-5.10d", FINDINGS + "rules_import_each_kind_of_finding", _ignore_a_kind),
    "a-pattern-becomes-a-path": (
        "AUTH-5.10e",
        DUTY + "a_discovered_route_pattern_stays_a_pattern",
        _visited_paths,
    ),
    "a-skeleton-is-copied": (
        "AUTH-5.10f",
        DUTY + "an_accepted_candidate_is_a_valid_workflow_or_is_refused_with_the_reason",
        lambda: _replace(findings, "fault_of", _nothing),
    ),
    "another-run-is-imported": (
        "AUTH-5.10g",
        FINDINGS + "a_discovery_package_in_the_folder_is_read_by_its_path",
        _without_runs,
    ),
    "a-bare-id-finds-an-import": (
        "AUTH-6b",
        DUTY + "an_imported_manifest_is_named_only_by_its_qualified_id",
        lambda: _replace(package, "_qualified_id", lambda _alias, id: id),
    ),
    "local-wins-silently": (
        "AUTH-6c",
        IMPORTS + "a_local_manifest_never_changes_imported_content_implicitly",
        lambda: _replace(merge, "_join_items", _last_wins),
    ),
    "the-steps-have-another-order": (
        "AUTH-7",
        "tests/authoring/test_build.py::test_overlays_apply_to_content_from_discovery",
        _overlays_before_discovery,
    ),
    "scopes-are-not-checked": (
        "AUTH-7b",
        DUTY + "every_kind_of_reference_that_points_nowhere_is_reported_with_its_line",
        _unchecked_scopes,
    ),
    "overlays-come-before-discovery": (
        "AUTH-7c",
        "tests/authoring/test_build.py::test_overlays_apply_to_content_from_discovery",
        _overlays_before_discovery,
    ),
    "the-second-list-replaces-the-first": (
        "AUTH-7.1b",
        MERGE + "capability_documents_are_merged",
        lambda: _replace(merge, "_unite_lists", lambda _old, new, _path: new),
    ),
    "the-later-match-wins": (
        "AUTH-7.1c",
        MERGE + "different_matchers_of_one_element_need_a_review",
        lambda: _replace(merge, "_join_items", _last_wins),
    ),
    "the-second-implementation-wins": (
        "AUTH-7.1d",
        DUTY + "incompatible_implementations_of_one_action_are_an_error",
        lambda: _replace(merge, "deep_merge", lambda _old, new, _path=(): new),
    ),
    "the-later-workflow-wins": (
        "AUTH-7.1e",
        DUTY + "one_workflow_id_with_two_structures_is_a_conflict_and_an_overlay_may_address_it",
        lambda: _replace(merge, "_join_items", _last_wins),
    ),
    "a-pack-replaces-a-namespace": (
        "AUTH-7.1f",
        LOCALE + "locale_packs_are_joined_and_different_texts_are_an_error",
        _namespaces_replace,
    ),
    "the-build-drops-a-policy": (
        "AUTH-7.1g",
        MERGE + "several_policies_are_kept_and_the_stricter_default_is_reported",
        _one_policy,
    ),
    "the-context-is-empty": (
        "AUTH-8b",
        PACKAGE + "without_a_context_the_default_channel_of_the_package_is_used",
        lambda: _replace(build, "_complete_context", lambda _package, given: given),
    ),
    "a-gate-is-never-consulted": (
        "AUTH-9b",
        DUTY + "each_member_of_a_gate_alone_can_stop_the_output",
        _no_digest_gate,
    ),
    "channel-selectors-are-never-read": (
        "AUTH-9c",
        "tests/authoring/checks/test_review.py"
        "::test_a_channel_admits_only_its_contexts_and_can_require_a_digest",
        lambda: _replace(gates, "any_matches", lambda *_: True),
    ),
    "content-has-no-source": (
        "AUTH-10",
        DUTY + "each_source_of_content_has_its_provenance",
        lambda: _replace(provenance, "_records", lambda *_: ()),
    ),
    "a-report-without-its-digest": (
        "AUTH-10b",
        DUTY + "the_build_report_has_the_warnings_and_the_digest",
        lambda: _replace(cli_authoring, "digest_in", _nothing),
    ),
    "a-run-is-invented": (
        "AUTH-10c",
        FINDINGS + "copied_content_names_its_run_as_its_only_source",
        _runs_are_not_named,
    ),
    "everything-is-manual": (
        "AUTH-10d",
        DUTY + "each_source_of_content_has_its_provenance",
        _everything_manual,
    ),
    "a-policy-change-is-a-patch": ("AUTH-11b", DIFF, _bump("policies", "patch")),
    "a-new-locale-is-a-patch": (
        "AUTH-11c",
        DUTY + "an_added_overlay_or_locale_asks_for_a_minor_step",
        lambda: _replace(diff, "_keyed_changes", lambda *_: iter(())),
    ),
    "a-corrected-text-is-minor": ("AUTH-11d", DIFF, _bump("", "minor")),
    "a-workflow-selector-is-ignored": (
        "AUTH-12b",
        MERGE + "only_content_for_the_context_is_in_the_bundle",
        lambda: _replace(content, "_selected", lambda *_: True),
    ),
    "a-digest-over-a-part": (
        "AUTH-12c",
        "tests/authoring/bundles/test_bundle.py::test_a_changed_bundle_does_not_match_its_digest",
        lambda: _replace(bundle, "content_digest", lambda data: str(len(data))),
    ),
    "the-index-lacks-imports": ("AUTH-12d", EXAMPLE + "the_example_builds_for_staging", _local_index),
    "a-kind-without-effect": (
        "AUTH-13",
        DUTY + "each_required_kind_of_one_package_has_its_effect[p-policies]",
        lambda: _no_policies(),
    ),
    "init-makes-other-folders": (
        "AUTH-14",
        "tests/cli/test_init.py::test_init_creates_the_recommended_folders_and_they_build",
        lambda: _no_starter(),
    ),
    "the-overlay-of-the-example-is-not-applied": (
        "AUTH-15",
        EXAMPLE + "once_reviewed_the_example_builds_for_prod_with_its_overlay",
        lambda: _replace(build, "apply_overlays", lambda manifests, *_: list(manifests)),
    ),
    "credentials-are-not-linted": (
        "AUTH-SEC.2",
        DUTY + "a_credential_in_a_manifest_is_linted",
        lambda: _replace(document, "text_lints", lambda _content: iter(())),
    ),
    "authoring-reaches-the-application": (
        "AUTH-SEC.3",
        DUTY + "validate_and_build_open_no_connection",
        _call_home,
    ),
    "a-build-opens-a-connection": ("AUTH-SEC.3b", DUTY + "validate_and_build_open_no_connection", _call_home),
    "signal-lists-are-never-compared": (
        "CAP-10b",
        DUTY + "words_that_the_capabilities_lack_are_reported",
        lambda: _replace(declared, "_signal_words", lambda *_: iter(())),
    ),
    "any-action-id-is-accepted": (
        "CAP-7.2b",
        DUTY + "ids_and_signals_that_stand_for_core_words_are_linted",
        lambda: _replace(actions_kind, "CORE_PREFIXES", ("none.",)),
    ),
    "a-custom-core-signal-is-silent": (
        "CAP-9e",
        DUTY + "ids_and_signals_that_stand_for_core_words_are_linted",
        lambda: _replace(kinds, "CORE_SIGNALS", frozenset()),
    ),
}


def _no_policies() -> None:
    own = content.merge_items
    _replace(
        content,
        "merge_items",
        lambda manifests, kind, section, *rest: (
            {} if section == "policies" else own(manifests, kind, section, *rest)
        ),
    )


def _no_starter() -> None:
    own = starter.starter_files

    def broken(*given: Any, **members: Any) -> Any:
        return {name.rpartition("/")[2]: text for name, text in own(*given, **members).items()}

    _replace(import_module("uiap.cli.init"), "starter_files", broken)
