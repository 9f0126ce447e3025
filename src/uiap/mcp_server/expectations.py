"""Parse the signals a model writes, with the target's members inline; report what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from uiap.api.signals import target
from uiap.errors import InvalidPayload
from uiap.signals.registry import CUSTOM_FAMILIES
from uiap.spec.capability import SuccessSignal

_SIGNAL: Any = SuccessSignal
_TARGET = ("ref", "role", "name", "scope")


def signals(given: list[Mapping[str, Any]]) -> list[Any]:
    """Return the success signals; raise InvalidPayload for the first that is not valid."""
    return [_signal(number, one) for number, one in enumerate(given, 1)]


def _signal(number: int, given: Mapping[str, Any]) -> Any:
    if given.get("kind") in CUSTOM_FAMILIES:
        payload = {name: value for name, value in given.items() if name != "kind" and value}
        given = {"kind": "custom", "name": given["kind"], **({"payload": payload} if payload else {})}
        return msgspec.convert(given, _SIGNAL)
    plain = {name: value for name, value in given.items() if name not in _TARGET}
    target_members = {name: value for name, value in given.items() if name in _TARGET and value}
    if target_members and "target" not in plain and plain.get("kind") != "validation.none":
        try:
            plain["target"] = msgspec.to_builtins(target(**target_members))
        except TypeError:
            raise InvalidPayload(f"signal {number} names no element; give it ref, or role and name") from None
    elif "scope" in target_members:
        plain["scope"] = target_members["scope"]
    try:
        return msgspec.convert(plain, _SIGNAL)
    except msgspec.ValidationError as error:
        raise InvalidPayload(f"signal {number} is not valid: {str(error).lower()}") from None
