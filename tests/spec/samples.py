"""Sample values built from a type's own description, and the list of all spec types.

Knows no document text; what the documents say is compared in test_documents.
"""

import importlib
import re
from collections.abc import Iterator
from typing import Any

from msgspec import NODEFAULT, UNSET, inspect

from uiap.spec.base import Struct
from uiap.spec.text import AuthoredMessage

MODULES = (
    "text",
    "capability",
    "web",
    "action",
    "policy",
    "core",
    "tools",
    "workflow",
    "discovery",
    "authoring",
    "http",
)
ABSTRACT = {"WorkflowStepBase", "AuthoringDocument", "NodeDelta", "EnvelopeHeader"}
WORDS = ("text", "0.1", "2026-03-26T14:00:00.000Z", "session.ping", "custom", "legal")
DEPTH = 4


def spec_types() -> Iterator[type[Struct]]:
    for name in MODULES:
        module = importlib.import_module(f"uiap.spec.{name}")
        for value in vars(module).values():
            own = isinstance(value, type) and issubclass(value, Struct)
            said = own and f"{value.__module__}.".startswith(f"{module.__name__}.")
            if said and value.__name__ not in ABSTRACT:
                yield value


def described(of: type[Struct]) -> inspect.StructType:
    info = inspect.type_info(of)
    assert isinstance(info, inspect.StructType)
    return info


def required(of: type[Struct]) -> list[str]:
    """Wire names of the mandatory members; the tag of a union member is one of them."""
    info = described(of)
    return [field.encode_name for field in info.fields if field.required]


def sample(of: type[Struct], *, full: bool) -> dict[str, Any]:
    value = build(described(of), DEPTH if full else 0)
    assert isinstance(value, dict)
    return value


def build(of: inspect.Type, depth: int) -> Any:
    match of:
        case inspect.Metadata():
            return build(of.type, depth)
        case inspect.StructType():
            return members(of, depth)
        case inspect.UnionType():
            return build(max(of.types, key=lambda option: isinstance(option, inspect.StructType)), depth)
        case inspect.LiteralType():
            return of.values[0]
        case inspect.StrType():
            return next(w for w in WORDS if of.pattern is None or re.search(of.pattern, w))
        case inspect.BoolType():
            return False
        case inspect.IntType() | inspect.FloatType():
            return 1
        case inspect.VarTupleType():
            return [build(of.item_type, depth - 1)] if depth > 0 or of.min_length else []
        case inspect.TupleType():
            return [build(item, depth - 1) for item in of.item_types]
        case inspect.DictType():
            return {build(of.key_type, depth): build(of.value_type, depth - 1)} if depth > 0 else {}
        case inspect.AnyType():
            return None
    raise AssertionError(f"no sample for {of}")


def members(of: inspect.StructType, depth: int) -> dict[str, Any]:
    if of.cls is AuthoredMessage:
        return {"default": "text"}
    value: dict[str, Any] = {} if of.tag_field is None else {of.tag_field: of.tag}
    for field in of.fields:
        assert field.default in (NODEFAULT, UNSET)
        if field.required or depth > 0:
            value[field.encode_name] = build(field.type, depth - 1)
    return value
