"""Every snippet of docs/authoring.md is run: commands, their output, manifests, configuration and Python."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner, Result

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "authoring.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
SHOWN = [body for language, body in BLOCKS if language == "text"]


def run(line: str) -> Result:
    name, *arguments = shlex.split(line.removeprefix("$ uiap "))
    module = importlib.import_module(f"uiap.cli.{name}")
    assert isinstance(module.command, click.Command)
    return CliRunner().invoke(module.command, arguments, standalone_mode=False)


def test_the_tutorial_commands_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cryptography")
    monkeypatch.chdir(tmp_path)
    ran = 0
    for language, body in BLOCKS:
        if language == "yaml" and "kind: ReviewSet" in body:
            (tmp_path / "shop/uiap/reviews/approvals.uiap.yaml").write_text(body, "utf-8")
        for line in body.splitlines() if language == "console" else ():
            command, _, note = line.partition("#")
            expected = int(note.split()[-1]) if "exit" in note else 0
            result = run(command)
            assert result.exception is None, (line, result.exception)
            assert result.return_value == expected, (line, result.output)
            ran += 1
    assert ran == 10
    assert (tmp_path / "shop.prod.json.sig").is_file()


@pytest.mark.parametrize("shown", SHOWN, ids=[body.split()[2] for body in SHOWN])
def test_the_documented_output_is_the_printed_output(shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command, _, expected = shown.partition("\n")
    result = run(command)
    assert result.exception is None, result.exception
    assert result.output == expected
    assert len(expected.splitlines()) < 40  # one screen


def test_the_examples_for_other_tools_are_yaml() -> None:
    bodies = [body for language, body in BLOCKS if language == "yaml"]
    assert len(bodies) >= 3
    for body in bodies:
        assert yaml.safe_load(body)


def test_the_python_examples_run_or_compile(capsys: pytest.CaptureFixture[str]) -> None:
    """tests/host/bundles/test_bundle.py runs the example that opens a browser."""
    for language, body in BLOCKS:
        if language == "python" and "await" in body:
            compile(body, "docs/authoring.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        elif language == "python":
            exec(body, {})
    assert "package.uiap.yaml" in capsys.readouterr().out
