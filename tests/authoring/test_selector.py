"""Selectors: every list must match, any entry of a list does, silence matches."""

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
def test_a_selector_fits_or_not(selector: ManifestSelector, fits: bool) -> None:
    assert matches(selector, CONTEXT) is fits


@pytest.mark.requirement("AUTH-8")
def test_a_list_the_context_cannot_answer_never_matches() -> None:
    assert not matches(ManifestSelector(tenant_ids=("acme",)), BuildContext())
    assert not matches(ManifestSelector(app_version_ranges=("*",)), BuildContext())


def test_a_list_of_selectors_is_a_choice() -> None:
    dev, prod = ManifestSelector(channels=("dev",)), ManifestSelector(channels=("prod",))
    assert any_matches((dev, prod), CONTEXT)
    assert not any_matches((dev,), CONTEXT)
    assert any_matches((), CONTEXT)
    assert any_matches(UNSET, CONTEXT)


def test_a_fixed_app_version_that_is_no_version_matches_itself() -> None:
    assert matches(ManifestSelector(app_version_ranges=("winter",)), BuildContext(app_version="winter"))
    assert not matches(ManifestSelector(app_version_ranges=("winter",)), BuildContext(app_version="summer"))
