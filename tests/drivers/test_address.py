"""Addresses of applications: which ones there are, which ones are allowed, and what a missing extra says."""

from __future__ import annotations

import sys

import pytest

from uiap.drivers import address
from uiap.errors import Forbidden, Unavailable


@pytest.mark.parametrize("text", ["desktop:galculator", "android:com.example", "appium:caps.json"])
def test_an_application_address_begins_with_its_kind(text: str) -> None:
    assert address.is_application(text)


@pytest.mark.parametrize("text", ["http://desktop.test/", "desktop.example", ""])
def test_other_addresses_are_not_applications(text: str) -> None:
    assert not address.is_application(text)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("desktop:galculator", ["desktop:galculator"]),
        ("android:com.example", ["desktop:galculator", "android:*"]),
        ("android:com.example", ["*"]),
    ],
)
def test_an_address_is_allowed_by_itself_or_by_a_prefix_with_a_star(text: str, allowed: list[str]) -> None:
    assert address.check_allowed(text, allowed) == text


@pytest.mark.parametrize(
    ("text", "allowed", "message"),
    [
        ("desktop:xterm", [], "the application `desktop:xterm` may not be opened here"),
        ("desktop:galculator2", ["desktop:galculator"], "; allowed are desktop:galculator"),
        (
            "desktop:galculator --run",
            ["desktop:galculator", "android:*"],
            "allowed are desktop:galculator, android:",
        ),
    ],
)
def test_another_address_is_refused_with_the_allowed_ones(
    text: str, allowed: list[str], message: str
) -> None:
    with pytest.raises(Forbidden) as refused:
        address.check_allowed(text, allowed)
    assert message in refused.value.message


async def test_a_missing_extra_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in [name for name in sys.modules if name.startswith("uiap.drivers.desktop")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "dbus_fast", None)
    with pytest.raises(Unavailable, match=r"needs the extra desktop: pip install 'uiap\[desktop\]'"):
        await address.open_application("desktop:galculator", environ={})
