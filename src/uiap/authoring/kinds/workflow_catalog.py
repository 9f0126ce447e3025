"""WorkflowCatalog: versioned workflows. `uiap.workflow.validation` checks each definition."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.kind import (
    FactCollector,
    ManifestKind,
    Section,
    numbered,
    signal_references,
    target_reference,
)
from uiap.authoring.versions import BadVersion, parse_version
from uiap.workflow.validation import rule_violations


def _inspect(spec: dict[str, Any], facts: FactCollector) -> None:
    for index, workflow in numbered(spec, "workflows"):
        definition = workflow["definition"]
        where = ("workflows", index, "definition")
        try:
            parse_version(definition["version"])
        except BadVersion as error:
            facts.lint("error", "bad_version", (*where, "version"), str(error))
        for at, id in numbered(definition, "routeIds"):
            facts.refer("route", id, *where, "routeIds", at)
        signal_references(facts, definition.get("success"), *where, "success")
        for at, step in numbered(definition, "steps"):
            _step(step, (*where, "steps", at), facts)
        for violation in rule_violations(definition):
            facts.lint(violation.severity, violation.code, (*where, *violation.path), violation.message)


def _step(step: dict[str, Any], where: tuple[str | int, ...], facts: FactCollector) -> None:
    # An unknown action is a warning here, and an error when a runtime loads the workflow.
    facts.refer("action", step.get("actionId"), *where, "actionId", severity="warning")
    target_reference(facts, step.get("target"), *where, "target")
    signal_references(facts, step.get("signals"), *where, "signals")


KIND = ManifestKind("WorkflowCatalog", _inspect, (Section("workflows", ("definition", "id")),))
