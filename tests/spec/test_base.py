"""The base of the spec types: immutable, keyword only, camelCase on the wire."""

from __future__ import annotations

import re

import msgspec
import pytest

from uiap.spec.base import KindTagged, Struct, Timestamp, core_or_vendor


class Named(Struct):
    full_name: str = ""


class First(KindTagged, tag="first"):
    value: int = 0


def test_members_are_camel_case_on_the_wire_and_unknown_ones_are_ignored() -> None:
    assert msgspec.json.encode(Named(full_name="Ada")) == b'{"fullName":"Ada"}'
    assert msgspec.json.decode(b'{"fullName":"Ada","x":1}', type=Named) == Named(full_name="Ada")


def test_a_type_is_immutable_and_keyword_only() -> None:
    with pytest.raises(AttributeError):
        Named().full_name = "Ada"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Named("Ada")  # type: ignore[misc]


def test_a_tagged_type_knows_its_tag() -> None:
    assert First(value=1).kind == "first"
    assert msgspec.json.decode(b'{"kind":"first","value":1}', type=First) == First(value=1)


def test_vendors_extend_a_vocabulary_with_a_prefix_only() -> None:
    pattern = re.compile(core_or_vendor(("button", "link")))
    assert pattern.search("button") and pattern.search("x.acme.dial")
    assert not pattern.search("dial") and not pattern.search("buttons") and not pattern.search("button\n")


@pytest.mark.parametrize(
    ("text", "valid"),
    [("2026-01-31T23:59:60.5Z", True), ("2026-13-01T00:00:00Z", False), ("2026-01-01T00:00:00+01:00", False)],
)
def test_a_timestamp_is_in_utc(text: str, valid: bool) -> None:
    try:
        msgspec.convert(text, Timestamp)
    except msgspec.ValidationError:
        assert not valid
    else:
        assert valid
