"""Capabilities: an authored capability document. Its actions have the same rules as those of Actions."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.actions import lint_descriptor
from uiap.authoring.kinds.kind import FactCollector, ManifestKind, numbered
from uiap.spec.capability import SUCCESS_SIGNAL_KINDS


def _inspect(spec: dict[str, Any], facts: FactCollector) -> None:
    for index, kind in enumerate(spec["document"]["successSignalKinds"]):
        if kind not in SUCCESS_SIGNAL_KINDS and not kind.startswith("x."):
            where = ("document", "successSignalKinds", index)
            facts.lint(
                "warning",
                "unknown_signal_kind",
                where,
                f"`{kind}` is no kind of signal",
                "begin it with `x.`",
            )
    ids: set[str] = set()
    for index, action in numbered(spec["document"], "actions"):
        where = ("document", "actions", index)
        if action["id"] in ids:
            facts.lint("error", "duplicate_id", (*where, "id"), f"the action `{action['id']}` occurs twice")
        ids.add(action["id"])
        lint_descriptor(action, where, facts)


KIND = ManifestKind("Capabilities", _inspect)
