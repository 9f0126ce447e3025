"""`pytest -p tests.broken.plugin` with `UIAP_LIE=<name>`: one lie, told before any test is read."""

from __future__ import annotations

import os

from tests.broken.breakers import BREAKERS


def pytest_configure() -> None:
    if name := os.environ.get("UIAP_LIE"):
        BREAKERS[name].lie()
