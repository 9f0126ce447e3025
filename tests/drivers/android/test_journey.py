"""A live application through adb: real taps with real effects, on galculator behind the simulated device."""

from __future__ import annotations

import asyncio
import re
import runpy
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drivers.android.stage import Phone
from tests.drivers.desktop.session import desktop
from tests.drivers.desktop.session import missing as no_desktop
from tests.support.android_apps import notes
from tests.support.android_window import Window

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def window() -> Iterator[Window]:
    if reason := no_desktop():
        pytest.skip(reason)
    temporary = tempfile.TemporaryDirectory(prefix="uiap-desk-", ignore_cleanup_errors=True)
    with temporary as folder, desktop(Path(folder)) as environ:
        opened = Window("galculator", environ)
        try:
            yield opened
        finally:
            opened.close()


@pytest.mark.requirement("MDM-P1", "MDM-10")
def test_script_for_web_and_desktop_also_runs_through_adb(
    here: Phone, window: Window, capsys: pytest.CaptureFixture[str]
):
    """Every tap except `+` is verified by the display; after `+` the display does not change."""
    here.handset.size = "Physical size: 1024x768"
    script = runpy.run_path(str(ROOT / "examples" / "calculator.py"))
    asyncio.run(script["main"]([here.show(window)]))
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["7", "succeeded,"],
        ["+", "succeeded,"],
        ["5", "succeeded,"],
        ["=", "succeeded,"],
    ]
    assert [arguments[0] for arguments in here.handset.inputs] == ["tap"] * 4


def test_example_of_the_documentation_runs_unchanged(here: Phone, capsys: pytest.CaptureFixture[str]):
    page = (ROOT / "docs" / "android.md").read_text("utf-8")
    here.show(notes())
    exec(compile(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0], "android.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == ["succeeded", "succeeded"]
