"""Signals and targets as a model writes them, as the protocol has them. A wrong one is answered with what would fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from uiap.api.signals import target
from uiap.errors import InvalidPayload
from uiap.spec.capability import SuccessSignal

_SIGNAL: Any = SuccessSignal
_TARGET = ("ref", "role", "name", "scope")


def signals(given: list[Mapping[str, Any]]) -> list[Any]:
    """The success signals meant; raises InvalidPayload for what is none."""
    return [_signal(number, one) for number, one in enumerate(given, 1)]


def _signal(number: int, given: Mapping[str, Any]) -> Any:
    plain = {name: value for name, value in given.items() if name not in _TARGET}
    which = {name: value for name, value in given.items() if name in _TARGET and value}
    if which and "target" not in plain and plain.get("kind") != "validation.none":
        try:
            plain["target"] = msgspec.to_builtins(target(**which))
        except TypeError:
            raise InvalidPayload(f"signal {number} names no element; give it ref, or role and name") from None
    elif "scope" in which:
        plain["scope"] = which["scope"]
    try:
        return msgspec.convert(plain, _SIGNAL)
    except msgspec.ValidationError as error:
        raise InvalidPayload(f"signal {number} does not fit: {str(error).lower()}") from None
