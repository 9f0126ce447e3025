"""docs/interfaces.md lists everything each interface offers; an addition that no interface reaches fails here."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.handlers import Notes
from uiap.api.sync import SyncUi
from uiap.api.ui import Ui
from uiap.cli.command_table import SESSION_COMMANDS
from uiap.drivers.scripted import ScriptedDriver
from uiap.host.sessions.session_services import SessionServices
from uiap.mcp_server.catalogue import TOOLS

TABLE = (Path(__file__).parents[2] / "docs" / "interfaces.md").read_text("utf-8")
ROWS = [line.strip("|").split("|") for line in TABLE.splitlines() if line.startswith("| ")][1:]
INNER = {"person"}
"""`person` is another `Ui`, so its methods are already in the table."""


def named(column: int) -> set[str]:
    return {word for row in ROWS for word in re.findall(r"`([^`]+)`", row[column])}


def public(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")} - INNER


def test_every_session_method_is_in_the_table() -> None:
    assert public(Ui) <= named(1)


def test_every_async_method_has_a_sync_counterpart() -> None:
    assert public(Ui) - public(SyncUi) == set()


def test_every_session_command_and_every_mcp_tool_is_in_the_table() -> None:
    assert set(SESSION_COMMANDS) <= named(2)
    assert {tool.name for tool in TOOLS} <= named(3)
    assert all(f"`{tool.name}` (full)" in TABLE for tool in TOOLS if tool.profile == "full")


def test_every_message_type_a_session_handles_is_in_the_table() -> None:
    place = SessionServices(ScriptedDriver(Notes().page()), rules="standard")
    assert set(place.handlers) <= named(4)


def test_no_cell_is_empty() -> None:
    assert all(len(row) == 5 and all(cell.strip() for cell in row) for row in ROWS)
