"""Capabilities: a capability document kept by hand. Its actions are judged as those of Actions are."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.actions import lint_descriptor
from uiap.authoring.kinds.kind import FactCollector, ManifestKind, numbered


def _inspect(spec: dict[str, Any], notes: FactCollector) -> None:
    ids: set[str] = set()
    for index, action in numbered(spec["document"], "actions"):
        where = ("document", "actions", index)
        if action["id"] in ids:
            notes.lint("error", "duplicate_id", (*where, "id"), f"the action `{action['id']}` stands twice")
        ids.add(action["id"])
        lint_descriptor(action, where, notes)


KIND = ManifestKind("Capabilities", _inspect)
