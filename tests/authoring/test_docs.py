"""Every snippet of docs/authoring.md is run: commands, manifests, configuration and Python."""

from __future__ import annotations

import importlib
import re
import shlex
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner

TEXT = (Path(__file__).parents[2] / "docs" / "authoring.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_the_walk_through_works_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for language, body in BLOCKS:
        if language == "yaml" and "kind: ReviewSet" in body:
            (tmp_path / "shop/uiap/reviews/approvals.uiap.yaml").write_text(body, "utf-8")
        for line in body.splitlines() if language == "console" else ():
            command, _, note = line.removeprefix("$ uiap ").partition("#")
            expected = int(note.split()[-1]) if "exit" in note else 0
            name, *arguments = shlex.split(command)
            module = importlib.import_module(f"uiap.cli.{name}")
            assert isinstance(module.command, click.Command)
            result = CliRunner().invoke(module.command, arguments, standalone_mode=False)
            assert result.exception is None, (line, result.exception)
            assert result.return_value == expected, (line, result.output)
            ran += 1
    assert ran == 8


def test_the_examples_for_other_tools_are_yaml() -> None:
    for language, body in BLOCKS:
        if language == "yaml":
            assert yaml.safe_load(body)


def test_the_python_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = [body for language, body in BLOCKS if language == "python"]
    exec(code, {})
    assert "package.uiap.yaml" in capsys.readouterr().out
