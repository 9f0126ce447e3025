"""Addresses of applications on Android devices."""

from __future__ import annotations

import pytest

from uiap.drivers.android.address import AndroidAddress, parse
from uiap.errors import UiapError


@pytest.mark.parametrize(
    ("address", "parsed"),
    [
        ("android:com.example", AndroidAddress("com.example")),
        ("android:com.example/.Main@emulator-5554", AndroidAddress("com.example", ".Main", "emulator-5554")),
        ("android:@127.0.0.1:5555", AndroidAddress("", "", "127.0.0.1:5555")),
        ("android:", AndroidAddress()),
    ],
)
def test_address_names_application_activity_and_device(address: str, parsed: AndroidAddress):
    assert parse(address) == parsed


@pytest.mark.parametrize(
    "address", ["android:calc", "android:com.x;reboot", "android:/.Main", "android:com.x@a b"]
)
def test_invalid_address_is_refused_with_examples(address: str):
    with pytest.raises(UiapError, match=r"android:com\.example"):
        parse(address)
