"""The soak cases and their reports: every code has a title, a report with that title, and a row in the index."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest
from tools.cases import CASES

from tools import soak

REPORTS = soak.REPORTS
FAMILIES = sorted((soak.ROOT / "tools" / "cases").glob("*.py"))


@pytest.mark.parametrize("code", CASES)
def test_a_report_has_the_title_of_its_case(code: str) -> None:
    lines = (REPORTS / CASES[code].report).read_text().splitlines()
    assert lines[0] == f"# {CASES[code].title}"
    assert lines[2] == CASES[code].shows
    assert f"- command: `make soak CASE={code}`" in lines


def test_the_index_has_a_row_for_every_report_and_every_case() -> None:
    index = (REPORTS / "README.md").read_text()
    for report in sorted(REPORTS.glob("*.md")):
        assert report.name == "README.md" or f"]({report.name}) |" in index
    for code, case in CASES.items():
        assert f"| [{case.title}]({case.report}) | `{code}` | {case.shows} |" in index


def test_the_list_shows_every_code_with_its_title(capsys: pytest.CaptureFixture[str]) -> None:
    assert soak.main(["--list"]) == 0
    printed = capsys.readouterr().out
    for code, case in CASES.items():
        assert any(line.split(maxsplit=1) == [code, case.title] for line in printed.splitlines())


def test_an_unknown_code_is_refused_with_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert soak.main(["F999"]) == 2
    printed = capsys.readouterr().err
    assert "`F999`" in printed
    assert CASES["F1"].title in printed


@pytest.mark.parametrize("family", FAMILIES, ids=lambda path: path.stem)
def test_everything_that_a_case_imports_exists(family: Path) -> None:
    """Cases import their code when they run, so a rename would be noticed only by a soak run."""
    for node in ast.walk(ast.parse(family.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            module = importlib.import_module(node.module)
            for alias in node.names:
                if not hasattr(module, alias.name):
                    importlib.import_module(f"{node.module}.{alias.name}")


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("tests.attack.soak", ("forged", "swapped", "lowered", "decided", "rewritten")),
        ("tests.faults.soak", ("kills", "lost_tabs", "away", "network", "cycles", "cancels")),
    ],
)
def test_the_functions_that_cases_name_as_text_exist(module: str, names: tuple[str, ...]) -> None:
    cases = "".join(path.read_text() for path in FAMILIES)
    for name in names:
        assert callable(getattr(importlib.import_module(module), name))
        assert f'("{name}")' in cases
