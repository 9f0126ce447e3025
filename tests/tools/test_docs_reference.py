"""tools/docs_reference.py generates a page for everything the code offers, and rewrites links that leave docs/."""

from __future__ import annotations

import pytest

import uiap
from tools import docs_reference as reference
from uiap.cli.command_table import COMMANDS
from uiap.mcp_server.catalogue import TOOLS
from uiap.spec.messages import MESSAGES


def test_every_command_has_a_section_with_its_options() -> None:
    page = reference.cli_page()
    assert all(f"## `uiap {name}`" in page for name in COMMANDS)
    assert "### `uiap policy diff`" in page
    assert "| `--expect SIGNAL` |" in page and "| `--policy any\\|all\\|none` |" in page
    assert "| `--downloads DIRECTORY` |" in page


def test_every_tool_has_a_section_with_its_arguments() -> None:
    page = reference.mcp_page()
    for tool in TOOLS:
        assert f"### {tool.name}\n" in page
        assert all(f"| **{name}** |" in page for name in tool.required)


def test_every_message_is_in_the_table() -> None:
    page = reference.messages_page()
    assert all(
        f"| `{row.type}` |" in page and f"`{row.payload.__name__}`" in page for row in MESSAGES.values()
    )


def test_every_schema_file_is_listed() -> None:
    page = reference.schemas_page()
    files = list(reference.SCHEMAS.glob("*.json"))
    assert files and all(f"](schema/{file.name})" in page for file in files)
    assert "`PageGraph`" in page


def test_every_public_name_is_on_the_python_page() -> None:
    page = reference.python_page()
    documented = {line.rpartition(".")[2] for line in page.splitlines() if line.startswith("::: ")}
    assert set(uiap.__all__) - {"__version__", "sync"} <= documented


@pytest.mark.parametrize(
    ("uri", "link", "rewritten"),
    [
        ("mcp.md", "../examples/mcp_client.py", "repository/examples/mcp_client.md"),
        ("spec/sdk.md", "../../web/sdk/PROTOCOL.md", "../repository/web/sdk/PROTOCOL.md"),
        ("changelog.md", "docs/page.md", "page.md"),
        ("changelog.md", "docs/actions.md#files", "actions.md#files"),
        ("contributing.md", "docs/adr/index.md", "adr/index.md"),
        ("howto/files.md", "../policy.md", "../policy.md"),
        ("page.md", "https://example.org/a", "https://example.org/a"),
        ("page.md", "#limits", "#limits"),
    ],
)
def test_links_lead_to_pages_of_the_website(uri: str, link: str, rewritten: str) -> None:
    assert reference.rewrite_links(f"See [this]({link}).", uri) == f"See [this]({rewritten})."


def test_links_in_code_stay_as_they_are() -> None:
    text = "```md\n[a](../examples/mcp_client.py)\n```"
    assert reference.rewrite_links(text, "mcp.md") == text
