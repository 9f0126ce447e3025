"""WorkflowCatalog: versioned workflows. Their inner logic is judged by the rules of companions §7.5."""

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
from uiap.authoring.workflows.rules import rule_violations


def _inspect(spec: dict[str, Any], notes: FactCollector) -> None:
    for index, workflow in numbered(spec, "workflows"):
        definition = workflow["definition"]
        where = ("workflows", index, "definition")
        try:
            parse_version(definition["version"])
        except BadVersion as error:
            notes.lint("error", "bad_version", (*where, "version"), str(error))
        for at, id in numbered(definition, "routeIds"):
            notes.refer("route", id, *where, "routeIds", at)
        signal_references(notes, definition.get("success"), *where, "success")
        for at, step in numbered(definition, "steps"):
            _step(step, (*where, "steps", at), notes)
        for finding in rule_violations(definition):
            notes.lint(finding.severity, finding.code, (*where, *finding.path), finding.message)


def _step(step: dict[str, Any], where: tuple[str | int, ...], notes: FactCollector) -> None:
    # §7.5: an unknown action is a warning here and an error when a runtime loads the workflow.
    notes.refer("action", step.get("actionId"), *where, "actionId", severity="warning")
    target_reference(notes, step.get("target"), *where, "target")
    signal_references(notes, step.get("signals"), *where, "signals")


KIND = ManifestKind("WorkflowCatalog", _inspect, (Section("workflows", ("definition", "id")),))
