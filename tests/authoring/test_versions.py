"""Versions and ranges, including the differences from npm."""

from __future__ import annotations

import pytest

from uiap.authoring.versions import BadVersion, parse_range, parse_version, satisfies

INSIDE = [
    (">=0.1 <0.2", "0.1 0.1.0 0.1.9"),
    ("^0.1.0", "0.1.0 0.1.3"),
    ("^0.0.3", "0.0.3 0.0.4 0.0.99"),  # the specification has <0.1.0; npm has <0.0.4
    ("^1.2.3", "1.2.3 1.9.0"),
    ("^1", "1.0.0 1.99.0"),
    ("^0", "0.0.0 0.0.9"),
    ("~1.2.3", "1.2.3 1.2.9"),
    ("~1", "1.0.0 1.0.9"),
    ("1.2.3", "1.2.3"),
    ("=1.2", "1.2.0"),
    ("0.1", "0.1.0"),
    ("1.x", "1.0.0 1.9.9"),
    ("1.2.*", "1.2.0 1.2.9"),
    ("*", "0.0.0 9.9.9"),
    (">1.x", "2.0.0"),
    ("<=1.x", "1.9.9 0.1.0"),
    (">=1.x", "1.0.0 5.0.0"),
    ("<1.2", "1.1.9 0.0.1"),
    ("<=0.1", "0.1.0 0.0.9"),
    (">0.1", "0.1.1 0.2.0"),
    ("^1.0 || ^3.0", "1.5.0 3.2.1"),
    (">= 1.0   < 2.0", "1.5.0"),
    (">=1.0.0-alpha", "1.0.0-alpha 1.0.0-beta 1.0.0 2.0.0"),
    ("1.0.0-rc.1", "1.0.0-rc.1 1.0.0-rc.1+build"),
]
OUTSIDE = [
    (">=0.1 <0.2", "0.0.9 0.2.0 1.0.0"),
    ("^0.1.0", "0.2.0 0.0.9 1.0.0"),
    ("^0.0.3", "0.0.2 0.1.0"),
    ("^1.2.3", "1.2.2 2.0.0"),
    ("^0", "0.1.0"),
    ("~1.2.3", "1.3.0"),
    ("~1", "1.1.0"),
    ("0.1", "0.1.1"),
    ("1.x", "2.0.0 0.9.9"),
    (">1.x", "1.9.9"),
    ("<1.x", "1.0.0"),
    ("<=0.1", "0.1.1"),
    (">0.1", "0.1.0"),
    (">=1.0.0", "1.0.1-alpha 2.0.0-rc.1 1.0.0-alpha"),
    (">=1.0.0-alpha", "1.0.1-alpha"),
    ("^1.0 || ^3.0", "2.0.0"),
    ("*", "1.0.0-alpha"),
]


def _pairs(table: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(wanted, version) for wanted, versions in table for version in versions.split()]


@pytest.mark.requirement("AUTH-4.1c")
@pytest.mark.parametrize(("wanted", "version"), _pairs(INSIDE))
def test_a_version_is_in_the_range(wanted: str, version: str) -> None:
    assert satisfies(parse_version(version), parse_range(wanted))


@pytest.mark.requirement("AUTH-4.1c")
@pytest.mark.parametrize(("wanted", "version"), _pairs(OUTSIDE))
def test_a_version_is_not_in_the_range(wanted: str, version: str) -> None:
    assert not satisfies(parse_version(version), parse_range(wanted))


def test_versions_sort_as_in_semver() -> None:
    ordered = "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1"
    versions = [parse_version(text) for text in ordered.split()]
    assert sorted(versions, key=lambda v: v.order) == versions


@pytest.mark.parametrize(
    "text", ["", "one", "1.2.3.4", "01.2.3", "1..2", "-1", "1.2.3-", "9" * 12, "1.0.0 ", "1" * 300]
)
def test_an_invalid_version_is_refused(text: str) -> None:
    with pytest.raises(BadVersion):
        parse_version(text)


@pytest.mark.parametrize(
    "text", ["", " ", "abc", ">=", "1.2 -", "1.2.3.4", ">>1", "^^1", "1 ||", "latest", "1" * 300]
)
def test_an_invalid_range_is_refused(text: str) -> None:
    with pytest.raises(BadVersion):
        parse_range(text)
