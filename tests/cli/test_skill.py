"""The skill file is short, every command in it parses, and none gives an agent extra rights."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from tests.cli.conftest import Run
from uiap.cli.command_table import SESSION_COMMANDS
from uiap.cli.commands import COMMANDS, root
from uiap.cli.session import session_parser
from uiap.cli.skill import SKILL
from uiap.graph.outline import token_count

INDENTED = re.findall(r"^    (uiap .+)$", SKILL, re.MULTILINE)
INLINE = re.findall(r"`(uiap [a-z][^`]*)`", SKILL)


def test_it_is_printed_or_written_to_a_file(uiap: Run, tmp_path: Path):
    assert uiap("skill").stdout == SKILL
    done = uiap("skill", "--out", "a/b/SKILL.md")
    assert done.returncode == 0
    assert (tmp_path / "a" / "b" / "SKILL.md").read_text() == SKILL


def test_it_is_short_and_has_a_description():
    assert token_count(SKILL) <= 900
    assert SKILL.startswith("---\nname: uiap\ndescription: ")


@pytest.mark.parametrize("line", [*INDENTED, *INLINE])
def test_every_command_in_it_parses(line: str):
    name, *rest = shlex.split(line)[1:]
    assert name in COMMANDS
    if name in SESSION_COMMANDS:
        session_parser().parse_args([name, *(word.replace("TEXT", "x") for word in rest)])
    else:
        command = root.get_command(click.Context(root), name)
        assert command is not None
        command.make_context(name, rest)


def test_it_does_not_teach_trusted_mode_or_answering_for_the_person():
    assert "--trusted" not in SKILL
    assert "approve" not in SKILL
    assert "evaluate" not in SKILL
