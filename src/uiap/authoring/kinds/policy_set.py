"""PolicySet: policy documents, each with its contexts. The `policy` package evaluates them."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.kind import FactCollector, ManifestKind, Section, numbered


def _inspect(spec: dict[str, Any], facts: FactCollector) -> None:
    for index, policy in numbered(spec, "policies"):
        for section in ("rules", "redaction"):
            seen: set[str] = set()
            for at, rule in numbered(policy["document"], section):
                if rule["id"] in seen:
                    where = ("policies", index, "document", section, at, "id")
                    facts.lint("error", "duplicate_id", where, f"the rule `{rule['id']}` occurs twice")
                seen.add(rule["id"])


KIND = ManifestKind("PolicySet", _inspect, (Section("policies"),))
