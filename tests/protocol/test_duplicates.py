"""The fast check for duplicate members never misses one that the full check finds."""

from __future__ import annotations

import json

import jiter
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uiap.protocol.duplicates import has_duplicate_member, proves_no_duplicate


class Members(list):  # type: ignore[type-arg]
    """An object as pairs, so that a member can occur twice."""


NASTY = st.sampled_from(['"', ":", '":', '\\":', " :", "\\u0022:", "a", "\\", "é", "\t:", "{", "}", ","])
TEXT = st.lists(NASTY, max_size=6).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(TEXT, inner), max_size=4).map(Members),
    max_leaves=12,
)


def encode(value: object, spaced: bool, ascii: bool) -> str:
    if isinstance(value, Members):
        colon = " : " if spaced else ":"
        pairs = (f"{json.dumps(k, ensure_ascii=ascii)}{colon}{encode(v, spaced, ascii)}" for k, v in value)
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(encode(v, spaced, ascii) for v in value) + "]"
    return json.dumps(value, ensure_ascii=ascii)


def has_duplicate_by_plain_parser(data: bytes) -> bool:
    try:
        jiter.from_json(data, catch_duplicate_keys=True)
    except ValueError as error:
        return "duplicate key" in str(error)
    return False


@settings(max_examples=600, derandomize=True, deadline=None)
@given(value=VALUES, spaced=st.booleans(), ascii=st.booleans())
def test_a_duplicate_member_never_passes_the_fast_check(value: object, spaced: bool, ascii: bool) -> None:
    data = encode(value, spaced, ascii).encode()
    encoded = msgspec.json.encode(msgspec.json.decode(data))
    assert has_duplicate_member(data, encoded) == has_duplicate_by_plain_parser(data)
    if proves_no_duplicate(data.decode(), bytearray(encoded), 0, 200):
        assert not has_duplicate_by_plain_parser(data)


@pytest.mark.parametrize(
    ("text", "repeated"),
    [
        ('{"a":1,"a":2}', True),
        ('{"a":1,"a" :2}', True),
        ('{"a":1,"b":{"c":1,"c":1}}', True),
        ('{"a":"\\u0022:","b":1,"b":2}', True),
        ('{"a":":x","b":2}', False),
        ('{"a" : 1}', False),
    ],
)
def test_a_text_that_makes_counts_unreliable_is_parsed_in_full(text: str, repeated: bool) -> None:
    data = text.encode()
    assert has_duplicate_member(data, msgspec.json.encode(msgspec.json.decode(data))) is repeated
