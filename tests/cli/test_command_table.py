"""The table of commands: sorted for help, and every row names a module that has the command."""

from __future__ import annotations

import importlib

import pytest

from uiap.cli.command_table import COMMANDS, SESSION_COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_a_module_and_a_short_summary(name: str) -> None:
    entry = COMMANDS[name]
    module = importlib.import_module(entry.module if "." in entry.module else f"uiap.cli.{entry.module}")
    assert module is not None
    assert entry.summary and len(entry.summary) <= 90


def test_session_commands_are_marked() -> None:
    assert {"observe", "act", "close"} <= set(SESSION_COMMANDS)
    assert "serve" not in SESSION_COMMANDS
