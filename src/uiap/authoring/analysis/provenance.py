"""Provenance records of each item of a bundle (AUTH-10)."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from uiap.authoring.build import Built
from uiap.authoring.manifest import Manifest
from uiap.spec.authoring import ProvenanceRecord, ProvenanceSource

_SOURCES: dict[str, ProvenanceSource] = {"generated": "generated", "imported": "import"}


def provenance(built: Built) -> dict[str, tuple[ProvenanceRecord, ...]]:
    """Map `section/id` to its records: the manifest or import, then discovery and overlays in their order."""
    if built.content is None:
        return {}
    current = {manifest.id: manifest for manifest in built.manifests}
    return {
        f"{section}/{id}": tuple(
            dict.fromkeys(
                record
                for origin in item.origins
                for record in _records(current[origin.id], section, id, current)
            )
        )
        for section, items in built.content.items.items()
        for id, item in items.items()
    }


def _records(
    manifest: Manifest, section: str, id: str, all: dict[str, Manifest]
) -> Iterator[ProvenanceRecord]:
    origin = manifest.origin
    changes = [t for t in manifest.changes if not t.item_id or (t.section, t.item_id) == (section, id)]
    copied = any(t.by == "discovery" and t.op == "copy" for t in changes)
    if origin.imported:
        yield ProvenanceRecord(source="import", ref=f"{origin.package_id}@{origin.version}", note=manifest.id)
    elif not copied:
        source = _SOURCES.get(manifest.metadata.get("source", "manual"), "manual")
        yield ProvenanceRecord(source=source, ref=manifest.file, note=manifest.id)
    for change in changes:
        if change.by == "discovery":
            yield ProvenanceRecord(
                source="discovery", ref=change.run, note=f"{change.op} by {change.manifest_id}"
            )
        else:
            changer = all[change.manifest_id]
            kind: ProvenanceSource = "runtime-trace" if _is_from_trace(changer) else "manual"
            yield ProvenanceRecord(source=kind, ref=change.file, note=f"{change.op} by {change.manifest_id}")
    yield from _file_records(manifest)


def _file_records(manifest: Manifest) -> Iterator[ProvenanceRecord]:
    """Yield the provenance records in the file itself."""
    records = (manifest.source.get("status") or {}).get("provenance") or ()
    yield from msgspec.convert(records, tuple[ProvenanceRecord, ...])


def _is_from_trace(manifest: Manifest) -> bool:
    records = (manifest.source.get("status") or {}).get("provenance") or ()
    return any(record["source"] == "runtime-trace" for record in records)
