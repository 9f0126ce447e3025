"""Step 4: import findings of a discovery run, by explicit rules only (AUTH-5.10).

copy: the finding becomes generated content. promote: it fills in authored content, whose own values win. link: the
run is recorded as evidence and nothing is added. Findings that no rule accepts are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from uiap.authoring.diagnostic import Problems
from uiap.authoring.documents.document import inspect
from uiap.authoring.documents.source import read_discovery
from uiap.authoring.from_discovery.items import CATALOGS, is_unrecognisable, to_manifest_item
from uiap.authoring.kinds import KINDS
from uiap.authoring.manifest import Manifest, ManifestChange, Package
from uiap.spec.authoring import DiscoveryAcceptanceRule, DiscoveryImportManifest
from uiap.spec.capability import RISK_LEVELS
from uiap.spec.discovery import DiscoveryPackage
from uiap.workflow.validation import rule_violations

SECTIONS = {
    "route": ("Bindings", "routes"),
    "scope": ("Bindings", "scopes"),
    "element": ("Bindings", "elements"),
    "action": ("Actions", "actions"),
    "workflowCandidate": ("WorkflowCatalog", "workflows"),
}


class ImportedRun(NamedTuple):
    """One DiscoveryImport with its findings."""

    manifest: Manifest
    spec: DiscoveryImportManifest
    package: dict[str, Any]

    @property
    def run(self) -> str:
        return str(self.package["run"]["runId"])

    def findings(self, kind: str) -> dict[str, dict[str, Any]]:
        catalog, section, ids = CATALOGS[kind]
        entries = (self.package.get(catalog) or {}).get(section) or ()
        return {next(str(e[name]) for name in ids if e.get(name)): e for e in entries}

    def rejected(self, kind: str, id: str) -> bool:
        rules = () if self.spec.reject is UNSET else self.spec.reject
        return any(rule.kind == kind and (rule.ids is UNSET or id in rule.ids) for rule in rules)


def apply_discovery(
    manifests: Sequence[Manifest],
    packages: Iterable[Package],
    runs: Mapping[str, str | bytes],
    problems: Problems,
) -> list[Manifest]:
    """Return the manifests with the findings that their DiscoveryImports accept."""
    by_id = {manifest.id: manifest for manifest in manifests}
    files = {package.origin: package.files for package in packages}
    for manifest in manifests:
        if manifest.kind != "DiscoveryImport":
            continue
        source = _source(manifest, files.get(manifest.origin, {}), runs, problems)
        if source is not None:
            for index, rule in enumerate(source.spec.accept):
                _accept(source, rule, f"/spec/accept/{index}", by_id, problems)
    return [by_id[manifest.id] for manifest in manifests]


def _source(
    manifest: Manifest, files: Mapping[str, str | bytes], runs: Mapping[str, str | bytes], problems: Problems
) -> ImportedRun | None:
    spec = msgspec.convert(manifest.spec, DiscoveryImportManifest)
    ref, run = spec.source.ref, spec.source.run_id
    content = files.get(ref) if ref is not UNSET else runs.get(run) if run is not UNSET else None
    if content is None:
        name = ref if ref is not UNSET else run
        message = f"the discovery package `{name}` is not available"
        problems.error(
            "discovery_missing", message, manifest.file, "/spec/source", "put it into the package folder"
        )
        return None
    parsed = read_discovery(str(ref if ref is not UNSET else run), content)
    problems.add(parsed.faults)
    if parsed.faults:
        return None
    try:
        msgspec.convert(parsed.value, DiscoveryPackage)
    except msgspec.ValidationError as error:
        problems.error(
            "discovery_invalid", f"not a discovery package: {error}", manifest.file, "/spec/source"
        )
        return None
    if run is not UNSET and parsed.value["run"]["runId"] != run:
        message = f"the discovery package is from run `{parsed.value['run']['runId']}`, not `{run}`"
        problems.error("discovery_run", message, manifest.file, "/spec/source/runId")
        return None
    return ImportedRun(manifest, spec, parsed.value)


def _accept(
    source: ImportedRun,
    rule: DiscoveryAcceptanceRule,
    pointer: str,
    by_id: dict[str, Manifest],
    problems: Problems,
) -> None:
    found, file = source.findings(rule.kind), source.manifest.file
    if rule.kind == "reviewItem":
        _review_items(found, rule, source, pointer, problems)
        return
    alias = source.manifest.origin.alias
    target = by_id.get(f"{alias}:{rule.target_manifest_id}" if alias else rule.target_manifest_id)
    kind, section = SECTIONS[rule.kind]
    if target is None and problems.is_unreadable(rule.target_manifest_id):
        return
    if target is None or target.kind != kind:
        message = f"`{rule.target_manifest_id}` is not a {kind} manifest of this package"
        problems.error("discovery_target", message, file, f"{pointer}/targetManifestId")
        return
    editor = _SectionEditor(target, section)
    for id in found if rule.ids is UNSET else rule.ids:
        if id not in found:
            problems.error(
                "discovery_missing", f"the run found no {rule.kind} `{id}`", file, f"{pointer}/ids"
            )
        elif source.rejected(rule.kind, id):
            problems.info("discovery_rejected", f"{rule.kind} `{id}` is rejected by rule", file, pointer)
        else:
            mode = "copy" if rule.mode is UNSET else rule.mode
            item = to_manifest_item(rule.kind, found[id])
            if (why := fault_of(rule.kind, found[id], item)) is not None:
                # a rule for all findings leaves out what cannot be used; a named finding has to be usable
                report = problems.warning if rule.ids is UNSET else problems.error
                report("discovery_candidate", why, file, pointer, "reject it, or write it yourself")
                continue
            _accept_item(editor, item, mode, source, pointer, problems)
    by_id[target.id] = editor.manifest()


def fault_of(kind: str, found: Mapping[str, Any], item: dict[str, Any]) -> str | None:
    """Return why a finding cannot be used: an invalid workflow, or an element with nothing to recognise it by."""
    if kind == "element" and is_unrecognisable(found):
        return f"the element `{item['id']}` has no name, id or attribute to recognise it by"
    if kind != "workflowCandidate":
        return None
    violations = rule_violations(item["definition"])
    fault = next((one.message for one in violations if one.severity == "error"), None)
    return None if fault is None else f"the candidate `{found['id']}` is no valid workflow: {fault}"


class _SectionEditor:
    """Adds findings to one section of a manifest."""

    def __init__(self, target: Manifest, section_name: str) -> None:
        section = KINDS[target.kind].section(section_name)
        assert section is not None
        self.target, self.section = target, section
        self.items: list[dict[str, Any]] = list(target.spec.get(section_name) or ())
        self.index_by_id = {section.id_of(item): index for index, item in enumerate(self.items)}
        self.changes: list[ManifestChange] = []

    def put(self, id: str, item: dict[str, Any]) -> None:
        if id in self.index_by_id:
            self.items[self.index_by_id[id]] = item
        else:
            self.index_by_id[id] = len(self.items)
            self.items.append(item)

    def manifest(self) -> Manifest:
        document = {**self.target.document, "spec": {**self.target.spec, self.section.name: self.items}}
        changes = (*self.target.changes, *self.changes)
        return self.target._replace(document=document, facts=inspect(document), changes=changes)


def _accept_item(
    editor: _SectionEditor,
    item: dict[str, Any],
    mode: str,
    source: ImportedRun,
    pointer: str,
    problems: Problems,
) -> None:
    id, file = editor.section.id_of(item), source.manifest.file
    authored = editor.items[editor.index_by_id[id]] if id in editor.index_by_id else None
    if authored is not None:
        _warn_of_lower_risk(authored, item, id, editor.target, problems)
    if mode == "link":
        if authored is None:
            problems.warning("discovery_link", f"there is no `{id}` to link", file, pointer)
            return
    elif authored is None:
        editor.put(id, item)
    elif mode == "promote":
        editor.put(id, _fill_in(item, authored))
    else:
        message = f"`{id}` is already in `{editor.target.id}`; the authored item is kept"
        problems.warning("discovery_exists", message, file, pointer, "use promote or link")
        return
    editor.changes.append(
        ManifestChange(
            "discovery", source.manifest.id, file, pointer, mode, editor.section.name, id, run=source.run
        )
    )


def _fill_in(found: Any, authored: Any) -> Any:
    """Return the authored value with missing members from discovery. Lists are never mixed."""
    if not (isinstance(found, dict) and isinstance(authored, dict)):
        return authored
    return {**found, **{key: _fill_in(found.get(key), value) for key, value in authored.items()}}


def _warn_of_lower_risk(
    authored: dict[str, Any], found: dict[str, Any], id: str, target: Manifest, problems: Problems
) -> None:
    # CAP-SEC.3: a declared risk must not be lower than the observed one.
    levels = [(item.get("risk") or {}).get("level") for item in (authored, found)]
    if all(levels) and RISK_LEVELS.index(levels[0]) < RISK_LEVELS.index(levels[1]):
        message = f"`{id}` is declared {levels[0]}, discovery observed {levels[1]}"
        problems.warning("risk_laxer_than_evidence", message, target.file, "", "raise the declared risk")


def _review_items(
    found: Mapping[str, dict[str, Any]],
    rule: DiscoveryAcceptanceRule,
    source: ImportedRun,
    pointer: str,
    problems: Problems,
) -> None:
    for id in found if rule.ids is UNSET else rule.ids:
        if id in found and not source.rejected("reviewItem", id):
            item = found[id]
            message = f"discovery asks for review: {item['description']} (`{id}`, {item['kind']})"
            problems.warning("discovery_review", message, source.manifest.file, pointer)
