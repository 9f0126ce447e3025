"""Facts of an action that a run depends on: whether it may be repeated, and whether it needs the grant `act`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from uiap.actions.primitive import Primitive
from uiap.actions.registry import ACTIONS
from uiap.spec.capability import ActionDescriptor, SuccessSignal
from uiap.spec.policy import SIDE_EFFECT_RULES


class ActionTraits(NamedTuple):
    idempotent: bool
    needs_act: bool
    """In assist mode a person confirms it."""
    success: tuple[SuccessSignal, ...] = ()


def action_traits(
    action_id: str, args: Mapping[str, Any], actions: tuple[ActionDescriptor, ...]
) -> ActionTraits:
    """Return the facts of an action. An action that is not known must not be repeated and needs a person."""
    primitive = ACTIONS.get(action_id)
    if primitive is not None and action_id != "app.invoke":
        return _primitive_traits(primitive, dict(args))
    for one in actions:
        if one.id == action_id:
            return ActionTraits(one.idempotency == "idempotent", True, one.success or ())
    return ActionTraits(idempotent=False, needs_act=True)


def _primitive_traits(primitive: Primitive, args: dict[str, Any]) -> ActionTraits:
    try:
        idempotent = primitive.idempotency(args) == "idempotent"
        grants = SIDE_EFFECT_RULES[primitive.effect(None, args)].grants
    except ValueError:  # bad arguments: the Action Runtime refuses them with its own message
        return ActionTraits(idempotent=False, needs_act=True)
    return ActionTraits(idempotent, "act" in grants)
