"""Addresses of Appium sessions: capabilities, secrets and servers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from uiap.errors import UiapError, Unavailable

address = pytest.importorskip("uiap.drivers.appium.address", reason="the extra appium is not installed")


def test_capabilities_can_be_words():
    found = address.parse("appium:platformName=iOS,bundleId=com.example,noReset=true,wdaLocalPort=8100", {})
    assert found.capabilities == {
        "platformName": "iOS",
        "bundleId": "com.example",
        "noReset": True,
        "wdaLocalPort": 8100,
    }
    assert found.server.url == "http://127.0.0.1:4723"


def test_capabilities_can_be_a_file_with_secrets_by_name(tmp_path: Path):
    file = tmp_path / "farm.json"
    capabilities = {
        "platformName": "Android",
        "farm:options": {"user": "me", "accessKey": {"secret": "farm key"}},
    }
    file.write_text(json.dumps(capabilities))
    found = address.parse(f"appium:{file}@https://hub.example/wd/hub", {}, {"farm key": "s3cret"}.__getitem__)
    assert found.capabilities["farm:options"] == {"user": "me", "accessKey": "s3cret"}
    assert found.server.url == "https://hub.example/wd/hub"
    with pytest.raises(Unavailable, match="no secret `farm key`"):
        address.parse(f"appium:{file}", {})


def test_server_comes_from_the_environment_and_its_url_has_no_password():
    found = address.parse(
        "appium:platformName=iOS", {"UIAP_APPIUM_SERVER": "https://me:p%40ss@hub.example:443/wd/hub/"}
    )
    assert found.server == ("https://hub.example:443/wd/hub", "me", "p@ss")


@pytest.mark.parametrize(
    "invalid", ["appium:", "appium:com.example", "appium:bundleId=x", "appium:/nowhere/caps.json"]
)
def test_invalid_address_is_refused(invalid: str):
    with pytest.raises(UiapError):
        address.parse(invalid, {})
