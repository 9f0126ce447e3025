"""Validation of arguments against the descriptor of the action, before anything else happens (ACT-SEC.1)."""

from __future__ import annotations

from typing import Any

from uiap.actions.primitive import Primitive
from uiap.spec.capability import ActionArgDescriptor

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "enum": (str,),
    "object": (dict,),
    "array": (list, tuple),
}


def argument_faults(primitive: Primitive, args: dict[str, Any]) -> list[str]:
    """Return every fault in words. An unknown argument is a fault too: it may be a typing mistake."""
    known = {descriptor.name: descriptor for descriptor in primitive.args}
    found = [f"`{name}` is not an argument of {primitive.id}" for name in args if name not in known]
    found += [f"`{d.name}` is missing" for d in primitive.args if d.required is True and d.name not in args]
    found += [
        fault
        for name, value in args.items()
        if name in known and (fault := _fault(known[name], value, name in primitive.number_or_text))
    ]
    return found


def _fault(descriptor: ActionArgDescriptor, value: Any, either: bool = False) -> str | None:
    if either and isinstance(value, str | int | float) and not isinstance(value, bool):
        return None
    if descriptor.type == "string" and isinstance(value, dict) and set(value) == {"secret"}:
        return None  # a named secret; the driver resolves it when it types
    if not isinstance(value, _TYPES[descriptor.type]) or (
        descriptor.type == "number" and isinstance(value, bool)
    ):
        return f"`{descriptor.name}` must be a {descriptor.type}"
    if descriptor.type == "enum" and isinstance(descriptor.enum, tuple) and value not in descriptor.enum:
        return f"`{descriptor.name}` must be one of {', '.join(descriptor.enum)}"
    return None
