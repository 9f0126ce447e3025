"""The docs of MCP and the server are true: commands parse, snippets run, tables are complete."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from apps.hazards import serving
from tests.cli.test_serve import Served
from uiap.cli.command_table import SESSION_COMMANDS
from uiap.cli.commands import COMMANDS, root
from uiap.cli.session import session_parser
from uiap.mcp_server.catalogue import TOOLS
from uiap.mcp_server.reply import OUTPUT_SCHEMA

DOCS = Path(__file__).parents[2] / "docs"
MCP, SERVER, LIMITS = ((DOCS / f"{name}.md").read_text("utf-8") for name in ("mcp", "server", "limits"))


@pytest.mark.parametrize("line", re.findall(r"^    (uiap [^#\n]+)", MCP + SERVER, re.MULTILINE))
def test_every_command_parses(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "files").mkdir()
    for name in ("tokens.json", "bot.token", "cert.pem", "key.pem", "rules.yaml", "login.json"):
        (tmp_path / name).touch()
    name, *rest = shlex.split(line)[1:]
    if name in SESSION_COMMANDS:
        session_parser().parse_args([name, *rest])
        return
    command = root.get_command(click.Context(root), name)
    assert command is not None
    command.make_context(name, rest)


def test_the_docs_name_every_tool_and_every_reply_member():
    for tool in TOOLS:
        assert f"`{tool.name}`" in MCP
    for member in OUTPUT_SCHEMA["properties"]:
        assert f"`{member}`" in MCP
    for snippet in re.findall(r"```json\n(.*?)```", MCP + SERVER, re.DOTALL):
        json.loads(snippet)


def test_commands_in_the_text_exist_and_links_resolve():
    text = MCP + SERVER + LIMITS
    assert set(re.findall(r"`uiap (\w+)", text)) <= set(COMMANDS)
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (DOCS / target).exists(), target
    for topic in ("iOS", "Firefox", "WebKit", "Windows", "recording"):
        assert topic in LIMITS


@pytest.mark.browser
def test_the_python_snippet_of_the_server_page_runs(tmp_path: Path):
    (snippet,) = re.findall(r"```python\n(.*?)```", SERVER, re.DOTALL)
    script = tmp_path / "snippet.py"
    script.write_text(snippet)
    with Served(tmp_path / "home") as served, serving() as app:
        words = [sys.executable, str(script), served.url, str(served.secret), app.page("plain")]
        done = subprocess.run(words, capture_output=True, text=True, timeout=100)
        assert served.stop() == 0
    assert done.returncode == 0, done.stderr
    assert 'button "Save"' in done.stdout
