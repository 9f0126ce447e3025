"""The five patch operations: results, and refused patches."""

from __future__ import annotations

import copy
import re
from typing import Any

import msgspec
import pytest

from tests.reference import authoring_twin as twin
from uiap.authoring.patch import BadPatch, Draft, apply, json_equal
from uiap.spec.authoring import ManifestPatch

BASE = {
    "o": {"a": 1, "b": {"c": 2}},
    "l": [1, 2, 3],
    "i": [{"id": "x", "v": 1}, {"id": "y"}],
    "n": None,
    "a/b": 0,
}


def patched(base: Any, **patch: Any) -> Any:
    """Patch with `apply` and with `Draft`, which must agree."""
    typed = msgspec.convert({"manifestId": "m", **patch}, ManifestPatch)
    draft = Draft(base)
    try:
        expected = apply(base, typed)
    except BadPatch as error:
        with pytest.raises(BadPatch, match=re.escape(str(error))):
            draft.apply(typed)
        assert draft.document == base
        raise
    draft.apply(typed)
    assert json_equal(draft.document, expected)
    return expected


FITS = [
    ({"op": "replace", "path": "/o/a", "value": 9}, ("o", {"a": 9, "b": {"c": 2}})),
    ({"op": "replace", "path": "/o", "value": None}, ("o", None)),
    ({"op": "replace", "path": "/l/2", "value": [4]}, ("l", [1, 2, [4]])),
    ({"op": "replace", "path": "/n", "value": 1}, ("n", 1)),
    ({"op": "replace", "path": "/a~1b", "value": 5}, ("a/b", 5)),
    ({"op": "merge", "path": "/o", "value": {"b": {"d": 3}}}, ("o", {"a": 1, "b": {"c": 2, "d": 3}})),
    ({"op": "merge", "path": "/o", "value": {"b": [1]}}, ("o", {"a": 1, "b": [1]})),
    ({"op": "merge", "path": "/o", "value": {"a": None}}, ("o", {"a": None, "b": {"c": 2}})),
    (
        {"op": "merge", "path": "/o", "value": {"__proto__": {"p": 1}}},
        ("o", {**BASE["o"], "__proto__": {"p": 1}}),
    ),  # type: ignore[dict-item]
    ({"op": "append", "path": "/l", "value": 4}, ("l", [1, 2, 3, 4])),
    ({"op": "append", "path": "/l", "value": [4, 5]}, ("l", [1, 2, 3, 4, 5])),
    ({"op": "append", "path": "/l", "value": [[4]]}, ("l", [1, 2, 3, [4]])),
    ({"op": "append", "path": "/l", "value": []}, ("l", [1, 2, 3])),
    ({"op": "append", "path": "/l", "value": None}, ("l", [1, 2, 3, None])),
    ({"op": "remove", "path": "/l/0"}, ("l", [2, 3])),
    ({"op": "remove", "path": "/o/b"}, ("o", {"a": 1})),
    (
        {"op": "upsert", "path": "/i", "matchKey": "id", "value": {"id": "x"}},
        ("i", [{"id": "x"}, {"id": "y"}]),
    ),
    (
        {"op": "upsert", "path": "/i", "matchKey": "id", "value": {"id": "z"}},
        ("i", [*BASE["i"], {"id": "z"}]),
    ),  # type: ignore[misc]
]


@pytest.mark.requirement("AUTH-5.8a")
@pytest.mark.parametrize(("patch", "expected"), FITS)
def test_an_operation_gives_the_expected_document(patch: dict[str, Any], expected: tuple[str, Any]) -> None:
    before = copy.deepcopy(BASE)
    assert patched(BASE, **patch) == {**BASE, expected[0]: expected[1]}
    assert before == BASE


@pytest.mark.requirement("AUTH-5.8a")
def test_an_upsert_replaces_the_item_with_the_same_dotted_key() -> None:
    base = {"w": [{"definition": {"id": "a", "old": 1}, "review": {}}, {"definition": {"id": 1}}]}
    value = {"definition": {"id": "a", "new": 2}}
    assert patched(base, op="upsert", path="/w", matchKey="definition.id", value=value) == {
        "w": [value, {"definition": {"id": 1}}]
    }
    numeric = {"definition": {"id": 1, "n": 1}}
    assert patched(base, op="upsert", path="/w", matchKey="definition.id", value=numeric)["w"][1] == numeric


