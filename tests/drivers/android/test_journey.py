"""A live application through adb: real taps, real effects. It is galculator behind the stand-in, and no Android."""

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
    made = tempfile.TemporaryDirectory(prefix="uiap-desk-", ignore_cleanup_errors=True)
    with made as folder, desktop(Path(folder)) as environ:
        opened = Window("galculator", environ)
        try:
            yield opened
        finally:
            opened.close()


@pytest.mark.requirement("MDM-P1", "MDM-10")
def test_the_same_script_as_for_web_and_desktop_computes_seven_plus_five_through_adb(
    here: Phone, window: Window, capsys: pytest.CaptureFixture[str]
):
    """Every tap but the + is verified by what the display shows; after + it shows nothing new."""
    here.handset.size = "Physical size: 1024x768"
    script = runpy.run_path(str(ROOT / "examples" / "calculator.py"))
    asyncio.run(script["main"]([here.show(window)]))
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["7", "succeeded,"],
        ["+", "succeeded,"],
        ["5", "succeeded,"],
        ["=", "succeeded,"],
    ]
    assert [words[0] for words in here.handset.inputs] == ["tap"] * 4


def test_the_example_of_the_documentation_runs_as_it_stands(here: Phone, capsys: pytest.CaptureFixture[str]):
    page = (ROOT / "docs" / "android.md").read_text("utf-8")
    here.show(notes())
    exec(compile(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0], "android.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == ["succeeded", "succeeded"]
