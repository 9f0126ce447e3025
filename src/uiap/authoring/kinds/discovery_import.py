"""DiscoveryImport: the findings of a discovery run that a package imports, and the import modes."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.kind import FactCollector, ManifestKind, numbered
from uiap.authoring.paths import path_fault


def _inspect(spec: dict[str, Any], facts: FactCollector) -> None:
    source = spec["source"]
    if not source.get("ref") and not source.get("runId"):
        facts.lint(
            "error", "no_discovery_source", ("source",), "name a `ref` (a file of the package) or a `runId`"
        )
    if source.get("ref"):
        fault = path_fault(source["ref"])
        if fault is not None:
            facts.lint("error", "bad_path", ("source", "ref"), f"`{source['ref']}` cannot be read: {fault}")
    if not spec["accept"]:
        facts.lint("warning", "accepts_nothing", ("accept",), "without an accept rule nothing is imported")
    for index, rule in numbered(spec, "accept"):
        if rule["kind"] == "reviewItem" and rule.get("mode", "copy") != "link":
            facts.lint("warning", "review_item_mode", ("accept", index), "a review item can only be linked")


KIND = ManifestKind("DiscoveryImport", _inspect)
