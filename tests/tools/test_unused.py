"""tools/unused.py reports unused code in `src/`, and entries of its list that allow nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import unused


@pytest.fixture
def root(tmp_path: Path) -> Path:
    package = tmp_path / "src" / "uiap"
    package.mkdir(parents=True)
    (package / "a.py").write_text("def used():\n    return 1\n\n\ndef forgotten():\n    return used()\n")
    return tmp_path


def test_a_function_that_nothing_calls_is_reported_with_its_position(root: Path) -> None:
    (found,) = unused.problems(root, {})
    assert found.startswith("src/uiap/a.py:5: unused function `forgotten`; delete it")


def test_an_allowed_name_is_not_reported(root: Path) -> None:
    assert list(unused.problems(root, {"a.py:forgotten": "public"})) == []


def test_an_entry_that_allows_nothing_is_reported(root: Path) -> None:
    found = list(unused.problems(root, {"a.py:forgotten": "public", "a.py:gone": "public"}))
    assert found == ["tools/unused.py: `a.py:gone` allows nothing; delete the entry"]


def test_every_allowed_name_has_a_reason() -> None:
    assert all(unused.ALLOWED.values())
