"""docs/policy.md: its policy is valid, its commands exist, its program is Python."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from uiap.cli.commands import COMMANDS
from uiap.host.consent.policy_file import rules_from

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "policy.md").read_text()


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.S)


def test_the_policy_in_the_docs_is_valid(tmp_path: Path) -> None:
    (text,) = blocks("yaml")
    file = tmp_path / "house.yaml"
    file.write_text(text)
    (document,) = rules_from(file)
    assert [rule.id for rule in document.rules] == [  # type: ignore[union-attr]
        "drafts-are-free", "publishing-asks-once", "money-is-for-people"]  # fmt: skip


def test_the_commands_in_the_docs_exist() -> None:
    named = re.findall(r"uiap (\w+)", " ".join(blocks("sh")))
    assert set(named) <= set(COMMANDS)
    for program in blocks("python"):
        ast.parse(program)
