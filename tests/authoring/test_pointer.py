"""JSON Pointer: the table of RFC 6901, and invalid pointers."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from uiap.authoring.pointer import MISSING, BadPointer, covers, find, get, parse, render, replace_at

RFC: dict[str, Any] = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}


@pytest.mark.requirement("AUTH-5.8a")
@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", RFC),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
    ],
)
def test_pointers_agree_with_the_table_of_the_rfc(pointer: str, value: Any) -> None:
    assert get(RFC, parse(pointer)) == value
    assert render(parse(pointer)) == pointer


@pytest.mark.parametrize("pointer", ["foo", "#/foo", "/a~", "/a~2b", "/~", "/a~01~"])
def test_an_invalid_pointer_is_refused(pointer: str) -> None:
    with pytest.raises(BadPointer):
        parse(pointer)


@pytest.mark.parametrize(
    "pointer",
    [
        "/foo/2",
        "/foo/-",
        "/foo/-1",
        "/foo/01",
        "/foo/00",
        "/foo/+1",
        "/foo/1.0",
        "/foo/1e0",
        "/foo/ 1",
        "/foo/٣",
        "/nope",
        "/foo/99999999999999999999",
        "/foo/0/x",
        "/__proto__",
        "/constructor/prototype",
        "/foo/length",
    ],
)
def test_a_pointer_to_a_missing_value_raises_bad_pointer(pointer: str) -> None:
    with pytest.raises(BadPointer):
        get(RFC, parse(pointer))
    assert find(RFC, parse(pointer)) is MISSING


def test_tilde_escapes_are_decoded_in_the_right_order() -> None:
    assert parse("/~01") == ("~1",)
    assert get({"~1": "here"}, parse("/~01")) == "here"


def test_a_change_copies_and_keeps_the_old_value() -> None:
    old = copy.deepcopy(RFC)
    new = replace_at(RFC, ("foo", "0"), lambda _: "new")
    assert new["foo"] == ["new", "baz"]
    assert replace_at(RFC, ("foo", "1"), lambda _: MISSING)["foo"] == ["bar"]
    assert old == RFC


def test_a_pointer_covers_itself_and_its_children() -> None:
    assert covers((), ("a",))
    assert covers(("a",), ("a", "b"))
    assert not covers(("a", "b"), ("a",))
    assert not covers(("a",), ("ab",))
