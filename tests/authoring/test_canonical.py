"""Canonical JSON: the fast encoder and the reference implementation give the same bytes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.authoring.folders import action, built, manifest, package
from tests.authoring.soak import times
from uiap.authoring.bundles.bundle import digest_matches, with_digest
from uiap.authoring.canonical import canonical
from uiap.digests import content_digest

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.one_of(st.integers(-(2**53) + 1, 2**53 - 1), st.floats(allow_nan=False, allow_infinity=False))
VALUES = st.recursive(
    st.one_of(TEXTS, NUMBERS, st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=10,
)


@settings(max_examples=times(300), derandomize=True, database=None, deadline=None)
@given(st.dictionaries(TEXTS, VALUES, max_size=4))
@pytest.mark.requirement("AUTH-12")
def test_every_value_is_encoded_as_in_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    "value",
    [
        {"a": 1.0, "b": -0.0, "c": 1e16, "d": 1e21, "e": 1e-7, "f": 0.1, "g": 123456789012345680.0},
        {"\U0001f600": 1, "\ufb33": 2, "z": 3},
        {"text": "1.0, 1e5 and [1.0]", "emoji": "\U0001f600", "quote": '"\\\n\u2028\x7f\x1f'},
        [1.5, -2.25, 100, 0.001],
    ],
)
def test_unusual_values_are_encoded_as_in_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@pytest.mark.requirement("AUTH-10", "AUTH-12")
def test_the_digest_covers_the_bundle_without_the_digest() -> None:
    result = built(package(manifest("Actions", "a", {"actions": [action("x")]})))
    members = json.loads(result.data)
    claimed = members.pop("digest")
    assert claimed == "sha256:" + hashlib.sha256(rfc8785.dumps(members)).hexdigest()
    assert result.data == rfc8785.dumps({**members, "digest": claimed})
    assert digest_matches(result.data)
    assert not digest_matches(result.data.replace(b'"Shop"', b'"Shoq"'))


def test_a_package_may_build_without_a_digest() -> None:
    result = built(package(build={"digest": "none"}))
    assert "digest" not in json.loads(result.data)
    assert digest_matches(result.data)


def test_the_digest_is_correct_for_unusual_numbers() -> None:
    bundle = {"app": {"x": 1.0}, "version": "1", "workflows": [1e21]}
    assert with_digest(bundle) == rfc8785.dumps({**bundle, "digest": content_digest(rfc8785.dumps(bundle))})
