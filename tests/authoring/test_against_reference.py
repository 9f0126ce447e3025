"""The compiler agrees with a naive reference about overlays and merges, and reports every conflict."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.authoring.folders import built, codes, manifest, messages, package
from tests.authoring.soak import times
from tests.reference import authoring_twin as twin
from uiap.authoring.pointer import find, render

SETTINGS = settings(
    max_examples=times(120),
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
WORDS = st.sampled_from(["a", "b", "c", "id", "a/b", "m~n", "0", "__proto__"])
SCALARS = st.one_of(st.integers(-3, 3), st.booleans(), st.none(), st.sampled_from(["x", "y", ""]))
ITEMS = st.fixed_dictionaries({"id": st.sampled_from(["p", "q", "r"])}, optional={"a": SCALARS, "b": SCALARS})
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(WORDS, inner, max_size=3),
        st.lists(ITEMS, max_size=3, unique_by=lambda item: item["id"]),
    ),
    max_leaves=8,
)
ALL_OPS = ["replace", "merge", "append", "remove", "upsert"]
# Few places, so that patches meet.
LISTS: dict[str, Any] = {"l": [1, 2, 3], "i": [{"id": "p"}, {"id": "q", "a": 1}]}
METADATA = st.one_of(st.just(LISTS), st.dictionaries(WORDS, VALUES, min_size=1, max_size=4))


def reference_result(reference_function: Any, *arguments: Any) -> Any:
    """Return the result of the reference, or None if it refuses."""
    try:
        return reference_function(*arguments)
    except twin.ERRORS:
        return None


def pointers_in(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for word, item in below for place in pointers_in(item, (*path, str(word))))]


def _operations_for(value: Any) -> list[str]:
    if isinstance(value, list):
        upsert = ["upsert"] if all(isinstance(item, dict) for item in value) else []
        return ["append", "remove", "replace", *upsert]
    return ["merge", "remove", "replace"] if isinstance(value, dict) else ["remove", "replace"]


@st.composite
def patches(draw: st.DrawFn, document: dict[str, Any]) -> dict[str, Any]:
    """Draw a patch, mostly at an existing pointer and with a matching operation."""
    metadata = document["spec"]["metadata"]
    path = draw(st.sampled_from(pointers_in(metadata)))
    ops = _operations_for(find(metadata, path)) if draw(st.integers(0, 9)) else ALL_OPS
    if draw(st.integers(0, 9)) == 0:
        path = (*path, draw(st.sampled_from(["a", "0", "-", "01", "9"])))
    op = draw(st.sampled_from(ops))
    patch: dict[str, Any] = {"manifestId": "app.core", "path": render(("spec", "metadata", *path)), "op": op}
    if op == "upsert":
        patch |= {"matchKey": "id", "value": draw(ITEMS)}
    elif op == "merge":
        patch["value"] = draw(st.dictionaries(WORDS, SCALARS, max_size=2))
    elif op != "remove":
        patch["value"] = draw(VALUES)
    return patch


@st.composite
def overlaid_packages(draw: st.DrawFn) -> tuple[dict[str, Any], list[list[dict[str, Any]]]]:
    spec = {"appId": "shop", "displayName": "Shop", "metadata": draw(METADATA)}
    app = manifest("App", "app.core", spec)
    overlays = draw(st.lists(st.lists(patches(app), min_size=1, max_size=3), min_size=1, max_size=3))
    if len(overlays) > 1 and draw(st.integers(0, 3)) == 0:
        overlays[1].append(copy.deepcopy(overlays[0][0]))  # the same patch twice counts once
    return app, overlays


@SETTINGS
@given(overlaid_packages())
@pytest.mark.requirement("AUTH-5.8a", "AUTH-5.8b")
def test_overlays_agree_with_the_reference(
    case: tuple[dict[str, Any], list[list[dict[str, Any]]]],
) -> None:
    assert_agreement(*case)


def assert_agreement(app: dict[str, Any], overlays: list[list[dict[str, Any]]]) -> None:
    files = package(
        app,
        *(manifest("Overlay", f"o{n}", {"selector": {}, "patches": p}) for n, p in enumerate(overlays)),
    )
    before = copy.deepcopy(app)
    result = built(files)
    expected = reference_result(twin.overlaid, before, overlays)
    if expected is not None and not isinstance(expected["spec"].get("metadata", {}), dict):
        expected = None  # the metadata of the app must be an object; the schema checks it after the overlays
    if expected is None:
        assert codes(result), (overlays, messages(result))
        assert result.data == b""
        return
    assert codes(result) == [], (overlays, messages(result))
    (effective,) = [m.document for m in result.manifests if m.id == "app.core"]
    assert twin.same(effective, expected), overlays
    assert built(dict(reversed(files.items()))).data == result.data


@pytest.mark.requirement("AUTH-5.8b")
def test_every_pair_of_patches_on_short_lists_agrees_with_the_reference() -> None:
    """Every pair, so that no conflict is hidden by another error."""
    values = {"replace": 9, "append": 9, "merge": {"a": 2}, "upsert": {"id": "q", "b": 3}}
    pool = [
        {"manifestId": "app.core", "path": render(("spec", "metadata", *path)), "op": op}
        | ({} if op == "remove" else {"value": values[op]})
        | ({"matchKey": "id"} if op == "upsert" else {})
        for path in pointers_in(LISTS)
        for op in _operations_for(find(LISTS, path))
        if 0 < len(path) < 3
    ]
    app = manifest("App", "app.core", {"appId": "shop", "displayName": "Shop", "metadata": LISTS})
    for first in pool:
        for second in pool:
            assert_agreement(app, [[first], [second]])


BINDING = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["e1", "e2", "e3"]),
        "match": st.sampled_from([[{"by": "text", "text": w}] for w in "uv"]),
    },
    optional={
        "role": st.sampled_from(["button", "link"]),
        "meaning": st.sampled_from(["m", "n"]),
        "metadata": st.dictionaries(st.sampled_from("xyz"), st.integers(0, 1), max_size=2),
    },
)
MANIFESTS = st.lists(
    st.lists(BINDING, min_size=1, max_size=3, unique_by=lambda e: e["id"]), min_size=1, max_size=4
)


@SETTINGS
@given(MANIFESTS)
@pytest.mark.requirement("AUTH-7.1")
def test_merges_agree_with_the_reference(manifests: list[list[dict[str, Any]]]) -> None:
    files = package(
        *(manifest("Bindings", f"b{n}", {"elements": items}) for n, items in enumerate(manifests))
    )
    result = built(files)
    expected = reference_result(twin.merged, manifests)
    if expected is None:
        assert "merge_conflict" in codes(result)
        return
    assert result.bundle is not None, messages(result)
    assert built(dict(reversed(files.items()))).data == result.data
    bound = result.bundle.bindings
    assert bound and twin.same(msgspec.to_builtins(bound.elements), expected)
