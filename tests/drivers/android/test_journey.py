"""A live application through adb: real taps, real effects. It is galculator behind the stand-in, and no Android."""

from __future__ import annotations

import os
import re
import subprocess
import sys
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
    handset: Phone, window: Window
):
    """Every tap but the + is verified by what the display shows; after + it shows nothing new."""
    handset.handset.size = "Physical size: 1024x768"
    address = handset.show(window)
    done = run(handset, [str(ROOT / "examples" / "calculator.py"), address])
    assert done.returncode == 0, done.stderr
    assert [line.split()[:2] for line in done.stdout.splitlines()[1:]] == [
        ["7", "succeeded,"],
        ["+", "succeeded,"],
        ["5", "succeeded,"],
        ["=", "succeeded,"],
    ]
    assert [words[0] for words in handset.handset.inputs] == ["tap"] * 4


def test_the_example_of_the_documentation_runs_as_it_stands(handset: Phone, tmp_path: Path):
    page = (ROOT / "docs" / "android.md").read_text("utf-8")
    snippet = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    handset.show(notes())
    (tmp_path / "save.py").write_text(snippet, "utf-8")
    done = run(handset, [str(tmp_path / "save.py")])
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["succeeded", "succeeded"]


def run(phone: Phone, command: list[str]) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, **phone.environ}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=110, env=environ
    )
