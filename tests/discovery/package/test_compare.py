"""The differences between two packages, and between two principals."""

from __future__ import annotations

import pytest

from tests.discovery.shop import SHOP
from tests.discovery.simulated_app import Element, Page, explore
from uiap.api.absent import none_for_absent
from uiap.discovery.package.compare import compare, diff_lines


@pytest.mark.requirement("DISC-17.2")
def test_findings_that_appeared_vanished_and_changed_are_listed() -> None:
    pages = dict(SHOP)
    del pages["/team"]
    pages["/plans"] = Page([Element("button", "Close")], title="Plans")
    pages["/"] = Page(
        [*SHOP["/"].elements, Element("link", "Plans", href="/plans")], SHOP["/"].scopes, "Welcome"
    )
    changes = compare(explore(SHOP)[0], explore(pages)[0])
    assert ("route", "/plans") in {(one.kind, one.id) for one in changes.appeared}
    assert ("route", "/team") in {(one.kind, one.id) for one in changes.vanished}
    assert ("route", "/") in {(one.kind, one.id) for one in changes.changed}
    assert any(line.startswith("+ route /plans") for line in diff_lines(changes))


@pytest.mark.requirement("DISC-17.2")
def test_two_packages_of_the_same_application_do_not_differ() -> None:
    assert list(diff_lines(compare(explore(SHOP)[0], explore(SHOP)[0]))) == ["no difference"]


@pytest.mark.requirement("DISC-17.2", "DISC-8.5")
def test_two_principals_of_one_package_can_be_compared() -> None:
    package, _, _ = explore(SHOP, profiles=("admin", "viewer"))
    same = compare(package, package, one="admin", other="viewer")
    assert not same.appeared and not same.vanished
    assert compare(package, package, one="admin", other="nobody").vanished


def test_packages_of_the_python_api_can_be_compared() -> None:
    """The API gives None for absent members."""
    before, after = (none_for_absent(explore(pages)[0]) for pages in (SHOP, {"/": SHOP["/"]}))
    assert ("route", "/team") in {(one.kind, one.id) for one in compare(before, after).vanished}
    assert list(diff_lines(compare(before, before))) == ["no difference"]
