"""No text that names a member twice gets through the fast reading, however it is spelled."""

from __future__ import annotations

import json
import random
from typing import Any, get_args

import msgspec
import pytest

from tests.support.conversation import envelope
from uiap.protocol import codec
from uiap.protocol.refusal import Refusal
from uiap.spec.messages import MESSAGES

VERSIONS = ("0.1",)
_class = type
REQUEST = envelope(
    "action.request",
    {
        "actionId": "ui.activate",
        "target": {"ref": {"by": "stableId", "value": "a:b"}, "expectedName": 'say ":"'},
        "verification": {"signals": [{"kind": "toast.contains", "text": "x"}]},
        "args": {"a": {"b": [1, {"c": ":"}]}, "d": "\u2028"},
    },
)


def refusal(text: str) -> Refusal | None:
    inbound = codec.read_envelope(text, VERSIONS)
    if isinstance(inbound, Refusal):
        return inbound
    payload = codec.read_payload(inbound, MESSAGES[inbound.type].payload)
    return payload if isinstance(payload, Refusal) else None


def spelled(value: Any, rng: random.Random, repeat: list[int]) -> str:
    """JSON with whitespace and escapes at will; the object whose turn it is names a member twice."""

    def gap() -> str:
        return rng.choice(("", "", " ", "\n\t"))

    def word(text: str) -> str:
        said = json.dumps(text, ensure_ascii=rng.random() < 0.5)
        return said.replace(":", "\\u003a") if rng.random() < 0.3 else said

    if isinstance(value, dict):
        members = list(value.items())
        repeat[0] -= 1
        if repeat[0] == 0 and members:
            members.insert(rng.randrange(len(members) + 1), rng.choice(members))
        inner = [f"{gap()}{word(k)}{gap()}:{gap()}{spelled(v, rng, repeat)}{gap()}" for k, v in members]
        return "{" + ",".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ",".join(spelled(item, rng, repeat) for item in value) + "]"
    return word(value) if isinstance(value, str) else json.dumps(value)


@pytest.mark.parametrize("turn", range(1, 9))
def test_a_member_named_twice_is_refused_in_every_object_and_every_spelling(turn: int):
    rng = random.Random(turn)
    for _ in range(150):
        refused = refusal(spelled(REQUEST, rng, [turn]))
        assert refused is not None and refused.code in ("invalid_envelope", "invalid_payload")
        assert refusal(spelled(REQUEST, rng, [-1])) is None


def test_a_repeat_hidden_behind_an_escaped_colon_is_found():
    text = msgspec.json.encode(envelope("session.ping", {"nonce": "a:b"})).decode()
    assert refusal(text) is None
    hidden = text.replace('"nonce":"a:b"', '"nonce":"x","nonce":"a\\u003ab"')
    assert refusal(hidden) is not None


@pytest.mark.parametrize(
    "shape", ["[" * 250 + "]" * 250, '{"k":' * 250 + "1" + "}" * 250, '[{"k":' * 120 + "1" + "}]" * 120]
)
def test_what_nests_too_deeply_is_refused_where_anything_is_allowed(shape: str):
    text = msgspec.json.encode(envelope("action.request", {"actionId": "a.b", "args": {"x": "@"}})).decode()
    refused = refusal(text.replace('"@"', shape))
    assert refused is not None and refused.announce


def test_what_is_decoded_never_gains_a_member_of_its_own():
    """The proof counts members: a default that is written out again could stand in for one that was dropped."""
    for row in MESSAGES.values():
        for field in fields_of(row.payload, set()):
            assert field.default in (msgspec.UNSET, msgspec.NODEFAULT), (row.type, field)
            assert field.default_factory is msgspec.NODEFAULT, (row.type, field)


def fields_of(type: Any, seen: set[Any]) -> list[Any]:
    if type in seen or not (isinstance(type, _class) and issubclass(type, msgspec.Struct)):
        return []
    seen.add(type)
    found = list(msgspec.structs.fields(type))
    for field in list(found):
        for part in parts_of(field.type):
            found += fields_of(part, seen)
    return found


def parts_of(kind: Any) -> list[Any]:
    return [kind, *(part for inner in get_args(kind) for part in parts_of(inner))]
