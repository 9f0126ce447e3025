"""tools/structure.py reports modules without tests, repeated class names and long modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import structure

LONG = "def area(x): return x * x\n" + "x = 1\n" * 60


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src" / "uiap" / "graph").mkdir(parents=True)
    (tmp_path / "tests" / "graph").mkdir(parents=True)
    write(tmp_path, "tests/mirror.toml", "covered = []\n")
    return tmp_path


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def mirror(root: Path, module: str, *tests: str, reason: str = "drawn together") -> None:
    write(
        root,
        "tests/mirror.toml",
        f'[[covered]]\nmodules = ["{module}"]\ntests = {list(tests)}\nreason = "{reason}"\n',
    )


def test_a_module_of_61_lines_needs_tests_at_the_mirrored_path(root: Path) -> None:
    write(root, "src/uiap/graph/diff.py", LONG)
    (found,) = structure.problems(root)
    assert found.startswith("src/uiap/graph/diff.py:1: no tests; write tests/graph/test_diff.py, or name")
    write(root, "tests/graph/test_diff.py", "")
    assert list(structure.problems(root)) == []


def test_a_module_of_60_lines_needs_no_tests(root: Path) -> None:
    write(root, "src/uiap/graph/diff.py", LONG.removesuffix("x = 1\n"))
    assert list(structure.problems(root)) == []


@pytest.mark.parametrize(
    ("source", "behaves"),
    [
        ("class A:\n    x: int = 1\n", False),
        ('class A:\n    def read(self): ...\n    def write(self):\n        """Write."""\n', False),
        ("class A:\n    @property\n    def kind(self): return 1\n", False),
        ("class A:\n    def kind(self): return 1\n", True),
        ("def area(x):\n    y = x * x\n    return y\n", True),
    ],
)
def test_types_and_tables_alone_need_no_tests(source: str, behaves: bool) -> None:
    assert structure.has_behaviour(source) is behaves


@pytest.mark.parametrize("pattern", ["graph/diff.py", "graph/*.py"])
def test_the_mapping_file_names_the_tests_of_a_module_elsewhere(root: Path, pattern: str) -> None:
    write(root, "src/uiap/graph/diff.py", LONG)
    write(root, "tests/graph/test_store.py", "")
    mirror(root, pattern, "tests/graph/test_store.py")
    assert list(structure.problems(root)) == []


@pytest.mark.parametrize(
    ("entry", "test", "reason", "found"),
    [
        (
            "graph/gone.py",
            "tests/graph/test_store.py",
            "why",
            "`graph/gone.py` names no module that needs an entry",
        ),
        ("graph/diff.py", "tests/graph/test_gone.py", "why", "there is no test `tests/graph/test_gone.py`"),
        ("graph/diff.py", "tests/graph/test_store.py", "", "the entry of `graph/diff.py` has no reason"),
    ],
)
def test_a_wrong_entry_of_the_mapping_file_is_reported(
    root: Path, entry: str, test: str, reason: str, found: str
) -> None:
    write(root, "src/uiap/graph/diff.py", LONG)
    write(root, "tests/graph/test_store.py", "")
    mirror(root, entry, test, reason=reason)
    assert any(found in line for line in structure.problems(root))


def test_a_class_name_that_is_defined_twice_is_reported_with_both_positions(root: Path) -> None:
    write(root, "src/uiap/a.py", "class Same: ...\n")
    write(root, "src/uiap/b.py", "x = 1\nclass Same: ...\n")
    assert list(structure.problems(root)) == [
        "src/uiap/b.py:2: class `Same` is defined in src/uiap/a.py:1 too; rename one of them"
    ]


def test_events_of_machines_may_repeat_names(root: Path) -> None:
    write(root, "src/uiap/runtime/events.py", "class Started: ...\n")
    write(root, "src/uiap/discovery/events.py", "class Started: ...\n")
    assert list(structure.problems(root)) == []


def test_a_module_of_501_lines_is_reported(root: Path) -> None:
    write(root, "src/uiap/a.py", "x = 1\n" * 501)
    write(root, "tests/test_a.py", "")
    (found,) = structure.problems(root)
    assert found.startswith("src/uiap/a.py:501: 501 lines instead of at most 500; split it")
