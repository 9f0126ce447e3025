"""Deviating names that peers use: accepted on input, never sent.

`normalise` is called only after a strict decode failed or a name was unknown, so valid input costs nothing. It follows
the type of the value: a member of `args` or `metadata` that looks like an alias is not changed.
"""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import inspect

from uiap.spec.authoring import ElementBinding, ExtensionRange
from uiap.spec.base import Struct
from uiap.spec.capability import EXECUTION_MODES, UI_AFFORDANCES
from uiap.spec.core import (
    Envelope,
    EnvelopeHeader,
    ExtensionOffer,
    ExtensionSelection,
    SessionInitializePayload,
)
from uiap.spec.messages import MESSAGES
from uiap.spec.web import ScopeNode

EXECUTION_MODE_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "semanticDom": "semanticUi",
        "browserInput": "inputSynthesis",
        "webdriver": "externalDriver",
        "vision": "visionAssist",
    }
)
AFFORDANCE_ALIASES: Mapping[str, str] = MappingProxyType({"activatable": "activate"})
EXTENSION_ALIASES: Mapping[str, str] = MappingProxyType({"uicp.policy": "uiap.policy"})
MESSAGE_TYPE_ALIASES: Mapping[str, str] = MappingProxyType(
    {"state.snapshot": "web.state.snapshot", "state.delta": "web.state.delta"}
)
# A vocabulary is recognised by its words.
_WORDS: Mapping[frozenset[Any], Mapping[str, str]] = MappingProxyType(
    {frozenset(EXECUTION_MODES): EXECUTION_MODE_ALIASES, frozenset(UI_AFFORDANCES): AFFORDANCE_ALIASES}
)

Members: TypeAlias = dict[str, Any]


def canonical_extension(extension_id: str) -> str:
    """Return our id of an extension that a peer may spell differently."""
    return EXTENSION_ALIASES.get(extension_id, extension_id)


def canonical_type(message_type: str) -> str:
    """Return our name of a message type that a peer may spell differently."""
    for alias, extension_id in EXTENSION_ALIASES.items():
        if message_type.startswith(alias + "."):
            return extension_id + message_type.removeprefix(alias)
    return MESSAGE_TYPE_ALIASES.get(message_type, message_type)


def normalise(of: str | type[Struct], value: Any) -> Any:
    """Return `value` without aliases: plain objects for a struct, or for the payload of a message type.

    The argument is not changed. A value that is nested too deeply is returned unchanged, and the decoder refuses it.
    """
    if isinstance(of, str):
        row = MESSAGES.get(canonical_type(of))
        if row is None:
            return value
        of = row.payload
    try:
        return _walk(_described(of), value)
    except RecursionError:
        return value


@cache
def _described(of: type[Struct]) -> inspect.Type:
    return inspect.type_info(of)


def _walk(of: inspect.Type, value: Any) -> Any:
    match of, value:
        case inspect.Metadata(), _:
            return _walk(of.type, value)
        case inspect.StructType(), dict():
            return _struct(of, value)
        case inspect.LiteralType(), str():
            return _WORDS.get(frozenset(of.values), {}).get(value, value)
        case ((inspect.VarTupleType() | inspect.ListType()), (list() | tuple())):
            return [_walk(of.item_type, item) for item in value]
        case inspect.DictType(), dict():
            return {key: _walk(of.value_type, item) for key, item in value.items()}
        case inspect.UnionType(), _:
            return _union(of, value)
    return value


def _struct(of: inspect.StructType, value: Members) -> Members:
    members = _STRUCTS.get(of.cls, dict)(value)
    for field in of.fields:
        if field.encode_name in members:
            members[field.encode_name] = _walk(field.type, members[field.encode_name])
    return members


def _union(of: inspect.UnionType, value: Any) -> Any:
    for option in of.types:
        if isinstance(value, dict) and isinstance(option, inspect.StructType):
            if option.tag_field is None or value.get(option.tag_field) == option.tag:
                return _walk(option, value)
        elif isinstance(value, dict) == isinstance(option, inspect.DictType):
            value = _walk(option, value)
    return value


def _scope(value: Members) -> Members:
    members = dict(value)
    if "id" in members and "scopeId" not in members:
        members["scopeId"] = members.pop("id")
    return members


def _binding(value: Members) -> Members:
    members = dict(value)
    if isinstance(members.get("risk"), str):
        members["risk"] = {"level": members["risk"]}
    return members


def _extension(value: Members) -> Members:
    members = dict(value)
    if isinstance(members.get("id"), str):
        members["id"] = canonical_extension(members["id"])
    return members


def _initialize(value: Members) -> Members:
    offers = value.get("supportedExtensions")
    if not isinstance(offers, list) or not all(_is_offer(offer) for offer in offers):
        return dict(value)
    return {**value, "supportedExtensions": _merged([_extension(offer) for offer in offers])}


def _is_offer(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        return False
    versions = value.get("versions")
    return isinstance(versions, list) and all(isinstance(version, str) for version in versions)


def _merged(offers: list[Members]) -> list[Members]:
    """Combine two spellings of one extension into one offer: all versions, required if either is."""
    merged: dict[str, Members] = {}
    for offer in offers:
        known = merged.setdefault(offer["id"], offer)
        if known is not offer:
            required = bool(known.get("required")) or bool(offer.get("required"))
            versions = list(dict.fromkeys([*known["versions"], *offer["versions"]]))
            known.update(versions=versions, required=required)
    return list(merged.values())


def _envelope(value: Members) -> Members:
    members = dict(value)
    if isinstance(members.get("type"), str):
        members["type"] = canonical_type(members["type"])
    if members.get("kind") == "error" and members.get("type") == "error":
        members["kind"] = "response" if "correlationId" in members else "event"
    if isinstance(members.get("extensions"), dict):
        members["extensions"] = {canonical_extension(k): v for k, v in members["extensions"].items()}
    return members


_STRUCTS: Mapping[type, Callable[[Members], Members]] = MappingProxyType(
    {
        ScopeNode: _scope,
        ElementBinding: _binding,
        ExtensionOffer: _extension,
        ExtensionSelection: _extension,
        ExtensionRange: _extension,
        SessionInitializePayload: _initialize,
        Envelope: _envelope,
        EnvelopeHeader: _envelope,
    }
)
