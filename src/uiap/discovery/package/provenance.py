"""Small builders for the provenance of findings: evidence references, optional tuples and metadata."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET

from uiap.spec.discovery import EvidenceRef, EvidenceSource


def ref(source: EvidenceSource, id: str) -> EvidenceRef:
    return EvidenceRef(source=source, ref_id=id)


def tuple_or_unset(values: Iterable[str]) -> Any:
    return tuple(values) or UNSET


def metadata_or_unset(**members: Any) -> Any:
    return {key: value for key, value in members.items() if value is not None} or UNSET


def principal_names(groups: Iterable[dict[str, None]]) -> list[str] | None:
    return sorted({name for group in groups for name in group if name}) or None


def graph_refs(ids: Iterable[str]) -> list[EvidenceRef]:
    return [ref("dom", f"{id}.graph") for id in ids]
