"""`uiap explain`: the file and line that set a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.packages import EXAMPLE, SHARED, run
from uiap.cli import explain


def test_explain_uses_the_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLE)
    asked = run(explain.command, "/actions/video.create/risk/level", "--import", SHARED)
    assert asked.code == 0 and "<- decided" in asked.out


def test_explain_answers_with_file_and_line(tmp_path: Path) -> None:
    asked = run(explain.command, EXAMPLE, "/actions/video.create/risk/level", "--import", SHARED)
    assert asked.code == 0
    assert "actions/core.uiap.yaml:17:" in asked.out and "<- decided" in asked.out
    reply = run(
        explain.command, EXAMPLE, "/actions/video.create/risk/level", "--import", SHARED, "--json"
    ).json
    assert reply["value"] == "confirm"
    assert run(explain.command, EXAMPLE, "/nope", "--import", SHARED).code == 1
