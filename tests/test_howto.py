"""docs/howto: every command parses, every program compiles, every document is valid, and the webhook server answers."""

from __future__ import annotations

import ast
import json
import re
import runpy
import shlex
import textwrap
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from uiap.cli.command_table import SESSION_COMMANDS
from uiap.cli.commands import root
from uiap.cli.session import session_parser
from uiap.host.consent.grant_signature import is_denial_of, signed_by
from uiap.host.consent.policy_file import rules_from

FOLDER = Path(__file__).parents[1] / "docs" / "howto"
PAGES = sorted(FOLDER.glob("*.md"))
FENCE = re.compile(r"^ *```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
FILES = ("policy.yaml", "login.json", "tokens.json", "cert.pem", "key.pem", "shop.prod.json", "release.key")
FOLDERS = ("reports", "downloaded", "logins", "shop/uiap", "found", "before", "apps/videoland/uiap")


def blocks(page: Path, language: str) -> list[str]:
    found = FENCE.findall(page.read_text("utf-8"))
    return [textwrap.dedent(body) for kind, body in found if kind == language]


def command_lines() -> list[str]:
    lines = (line for page in PAGES for body in blocks(page, "sh") for line in body.splitlines())
    return [line for line in lines if line.startswith("uiap ")]


@pytest.mark.parametrize("line", command_lines())
def test_every_command_parses(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in FOLDERS:
        (tmp_path / name).mkdir(parents=True)
    for name in (*FILES, "found/package.json", "before/package.json"):
        (tmp_path / name).touch()
    name, *rest = shlex.split(line, comments=True)[1:]
    if name in SESSION_COMMANDS:
        session_parser().parse_args([name, *rest])
        return
    command = root.get_command(click.Context(root), name)
    assert command is not None
    parse(command, name, rest)


def parse(command: click.Command, name: str, rest: list[str]) -> None:
    """Parse the arguments of a command, and those of its inner command if it is a group."""
    context = command.make_context(name, rest)
    if isinstance(command, click.Group):
        inner_name, inner, arguments = command.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        assert inner is not None and inner_name is not None
        parse(inner, inner_name, arguments)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_programs_compile_and_documents_are_valid(page: Path, tmp_path: Path) -> None:
    for body in blocks(page, "python"):
        ast.parse(body)
    for body in blocks(page, "json"):
        json.loads(body)
    for body in blocks(page, "yaml"):
        assert yaml.safe_load(body)
        file = tmp_path / "policy.yaml"
        file.write_text(body, "utf-8")
        assert rules_from(file)


def test_every_page_is_listed() -> None:
    index = (FOLDER / "index.md").read_text("utf-8")
    assert all(f"]({page.name})" in index for page in PAGES if page.name != "index.md")


@pytest.mark.parametrize("typed", ["y", "n"])
def test_the_webhook_server_signs_its_answers(
    typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (program,) = blocks(FOLDER / "webhook.md", "python")
    file = tmp_path / "approvals.py"
    file.write_text(program, "utf-8")
    monkeypatch.setenv("UIAP_WEBHOOK_KEY", "k" * 32)
    monkeypatch.setenv("UIAP_WEBHOOK_ANSWER_KEY", "a" * 32)
    monkeypatch.setattr("builtins.input", lambda _prompt: typed)
    names: dict[str, Any] = runpy.run_path(str(file))
    answer = names["Approvals"].decide(None, {"bond": "d" * 64})
    assert answer["answer"] == ("grant" if typed == "y" else "deny")
    assert signed_by("a" * 32, answer["token"])
    assert is_denial_of(answer["token"], "d" * 64) is (typed == "n")
