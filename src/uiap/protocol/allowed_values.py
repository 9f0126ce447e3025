"""The values that a member of a message may have, for the message about a value that is not one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

INVALID_VALUE = "Invalid enum value"


def allowed_values(payload_type: type, pointer: str) -> tuple[str, ...]:
    """Return the values of the member at a pointer, such as `/target/ref/role`; empty if it has no fixed values."""
    kinds = [inspect.type_info(payload_type)]
    for word in pointer.split("/")[1:]:
        kinds = [inner for kind in kinds for inner in _member(kind, word)]
    values = [value for kind in kinds for one in _alternatives(kind) for value in _values(one)]
    return tuple(dict.fromkeys(values))


def _alternatives(kind: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from _alternatives(one)
    else:
        yield kind


def _member(kind: inspect.Type, word: str) -> Iterator[inspect.Type]:
    for one in _alternatives(kind):
        if isinstance(one, inspect.StructType):
            yield from (field.type for field in one.fields if field.encode_name == word)
        elif isinstance(one, inspect.CollectionType | inspect.VarTupleType) and word.isdigit():
            yield one.item_type


def _values(kind: inspect.Type) -> tuple[str, ...]:
    if isinstance(kind, inspect.LiteralType):
        return tuple(map(str, kind.values))
    return ()


def with_allowed_values(expected: str, payload_type: type[msgspec.Struct], pointer: str) -> str:
    """Return the words about an invalid value, with the values that are allowed."""
    if not expected.startswith(INVALID_VALUE):
        return expected
    values: Any = allowed_values(payload_type, pointer)
    return f"{expected}; use one of {', '.join(values)}" if values else expected
