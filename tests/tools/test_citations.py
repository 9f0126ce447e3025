"""tools/citations.py finds citations of things that do not exist, and accepts those that do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import citations

ROOT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    files = {
        "conformance/requirements/act.yaml": (
            "spec: ACT\nsource: here\nrequirements:\n- {id: ACT-8.3, level: MUST, text: once}\n"
        ),
        "docs/guide.md": "# Guide\n\n## One way out\n\nText.\n",
        "src/uiap/runtime/check.py": "LIMIT = 1\n\n\nclass Ready: ...\n\n\ndef check(): ...\n",
        "tests/test_a.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def problems(checkout: Path, name: str, text: str) -> list[tuple[int, str]]:
    (checkout / name).parent.mkdir(parents=True, exist_ok=True)
    (checkout / name).write_text(text, "utf-8")
    return [(one.line, one.problem) for one in citations.findings(checkout) if one.path == name]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("# ACT-8.4: twice\n", "there is no requirement `ACT-8.4` in conformance/requirements"),
        ("# see docs/gone.md\n", "`docs/gone.md` does not exist"),
        ("# see docs/guide.md#nowhere\n", "`docs/guide.md#nowhere` does not exist"),
        ("# the layers (HOUSE 3)\n", "`HOUSE` cites a text that is not in the repository"),
        ("# companions §12.4\n", "`companions §` cites a text that is not in the repository"),
        ("# robustness P11\n", "`robustness P1` cites a text that is not in the repository"),
    ],
)
def test_code_that_cites_something_absent_is_found(checkout: Path, text: str, problem: str) -> None:
    assert problems(checkout, "src/uiap/a.py", f"x = 1\n{text}") == [(2, problem)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[a](gone.md)\n", "the link `gone.md` leads nowhere"),
        ("[a](guide.md#nowhere)\n", "the link `guide.md#nowhere` leads nowhere"),
        ("[a](#nowhere)\n", "the link `#nowhere` leads nowhere"),
        ("`runtime/gone.py`\n", "there is no file `runtime/gone.py`"),
        ("`runtime/check.py:gone`\n", "`runtime/check.py` does not define `gone`"),
    ],
)
def test_a_page_that_cites_something_absent_is_found(checkout: Path, text: str, problem: str) -> None:
    assert problems(checkout, "docs/page.md", f"# Page\n{text}") == [(2, problem)]


@pytest.mark.parametrize(
    "text",
    [
        "ACT-8.3, and a case: `make soak CASE=F10`.",
        "[a](guide.md#one-way-out), [b](https://example.org/gone), [c](#page), [d](../src/uiap/runtime/check.py)",
        "`runtime/check.py`, `src/uiap/runtime/check.py`, `runtime/check.py:check`, `runtime/check.py:Ready`",
        "`runtime/check.py:LIMIT`, docs/guide.md#one-way-out.",
        "```\n[a](gone.md) `runtime/gone.py`\n```",
    ],
)
def test_existing_things_may_be_cited(checkout: Path, text: str) -> None:
    assert problems(checkout, "docs/page.md", f"# Page\n\n{text}\n") == []


def test_findings_are_printed_with_file_and_line_and_fail_the_check(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert citations.main(checkout) == 0
    (checkout / "README.md").write_text("# Read\n\n[a](gone.md)\n", "utf-8")
    assert citations.main(checkout) == 1
    assert capsys.readouterr().out == "README.md:3: the link `gone.md` leads nowhere\n"


def test_everything_cited_in_this_repository_exists() -> None:
    assert citations.findings(ROOT) == []
