"""Selectors: every list must match by any of its entries; no list always matches."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from uiap.authoring.selector import any_matches, matches
from uiap.spec.authoring import BuildContext, ManifestSelector

CONTEXT = BuildContext(
    environment="eu",
    channel="prod",
    locale="de",
    tenant_id="acme",
    principal_profile="admin",
    app_version="1.4.0",
)


@pytest.mark.requirement("AUTH-5.8a", "AUTH-8")
@pytest.mark.parametrize(
    ("selector", "fits"),
    [
        (UNSET, True),
        (ManifestSelector(), True),
        (ManifestSelector(channels=("prod",)), True),
        (ManifestSelector(channels=("dev", "prod")), True),
        (ManifestSelector(channels=("dev",)), False),
        (ManifestSelector(channels=()), False),
        (ManifestSelector(channels=("prod",), environments=("us",)), False),
        (ManifestSelector(tenant_ids=("acme",), principal_profiles=("admin",), locales=("de",)), True),
        (ManifestSelector(locales=("de-CH",)), False),
        (ManifestSelector(app_version_ranges=(">=1.2 <2",)), True),
        (ManifestSelector(app_version_ranges=("^2", "1.4.0")), True),
        (ManifestSelector(app_version_ranges=("^2",)), False),
    ],
)
def test_a_selector_matches_or_not(selector: ManifestSelector, fits: bool) -> None:
    assert matches(selector, CONTEXT) is fits


@pytest.mark.requirement("AUTH-8")
def test_a_list_never_matches_an_unset_value() -> None:
    assert not matches(ManifestSelector(tenant_ids=("acme",)), BuildContext())
    assert not matches(ManifestSelector(app_version_ranges=("*",)), BuildContext())


def test_any_selector_of_a_list_may_match() -> None:
    dev, prod = ManifestSelector(channels=("dev",)), ManifestSelector(channels=("prod",))
    assert any_matches((dev, prod), CONTEXT)
    assert not any_matches((dev,), CONTEXT)
    assert any_matches((), CONTEXT)
    assert any_matches(UNSET, CONTEXT)


def test_an_app_version_that_is_not_a_version_matches_only_itself() -> None:
    assert matches(ManifestSelector(app_version_ranges=("winter",)), BuildContext(app_version="winter"))
    assert not matches(ManifestSelector(app_version_ranges=("winter",)), BuildContext(app_version="summer"))
