"""The findings that a person accepted in `uiap review`, as decisions of a ReviewSet: nobody decides twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from uiap.authoring.from_discovery.findings import fault_of
from uiap.authoring.from_discovery.items import CATALOGS, to_manifest_item

IMPORT_TARGETS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "route": ("bindings.routes", "copy"),
        "scope": ("bindings.routes", "copy"),
        "element": ("bindings.elements", "copy"),
        "action": ("actions.core", "copy"),
        "workflowCandidate": ("workflows.onboarding", "copy"),
        "reviewItem": ("bindings.elements", "link"),
    }
)
"""Kind of a finding to the manifest of a new package that imports it, and the mode of the import."""
_REVIEWED = ("element", "action", "workflowCandidate")


def accepted_by(discovery: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Yield a decision for each finding that a person accepted and that the package can import."""
    if discovery is None:
        return
    given = {
        one["refId"]: one["inline"]
        for one in (discovery.get("evidenceIndex") or {}).get("items") or ()
        if one["source"] == "manual_review" and (one.get("inline") or {}).get("verdict") == "accept"
    }
    for kind in _REVIEWED:
        catalog, section, _ = CATALOGS[kind]
        for found in (discovery.get(catalog) or {}).get(section) or ():
            refs = [one["refId"] for one in found.get("discoveredBy") or () if one["refId"] in given]
            item = to_manifest_item(kind, found)
            if refs and fault_of(kind, found, item) is None:
                yield _decision(IMPORT_TARGETS[kind][0], item, given[refs[-1]])


def _decision(manifest: str, item: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    id = item["definition"]["id"] if "definition" in item else item["id"]
    return {
        "target": {"manifestId": manifest, "itemId": id},
        "state": "approved",
        "by": given["by"],
        "at": given["at"].replace("+00:00", "Z"),
        "comment": "accepted in uiap review",
    }