MISFITS = [
    {"op": "replace", "path": "/missing", "value": 1},
    {"op": "replace", "path": "/l/3", "value": 1},
    {"op": "replace", "path": "/l/-", "value": 1},
    {"op": "replace", "path": "/l/01", "value": 1},
    {"op": "replace", "path": "/l/-1", "value": 1},
    {"op": "replace", "path": "/l/4294967296", "value": 1},
    {"op": "replace", "path": "/o/a/x", "value": 1},
    {"op": "replace", "path": "/__proto__", "value": 1},
    {"op": "replace", "path": "/constructor/prototype", "value": 1},
    {"op": "replace", "path": "/o/a"},
    {"op": "replace", "path": "o/a", "value": 1},
    {"op": "merge", "path": "/l", "value": {}},
    {"op": "merge", "path": "/o", "value": 1},
    {"op": "merge", "path": "/n", "value": {}},
    {"op": "append", "path": "/o", "value": 1},
    {"op": "append", "path": "/missing", "value": 1},
    {"op": "remove", "path": "/missing"},
    {"op": "remove", "path": "/l/3"},
    {"op": "remove", "path": ""},
    {"op": "upsert", "path": "/i", "value": {"id": "x"}},
    {"op": "upsert", "path": "/i", "matchKey": "", "value": {"id": "x"}},
    {"op": "upsert", "path": "/i", "matchKey": "id", "value": {"v": 1}},
    {"op": "upsert", "path": "/i", "matchKey": "id", "value": {"id": None}},
    {"op": "upsert", "path": "/i", "matchKey": "id", "value": {"id": True}},
    {"op": "upsert", "path": "/i", "matchKey": "id.x", "value": {"id": "x"}},
    {"op": "upsert", "path": "/l", "matchKey": "id", "value": {"id": "x"}},
    {"op": "upsert", "path": "/o", "matchKey": "id", "value": {"id": "x"}},
]


@pytest.mark.requirement("AUTH-5.8a")
@pytest.mark.parametrize("patch", MISFITS)
def test_an_operation_that_cannot_be_applied_is_refused(patch: dict[str, Any]) -> None:
    before = copy.deepcopy(BASE)
    with pytest.raises(BadPatch):
        patched(BASE, **patch)
    assert before == BASE


def test_two_items_with_the_wanted_key_are_refused() -> None:
    base = {"i": [{"id": 1}, {"id": 1.0}]}
    with pytest.raises(BadPatch, match="2 items"):
        patched(base, op="upsert", path="/i", matchKey="id", value={"id": 1})


def test_equality_is_that_of_json() -> None:
    assert json_equal(1, 1.0)
    assert not json_equal(True, 1)
    assert not json_equal({"a": [False]}, {"a": [0]})
    assert json_equal({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not json_equal([1, 2], [2, 1])


ODD: dict[str, Any] = {
    "__proto__": {"x": 1},
    "constructor": {"prototype": {"y": 2}},
    "a/b": {"m~n": [1, {"id": "p"}]},
    "~1": 3,
    "": {"": 4},
    "0": ["zero"],
    "-": ["dash"],
    "l": [[1, 2], {"id": "p", "v": {"w": [5]}}, None],
}
PLACES = [
    *(
        "/__proto__",
        "/__proto__/x",
        "/__proto__/polluted",
        "/constructor/prototype",
        "/constructor/prototype/y",
    ),
    *(
        "/a~1b",
        "/a~1b/m~0n",
        "/a~1b/m~0n/0",
        "/a~1b/m~0n/1",
        "/a~1b/m~0n/1/id",
        "/a~1b/m~0n/2",
        "/a/b",
        "/~01",
        "/~1",
    ),
    *(
        "/",
        "//",
        "///",
        "/0",
        "/0/0",
        "/0/00",
        "/0/-1",
        "/0/-",
        "/-",
        "/-/0",
        "/-/-",
        "/l",
        "/l/0",
        "/l/0/1",
        "/l/01",
    ),
    *(
        "/l/1",
        "/l/1/v",
        "/l/1/v/w",
        "/l/1/v/w/0",
        "/l/2",
        "/l/3",
        "/l/-1",
        "/l/1e0",
        "/l/ 1",
        "/l/99999999999999999999",
    ),
    *("/l/2/x", "/l/length", "/nope", "/nope/x"),
]


@pytest.mark.requirement("AUTH-5.8a")
def test_every_operation_at_unusual_pointers_agrees_with_the_reference() -> None:
    """More than 200 pointers: prototypes, escapes, empty and numeric names, dashes, signs and huge indices."""
    values = {"replace": 9, "append": [7], "merge": {"x": None, "z": 1}, "upsert": {"id": "p", "new": True}}
    seen = {True: 0, False: 0}
    for path in PLACES:
        for op in ("replace", "merge", "append", "remove", "upsert"):
            patch: dict[str, Any] = {"manifestId": "m", "path": path, "op": op}
            patch |= {"matchKey": "id"} if op == "upsert" else {}
            patch |= {} if op == "remove" else {"value": values[op]}
            expected: Any = copy.deepcopy(ODD)
            try:
                twin.apply(expected, patch)
            except twin.ERRORS:
                expected = None
            try:
                got = patched(ODD, **{k: v for k, v in patch.items() if k != "manifestId"})
            except BadPatch:
                got = None
            assert json_equal(got, expected), patch
            seen[got is not None] += 1
    assert sum(seen.values()) >= 200 and min(seen.values()) > 60
