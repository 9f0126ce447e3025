"""docs/parity.md has a row for every tool and RFC of mobile-debug-mcp, and the named commands and tools exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from uiap.api.ui import Ui
from uiap.cli.commands import COMMANDS
from uiap.mcp_server.catalogue import TOOLS

PAGE = (Path(__file__).parents[2] / "docs" / "parity.md").read_text("utf-8")
THEIRS = [
    "start_app", "terminate_app", "restart_app", "reset_app_data", "install_app", "build_app", "list_devices",
    "get_system_status", "get_ui_tree", "get_current_screen", "get_screen_fingerprint", "capture_screenshot",
    "capture_debug_snapshot", "get_logs", "start_log_stream", "read_log_stream", "stop_log_stream",
    "get_network_activity", "classify_action_outcome", "find_element", "tap", "tap_element", "swipe",
    "scroll_to_element", "type_text", "press_back", "adjust_control", "wait_for_ui", "wait_for_screen_change",
    "wait_for_ui_change", "expect_screen", "expect_element_visible", "expect_state",
]  # fmt: skip


def rows() -> dict[str, list[str]]:
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if "|" in line
    ]
    named = [row for row in cells if len(row) == 5 and re.fullmatch("[a-z_]+", row[0])]
    return {row[0]: row[1:] for row in named if row[0] != "theirs"}


@pytest.mark.requirement("MDM-P2")
def test_every_tool_has_a_row_that_names_existing_counterparts():
    assert list(rows()) == THEIRS and len(THEIRS) == 33
    tools = {tool.name for tool in TOOLS}
    for command, tool, python, _ in rows().values():
        assert {word.split()[1] for word in re.findall("`(uiap [a-z]+)`", command)} <= set(COMMANDS)
        assert set(re.findall("`([a-z]+)`", tool)) <= tools
        assert all(hasattr(Ui, name) for name in re.findall(r"`ui\.([a-z]+)`", python))
    ours = [name for name, row in rows().items() if row[1] == "–"]
    assert ours == ["build_app", "list_devices", "get_system_status", "stop_log_stream"]


def test_every_rfc_has_a_row():
    assert re.findall(r"^\| (0\d\d) ", PAGE, re.MULTILINE) == [f"{number:03}" for number in range(1, 13)]
