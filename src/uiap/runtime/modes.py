"""Choice of the execution mode: the first that the action, the driver and the caller have in common."""

from __future__ import annotations

import msgspec

from uiap.actions.primitive import Primitive
from uiap.policy.appraisal import Appraisal
from uiap.spec.capability import ExecutionMode
from uiap.spec.web import ElementNode

CRITICAL = frozenset(
    {
        "security",
        "identity",
        "billing",
        "legal",
        "privileged",
        "destructive",
        "irreversible",
        "sensitive_data",
    }
)


class Abilities(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of the driver that the machine depends on."""

    modes: tuple[ExecutionMode, ...]
    trusted_input: bool = False
    attribution: str = "time"
    atomic: str = "reread"
    read_cost_s: float = 0.0
    """The time one read of the screen takes, if the driver does not push changes; 0 if it does."""


class Choice(msgspec.Struct, frozen=True):
    mode: ExecutionMode | None
    reasons: tuple[str, ...]


def choose_mode(
    primitive: Primitive,
    abilities: Abilities,
    preferred: tuple[ExecutionMode, ...] | None,
    without: tuple[ExecutionMode, ...] = (),
    gated: str | None = None,
    *,
    modes: tuple[ExecutionMode, ...] | None = None,
    painted: bool = False,
) -> Choice:
    """Return the first mode that is possible, with the reasons against the modes before it.

    Args:
        preferred: The modes of the request. They restrict and order; they may add modes allowed on request.
        without: Modes that were tried and did not work.
        gated: The reason why synthesised input and presses on painted text are not allowed, if there is one.
        modes: The modes of the action for its target and arguments, if they differ from those of the action.
        painted: There is no element, only painted text (ACT-10.5).
    """
    reasons = []
    for mode in preferred or modes or primitive.modes:
        if mode in ("inputSynthesis", "visionAssist") and gated is not None:
            reasons.append(f"{mode}: {gated}")
        elif mode not in primitive.modes + primitive.on_request:
            reasons.append(f"{mode}: not a way to do {primitive.id}")
        elif painted and mode != "visionAssist":
            reasons.append(f"{mode}: there is no element, only paint")
        elif mode == "visionAssist" and not painted:
            reasons.append(f"{mode}: never where there is an element to act on")
        elif mode in without:
            reasons.append(f"{mode}: tried, and it did not do it")
        elif mode not in abilities.modes:
            reasons.append(f"{mode}: the driver does not offer it")
        else:
            return Choice(
                mode, (*reasons, f"{mode}: {'asked for' if preferred else 'first that is offered'}")
            )
    return Choice(None, tuple(reasons))


def script_gate(element: ElementNode | None, appraisal: Appraisal) -> str | None:
    """Return why synthetic events are not allowed for this action; None if they are (ACT-10.4)."""
    critical = sorted(appraisal.tags & CRITICAL)
    if critical or appraisal.level == "blocked":
        return f"never for what is {', '.join(critical) or 'blocked'}"
    if element is None:
        return None
    if appraisal.data_classes or element.state.sensitive is True:
        return "never for sensitive data"
    if element.role == "fileinput" or "upload" in element.affordances:
        return "the browser accepts only trusted input for a file chooser"
    return None
