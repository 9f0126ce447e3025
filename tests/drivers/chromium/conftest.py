"""One browser per module; a test that needs one is skipped only where no browser exists at all."""

from __future__ import annotations

import os

import pytest

from uiap.drivers.chromium.find import Browser, find_browser


@pytest.fixture(scope="session")
def browser() -> Browser:
    found = find_browser(environ=os.environ)
    if found is None:
        pytest.fail("these tests need a Chromium; install one or set UIAP_BROWSER")
    return found
