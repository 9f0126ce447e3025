"""Adds generated pages to the documentation website. MkDocs calls the `on_…` functions (see mkdocs.yml).

The reference pages are generated from the code: Python API, commands, MCP tools, messages and JSON Schemas. Pages from
outside of docs/ (changelog, examples, the protocol of the page script) are added as well, and links to them are
rewritten. None of these pages is written to the repository.
"""

from __future__ import annotations

import argparse
import json
import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import uiap
from uiap.cli.command_table import COMMANDS
from uiap.cli.commands import root as command_group
from uiap.cli.session import session_parser
from uiap.mcp_server.catalogue import TOOLS, Tool
from uiap.spec.messages import MESSAGES

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # MkDocs loads this file by its path

from tools import state_diagram  # noqa: E402

SCHEMAS = ROOT / "schema" / "v0.1"

REPOSITORY_PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
    "web/sdk/PROTOCOL.md": "repository/web/sdk/PROTOCOL.md",
    **{
        f"examples/{path.name}": f"repository/examples/{path.stem}.md"
        for path in sorted((ROOT / "examples").glob("*.py"))
    },
}
"""The page of the website for each file outside of docs/. The README is replaced by the home page."""

LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
MERMAID = re.compile(r"^```mermaid$.*?^```$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


# -- called by MkDocs -----------------------------------------------------------------------------------------


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages and the schema files."""
    for uri, text in generated_pages().items():
        files.append(File.generated(config, uri, content=text))
    for schema in sorted(SCHEMAS.glob("*.json")):
        files.append(
            File.generated(config, f"reference/schema/{schema.name}", abs_src_path=str(schema.resolve()))
        )
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links that leave docs/ lead to the pages of this website, and draw the state diagram."""
    return rewrite_links(MERMAID.sub(lambda _: state_diagram.svg(), markdown), page.file.src_uri)


# -- pages ----------------------------------------------------------------------------------------------------


def generated_pages() -> dict[str, str]:
    """Return the Markdown of every generated page by its path in the website."""
    return {
        "reference/python.md": python_page(),
        "reference/cli.md": cli_page(),
        "reference/mcp-tools.md": mcp_page(),
        "reference/messages.md": messages_page(),
        "reference/schemas.md": schemas_page(),
        **{uri: repository_page(path) for path, uri in REPOSITORY_PAGES.items() if path != "README.md"},
    }


def repository_page(path: str) -> str:
    """Return a file of the repository as a page: Markdown as it is, code in a block."""
    text = (ROOT / path).read_text("utf-8")
    return text if path.endswith(".md") else f"# {path}\n\n```python\n{text}```\n"


def python_page() -> str:
    """Return the page of the Python API. mkdocstrings fills in the docstrings."""
    signals = [name for name in uiap.__all__ if name in vars(__import__("uiap.api.signals", fromlist=["x"]))]
    sections = [
        ("Open a session", ["uiap.api.open_session.open", "uiap.api.open_session.connect"]),
        ("Attach to an open browser", ["uiap.api.attach_session.attach"]),
        (
            "Verbs of a session",
            ["uiap.api.verbs.UiVerbs", "uiap.api.verbs.VerbOptions", "uiap.api.begun.BegunAction"],
        ),
        ("A session", ["uiap.api.ui.Ui", "uiap.api.answers.UiAnswers"]),
        (
            "Results",
            [
                "uiap.api.result.Result",
                "uiap.api.result.ActionFailed",
                "uiap.api.begun.PersonNeeded",
                "uiap.api.graph.Graph",
                "uiap.api.trace.Trace",
            ],
        ),
        ("Found, expected, waited", [f"uiap.api.found.{n}" for n in ("ElementMatch", "Expected", "Waited")]),
        ("Expected effects", [f"uiap.api.signals.{name}" for name in signals]),
        ("Discovery", [f"uiap.api.discovery.{n}" for n in ("discover", "plan", "DiscoveryRun")]),
        (
            "Discovery options",
            [f"uiap.api.discovery_options.{n}" for n in ("DiscoveryOptions", "environment")],
        ),
        ("Errors", ["uiap.errors.UiapError", "uiap.errors.RuntimeFault", "uiap.errors.Unavailable"]),
    ]
    lines = [
        "# Python API",
        "",
        "`import uiap` gives `uiap.open`, `uiap.connect`, `uiap.attach`, `uiap.Ui`, `uiap.Result`, "
        "`uiap.ActionFailed`, `uiap.Graph`, `uiap.UiapError` and the functions for expected effects. "
        "`uiap.sync` has the same functions without async: `uiap.sync.open(url)` returns a session whose methods wait.",
    ]
    for title, names in sections:
        lines += ["", f"## {title}", *(f"\n::: {name}" for name in names)]
    return "\n".join(lines) + "\n"


def cli_page() -> str:
    """Return the page of all commands with their help."""
    lines = [
        "# Command line",
        "",
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused by the policy or a person, "
        "4 a person has to answer first. Every command takes `--json`.",
        "",
        "| command | does |",
        "|---|---|",
        *(f"| [`uiap {name}`](#uiap-{name}) | {entry.summary} |" for name, entry in sorted(COMMANDS.items())),
    ]
    parsers = _session_parsers()
    for name, entry in sorted(COMMANDS.items()):
        lines += ["", f"## `uiap {name}` {{ #uiap-{name} }}", ""]
        lines += _argparse_section(parsers[name]) if entry.in_session else _click_section(name)
    return "\n".join(lines) + "\n"


def mcp_page() -> str:
    """Return the page of all MCP tools."""
    lines = [
        "# MCP tools",
        "",
        "The tools of `uiap mcp`, as a model reads them. Arguments in bold are required.",
    ]
    for profile, title in (("default", "Default profile"), ("full", "Added by `--profile full`")):
        lines += ["", f"## {title}"]
        for tool in TOOLS:
            if tool.profile == profile:
                lines += ["", f"### {tool.name}", "", _cell(tool.description), *_tool_arguments(tool)]
    return "\n".join(lines) + "\n"


def messages_page() -> str:
    """Return the table of all messages of the protocol."""
    lines = [
        "# Messages",
        "",
        "Every message of the protocol. The payload types are in the [JSON Schemas](schemas.md). A message of an "
        "extension needs that extension to be negotiated.",
    ]
    for owner in dict.fromkeys(row.owner for row in MESSAGES.values()):
        rows = [row for row in MESSAGES.values() if row.owner == owner]
        lines += ["", f"## {owner}", "", "| type | kind | payload | answered by |", "|---|---|---|---|"]
        for row in rows:
            answers = ", ".join(f"`{answer}`" for answer in row.answers)
            lines.append(f"| `{row.type}` | {', '.join(row.kinds)} | `{row.payload.__name__}` | {answers} |")
    return "\n".join(lines) + "\n"


def schemas_page() -> str:
    """Return the list of JSON Schema files with the types they define."""
    lines = [
        "# JSON Schemas",
        "",
        "The schemas of all types, generated from `src/uiap/spec` (`make schema`). `messages.json` maps each message "
        "type to the schema of its payload.",
    ]
    for schema in sorted(SCHEMAS.glob("*.json")):
        document = json.loads(schema.read_text("utf-8"))
        names = sorted(document.get("$defs", {}))
        lines += ["", f"## {schema.stem}", "", f"[{schema.name}](schema/{schema.name})"]
        if names:
            lines += ["", ", ".join(f"`{name}`" for name in names)]
    return "\n".join(lines) + "\n"


# -- commands -------------------------------------------------------------------------------------------------


def _session_parsers() -> dict[str, argparse.ArgumentParser]:
    for action in session_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise AssertionError("the session parser has no commands")


def _argparse_section(parser: argparse.ArgumentParser) -> list[str]:
    usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
    rows = [
        (_argparse_name(action), action.help or "")
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction)
    ]
    return [parser.description or "", "", f"```text\n{usage}\n```", "", *_option_table(rows)]


