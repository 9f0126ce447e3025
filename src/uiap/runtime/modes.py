"""How an action is carried out: the first mode that the action, the driver and the caller have in common."""

from __future__ import annotations

import msgspec

from uiap.actions.primitive import Primitive
from uiap.spec.capability import ExecutionMode


class Abilities(msgspec.Struct, frozen=True, kw_only=True):
    """What the driver said it can do, as far as the runtime cares."""

    modes: tuple[ExecutionMode, ...]
    trusted_input: bool = False
    attribution: str = "time"
    atomic: str = "reread"


class Choice(msgspec.Struct, frozen=True):
    mode: ExecutionMode | None
    reasons: tuple[str, ...]


def choose(
    primitive: Primitive,
    abilities: Abilities,
    preferred: tuple[ExecutionMode, ...] | None,
    without: tuple[ExecutionMode, ...] = (),
) -> Choice:
    """Chosen before dispatch, once (HOUSE §3). `preferred` restricts and orders; it never adds."""
    reasons = []
    for mode in preferred or primitive.modes:
        if mode not in primitive.modes:
            reasons.append(f"{mode}: not a way to do {primitive.id}")
        elif mode in without:
            reasons.append(f"{mode}: tried, and it did not do it")
        elif mode not in abilities.modes:
            reasons.append(f"{mode}: the driver does not offer it")
        else:
            return Choice(
                mode, (*reasons, f"{mode}: {'asked for' if preferred else 'first that is offered'}")
            )
    return Choice(None, tuple(reasons))
