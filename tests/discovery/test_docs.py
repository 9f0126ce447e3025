"""docs/discovery.md names options, modes and messages that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from uiap.cli.discover import command
from uiap.cli.review import command as review
from uiap.spec.discovery import DISCOVERY_MODES
from uiap.spec.messages import MESSAGES

TEXT = (Path(__file__).parents[2] / "docs" / "discovery.md").read_text("utf-8")


def test_every_option_on_the_page_exists() -> None:
    commands = [command.commands["run"], command.commands["diff"], review]
    known = {option for one in commands for p in one.params for option in p.opts}
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+(?![a-z…-])", TEXT)) - {
        "--allow-",
        "--from-discovery",
        "--apps",
        "--diff",
        "--killed",
        "--seconds",
    }
    assert options and options <= known


@pytest.mark.parametrize("mode", DISCOVERY_MODES)
def test_every_mode_is_described(mode: str) -> None:
    assert f"| `{mode}` |" in TEXT


def test_every_message_on_the_page_exists() -> None:
    assert {f"uiap.discovery{name}" for name in re.findall(r"`(\.[a-z.]+)`", TEXT)} <= set(MESSAGES)
