"""Actions: the actions that an agent may request, and their implementations."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.kind import FactCollector, ManifestKind, Section, numbered, signal_references
from uiap.spec.capability import PRIMITIVE_ACTIONS

CORE_PREFIXES = ("ui.", "nav.", "app.", "uiap.", "x.uiap.")
# The risk level `safe` contradicts these tags (CAP-SEC.3).
SEVERE_TAGS = frozenset(
    {
        "destructive",
        "irreversible",
        "billing",
        "security",
        "identity",
        "external_effect",
        "legal",
        "privileged",
    }
)


def _inspect(spec: dict[str, Any], facts: FactCollector) -> None:
    for index, action in numbered(spec, "actions"):
        where = ("actions", index)
        lint_descriptor(action, where, facts)
        _implementation(action, where, facts)


def lint_descriptor(action: dict[str, Any], where: tuple[str | int, ...], facts: FactCollector) -> None:
    """Report faults of one action descriptor."""
    id, signals, risk = action["id"], action.get("success") or [], action["risk"]
    signal_references(facts, signals, *where, "success")
    if action["kind"] == "primitive":
        if id not in PRIMITIVE_ACTIONS and not id.startswith("x."):
            message = f"`{id}` is not a primitive action"
            facts.lint("error", "unknown_primitive", (*where, "id"), message, "kind: domain")
    else:
        _lint_domain_action(action, where, facts)
    evidence = SEVERE_TAGS.intersection(risk.get("tags") or ())
    if risk["level"] == "safe" and evidence:
        # CAP-SEC.3: the tags contradict the level.
        message = f"`{id}` is declared safe but tagged {', '.join(sorted(evidence))}"
        hint = "level: confirm or blocked"
        facts.lint("warning", "risk_laxer_than_evidence", (*where, "risk"), message, hint)


def _lint_domain_action(action: dict[str, Any], where: tuple[str | int, ...], facts: FactCollector) -> None:
    id, signals = action["id"], action.get("success") or []
    if id.startswith(CORE_PREFIXES) or "." not in id.strip("."):
        # CAP-7.2b: ids of domain actions are dot-segmented, and the prefixes of the protocol are taken.
        message = f"`{id}` is no id for an action of an application"
        hint = "use segments with dots, such as video.create"
        facts.lint("info", "action_id", (*where, "id"), message, hint)
    if not signals:
        # CAP-9.2: without a signal the effect of the action cannot be verified.
        hint = "add an observable signal, e.g. route.changed"
        facts.lint("warning", "no_success_signal", where, f"`{id}` has no success signal", hint)
    elif len(signals) == 1 and action["risk"]["level"] != "safe":
        message = f"the critical `{id}` has only one success signal"
        facts.lint("warning", "one_success_signal", where, message, "add a second, independent one")


def _implementation(action: dict[str, Any], where: tuple[str | int, ...], facts: FactCollector) -> None:
    implementation = action.get("implementation")
    if implementation is None:
        if action["kind"] == "domain":
            hint = "name an sdkHandler"
            facts.lint(
                "warning", "no_implementation", where, f"`{action['id']}` names no implementation", hint
            )
    elif implementation["kind"] != "none" and not implementation.get("ref"):
        facts.lint(
            "error", "implementation_ref", (*where, "implementation"), "an implementation needs a `ref`"
        )


KIND = ManifestKind("Actions", _inspect, (Section("actions"),))
