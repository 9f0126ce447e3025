"""The example for users runs unchanged."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from uiap.drivers.chromium import find_browser

pytestmark = pytest.mark.browser
EXAMPLE = Path(__file__).parents[3] / "examples" / "playwright_test.py"


async def test_example_passes_and_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    found = find_browser(environ=os.environ)
    assert found is not None
    monkeypatch.setenv("UIAP_BROWSER", str(found.path))
    spec = importlib.util.spec_from_file_location("playwright_example", EXAMPLE)
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    await example.test_a_video_is_created_and_a_dead_button_is_reported()
    assert len(EXAMPLE.read_text().splitlines()) < 60
