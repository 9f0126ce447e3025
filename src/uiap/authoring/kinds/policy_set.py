"""PolicySet: policy documents, each with the contexts it is meant for. Evaluating them is the policy room's work."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.kind import FactCollector, ManifestKind, Section, numbered


def _inspect(spec: dict[str, Any], notes: FactCollector) -> None:
    for index, policy in numbered(spec, "policies"):
        for section in ("rules", "redaction"):
            seen: set[str] = set()
            for at, rule in numbered(policy["document"], section):
                if rule["id"] in seen:
                    where = ("policies", index, "document", section, at, "id")
                    notes.lint("error", "duplicate_id", where, f"the rule `{rule['id']}` stands twice")
                seen.add(rule["id"])


KIND = ManifestKind("PolicySet", _inspect, (Section("policies"),))