def _argparse_name(action: argparse.Action) -> str:
    if action.option_strings:
        value = action.metavar or ("|".join(action.choices) if action.choices else action.dest.upper())
        suffix = "" if action.nargs == 0 else f" {value}"
        return ", ".join(action.option_strings) + suffix
    return str(action.metavar or action.dest)


def _click_section(name: str) -> list[str]:
    command = command_group.get_command(click.Context(command_group, info_name="uiap"), name)
    assert command is not None
    return list(_click_lines(command, f"uiap {name}"))


def _click_lines(command: click.Command, path: str) -> Iterator[str]:
    context = click.Context(command, info_name=path)
    yield from (re.sub(r"\s+", " ", part) + "\n" for part in (command.help or "").split("\n\n"))
    yield f"```text\n{path} {' '.join(command.collect_usage_pieces(context))}\n```\n"
    rows = [
        record
        for parameter in command.params
        if (record := parameter.get_help_record(context)) is not None
        and not getattr(parameter, "hidden", False)
    ]
    yield from _option_table(rows)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield f"\n### `{path} {name}`\n"
                yield from _click_lines(inner, f"{path} {name}")


def _option_table(rows: list[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    return [
        "| option | meaning |",
        "|---|---|",
        *(f"| {_code(name)} | {_cell(text)} |" for name, text in rows),
        "",
    ]


# -- tools ----------------------------------------------------------------------------------------------------


def _tool_arguments(tool: Tool) -> list[str]:
    if not tool.members:
        return []
    lines = ["", "| argument | type | meaning |", "|---|---|---|"]
    for name, schema in tool.members.items():
        shown = f"**{name}**" if name in tool.required else name
        meaning = schema.get("description") or _described_elsewhere(name)
        lines.append(f"| {shown} | {_schema_type(schema)} | {_cell(meaning)} |")
    return lines


def _described_elsewhere(name: str) -> str:
    """Return the description of a member in another tool: a member means the same in all of them."""
    found = (str(tool.members[name].get("description", "")) for tool in TOOLS if name in tool.members)
    return next((text for text in found if text), "")


def _schema_type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    return str(schema.get("type", "any"))


def _code(text: str) -> str:
    return f"`{_cell(text)}`"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").strip()


# -- links ----------------------------------------------------------------------------------------------------


def rewrite_links(markdown: str, uri: str) -> str:
    """Return the page with links to files outside of docs/ replaced by links to their pages."""
    origin = next(
        (path for path, page in REPOSITORY_PAGES.items() if page == uri != "index.md"), f"docs/{uri}"
    )
    folder, here = posixpath.dirname(origin), posixpath.dirname(uri)

    def rewritten(match: re.Match[str]) -> str:
        target = match[2]
        if ":" in target or target.startswith("/"):
            return match[0]
        path = posixpath.normpath(posixpath.join(folder, target))
        page = REPOSITORY_PAGES.get(path, path.removeprefix("docs/"))
        return f"{match[1]}{posixpath.relpath(page, here or '.')}{match[3]}"

    parts: list[str] = []
    end = 0
    for fence in FENCE.finditer(markdown):
        parts += [LINK.sub(rewritten, markdown[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, LINK.sub(rewritten, markdown[end:])])
