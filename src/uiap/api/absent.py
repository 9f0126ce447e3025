"""Absent members as None: the protocol's structs mark a member that was not sent as `msgspec.UNSET`.

Python callers get None instead. Only the attribute `payload` of an API object is the message as the protocol has it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
from msgspec import UNSET

T = TypeVar("T")


def none_for_absent(value: T) -> T:
    """Return a copy with None for every absent member, at any depth; `value` itself if nothing is absent."""
    return cast(T, _replaced(value, to_none=True))


def absent_for_none(value: T) -> T:
    """Undo `none_for_absent`, so that the value can be sent: None becomes absent where a member may be absent."""
    return cast(T, _replaced(value, to_none=False))


def to_builtins(value: Any) -> Any:
    """Return dicts, lists and scalars as JSON has them, without absent members."""
    return msgspec.to_builtins(absent_for_none(value))


def _replaced(value: Any, *, to_none: bool) -> Any:
    if value is UNSET:
        return None if to_none else UNSET
    if isinstance(value, msgspec.Struct):
        return _replaced_members(value, _optional_members(type(value)), to_none=to_none)
    if isinstance(value, tuple | list):
        items = [_replaced(item, to_none=to_none) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, Mapping):
        return {name: _replaced(member, to_none=to_none) for name, member in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = {
            f.name: _replaced(getattr(value, f.name), to_none=to_none) for f in dataclasses.fields(value)
        }
        return dataclasses.replace(value, **members)
    return value


def _replaced_members(value: msgspec.Struct, optional: frozenset[str], *, to_none: bool) -> msgspec.Struct:
    changes: dict[str, Any] = {}
    for name in value.__struct_fields__:
        old = getattr(value, name)
        new = UNSET if old is None and not to_none and name in optional else _replaced(old, to_none=to_none)
        if new is not old:
            changes[name] = new
    return msgspec.structs.replace(value, **changes) if changes else value


@cache
def _optional_members(kind: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(field.name for field in msgspec.structs.fields(kind) if field.default is UNSET)
