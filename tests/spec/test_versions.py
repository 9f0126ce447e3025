"""Versions are compared by number, in one place."""

import pytest

from uiap.spec import http, versions
from uiap.spec.core import CORE_ERROR_CODES


@pytest.mark.parametrize(
    ("left", "right", "sign"), [("0.9", "0.10", -1), ("1.0", "0.99", 1), ("0.1", "0.1", 0)]
)
def test_versions_compare_by_number(left: str, right: str, sign: int) -> None:
    assert versions.compare_versions(left, right) == sign


def test_the_highest_common_version_is_chosen() -> None:
    assert versions.highest_common(["0.9", "0.10", "1.0"], ["0.10", "0.9"]) == "0.10"
    assert versions.highest_common(["0.1"], ["0.2"]) is None
    assert versions.highest_common([], []) is None


def test_a_profile_is_split_at_its_version() -> None:
    assert versions.split_profile("web@0.1") == ("web", "0.1")
    assert versions.split_profile("web") == ("web", "")


@pytest.mark.requirement("DISC-3")
def test_discovery_is_an_extension_we_can_offer() -> None:
    assert versions.EXTENSIONS["uiap.discovery"] == ("0.1",)


def test_http_statuses_belong_to_core_errors() -> None:
    assert set(http.HTTP_STATUS) <= set(CORE_ERROR_CODES)
