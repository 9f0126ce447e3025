"""Step 4: what a package takes over from a discovery run, by explicit rules alone (AUTH-5.10).

copy: the finding becomes content that counts as generated. promote: it becomes authored content; what a person
wrote wins. link: nothing is added, the run is evidence. What no rule accepts stays outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from uiap.authoring.diagnostic import Problems
from uiap.authoring.documents.document import inspect
from uiap.authoring.documents.source import read_discovery
from uiap.authoring.from_discovery.items import CATALOGS, to_manifest_item
from uiap.authoring.kinds import KINDS
from uiap.authoring.manifest import Manifest, ManifestChange, Package
from uiap.spec.authoring import DiscoveryAcceptanceRule, DiscoveryImportManifest
from uiap.spec.capability import RISK_LEVELS
from uiap.spec.discovery import DiscoveryPackage

SECTIONS = {
    "route": ("Bindings", "routes"),
    "scope": ("Bindings", "scopes"),
    "element": ("Bindings", "elements"),
    "action": ("Actions", "actions"),
    "workflowCandidate": ("WorkflowCatalog", "workflows"),
}


class DiscoverySource(NamedTuple):
    """One DiscoveryImport with its findings."""

    manifest: Manifest
    spec: DiscoveryImportManifest
    package: dict[str, Any]

    @property
    def run(self) -> str:
        return str(self.package["run"]["runId"])

    def found(self, kind: str) -> dict[str, dict[str, Any]]:
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
    """The manifests with what their DiscoveryImports accept."""
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
) -> DiscoverySource | None:
    spec = msgspec.convert(manifest.spec, DiscoveryImportManifest)
    ref, run = spec.source.ref, spec.source.run_id
    content = files.get(ref) if ref is not UNSET else runs.get(run) if run is not UNSET else None
    if content is None:
        name = ref if ref is not UNSET else run
        message = f"the discovery package `{name}` is not at hand"
        problems.error(
            "discovery_missing", message, manifest.file, "/spec/source", "put it into the package folder"
        )
        return None
    got = read_discovery(str(ref if ref is not UNSET else run), content)
    problems.add(got.faults)
    if got.faults:
        return None
    try:
        msgspec.convert(got.value, DiscoveryPackage)
    except msgspec.ValidationError as error:
        problems.error(
            "discovery_invalid", f"not a discovery package: {error}", manifest.file, "/spec/source"
        )
        return None
    if run is not UNSET and got.value["run"]["runId"] != run:
        message = f"the package is of run `{got.value['run']['runId']}`, not `{run}`"
        problems.error("discovery_run", message, manifest.file, "/spec/source/runId")
        return None
    return DiscoverySource(manifest, spec, got.value)


def _accept(
    source: DiscoverySource,
    rule: DiscoveryAcceptanceRule,
    pointer: str,
    by_id: dict[str, Manifest],
    problems: Problems,
) -> None:
    found, file = source.found(rule.kind), source.manifest.file
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
    shelf = _SectionEditor(target, section)
    for id in found if rule.ids is UNSET else rule.ids:
        if id not in found:
            problems.error(
                "discovery_missing", f"the run found no {rule.kind} `{id}`", file, f"{pointer}/ids"
            )
        elif source.rejected(rule.kind, id):
            problems.info("discovery_rejected", f"{rule.kind} `{id}` is rejected by rule", file, pointer)
        else:
            mode = "copy" if rule.mode is UNSET else rule.mode
            _accept_item(shelf, to_manifest_item(rule.kind, found[id]), mode, source, pointer, problems)
    by_id[target.id] = shelf.manifest()


class _SectionEditor:
    """One section of a manifest while findings are put into it."""

    def __init__(self, target: Manifest, section: str) -> None:
        place = KINDS[target.kind].section(section)
        assert place is not None
        self.target, self.place = target, place
        self.items: list[dict[str, Any]] = list(target.spec.get(section) or ())
        self.at = {place.id_of(item): index for index, item in enumerate(self.items)}
        self.changes: list[ManifestChange] = []

    def put(self, id: str, item: dict[str, Any]) -> None:
        if id in self.at:
            self.items[self.at[id]] = item
        else:
            self.at[id] = len(self.items)
            self.items.append(item)

    def manifest(self) -> Manifest:
        document = {**self.target.document, "spec": {**self.target.spec, self.place.name: self.items}}
        changes = (*self.target.changes, *self.changes)
        return self.target._replace(document=document, facts=inspect(document), changes=changes)


def _accept_item(
    shelf: _SectionEditor,
    item: dict[str, Any],
    mode: str,
    source: DiscoverySource,
    pointer: str,
    problems: Problems,
) -> None:
    id, file = shelf.place.id_of(item), source.manifest.file
    written = shelf.items[shelf.at[id]] if id in shelf.at else None
    if written is not None:
        _flag_laxer(written, item, id, shelf.target, problems)
    if mode == "link":
        if written is None:
            problems.warning("discovery_link", f"nothing called `{id}` to link", file, pointer)
            return
    elif written is None:
        shelf.put(id, item)
    elif mode == "promote":
        shelf.put(id, _fill_in(item, written))
    else:
        message = f"`{id}` is already in `{shelf.target.id}`; what a person wrote stays"
        problems.warning("discovery_exists", message, file, pointer, "use promote or link")
        return
    shelf.changes.append(
        ManifestChange(
            "discovery", source.manifest.id, file, pointer, mode, shelf.place.name, id, run=source.run
        )
    )


def _fill_in(found: Any, written: Any) -> Any:
    """What was written wins; what is missing comes from discovery. Lists are never mixed."""
    if not (isinstance(found, dict) and isinstance(written, dict)):
        return written
    return {**found, **{key: _fill_in(found.get(key), value) for key, value in written.items()}}


def _flag_laxer(
    written: dict[str, Any], found: dict[str, Any], id: str, target: Manifest, problems: Problems
) -> None:
    # CAP-SEC.3: a declared risk laxer than what a run observed.
    levels = [(item.get("risk") or {}).get("level") for item in (written, found)]
    if all(levels) and RISK_LEVELS.index(levels[0]) < RISK_LEVELS.index(levels[1]):
        message = f"`{id}` is declared {levels[0]}, discovery saw {levels[1]}"
        problems.warning("risk_laxer_than_evidence", message, target.file, "", "raise the declared risk")


def _review_items(
    found: Mapping[str, dict[str, Any]],
    rule: DiscoveryAcceptanceRule,
    source: DiscoverySource,
    pointer: str,
    problems: Problems,
) -> None:
    for id in found if rule.ids is UNSET else rule.ids:
        if id in found and not source.rejected("reviewItem", id):
            item = found[id]
            message = f"discovery asks for review: {item['description']} (`{id}`, {item['kind']})"
            problems.warning("discovery_review", message, source.manifest.file, pointer)
