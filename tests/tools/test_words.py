"""tools/words.py finds the sentences and names it is meant to find, and leaves plain English alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import words


def findings(path: Path, source: str) -> list[tuple[int, str]]:
    path.write_text(source)
    return [(finding.line, finding.rule) for finding in words.check_file(path)]


RELATIVE = "begins with a free relative clause"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ('"""What was sent is kept."""\n', 1),
        ('"""Keep the messages.\n\nWhatever was sent is kept.\n"""\n', 3),
        ("x = 1  # what nobody reported may be gone\n", 1),
        ("# Keep it.\n# Whoever asks gets it.\n", 2),
        ("# That which is hidden is left out.\n", 1),
        ('raise ValueError("Try again. What came later is lost.")\n', 1),
        ('x = f"what {name} wrote is lost"\n', 1),
        ('"""Keep it.\n\n- what was sent is kept\n"""\n', 3),
    ],
)
def test_a_sentence_that_begins_with_a_free_relative_clause_is_found(
    tmp_path: Path, source: str, line: int
) -> None:
    assert findings(tmp_path / "a.py", source) == [(line, RELATIVE)]


@pytest.mark.parametrize(
    "source",
    [
        '"""What changed since the last delta?"""\n',
        '"""Return the part of the page\nwhat is visible belongs to."""\n',
        "# The reader knows\n# what is visible.\n",
        'x = "the page shows " "what was sent"\n',
        'kind = "what"\n',
        'help = "what to do before the listing"\n',
        "what = 1\n",
        "# See e.g. what the reader returns.\n",
    ],
)
def test_questions_and_clauses_inside_a_sentence_are_fine(tmp_path: Path, source: str) -> None:
    assert findings(tmp_path / "a.py", source) == []


@pytest.mark.parametrize(
    ("phrase", "rule"),
    [
        ("the requests of late", "of late"),
        ("read the page anew", "anew"),
        ("at most so many elements", "so many"),
        ("waits so\n    long for an answer", "so long"),
        ("a page come to by its address", "come to by"),
        ("the label stands beside the field", "stands beside"),
        ("the driver is told once", "is told"),
        ("it was told before", "was told"),
        ("that may be so.", "be so"),
    ],
)
def test_a_banned_phrase_is_found(tmp_path: Path, phrase: str, rule: str) -> None:
    assert [rule for _, rule in findings(tmp_path / "a.py", f'"""Here {phrase}"""\n')] == [f"says `{rule}`"]


@pytest.mark.parametrize(
    "text",
    [
        "wait as long as so long as the page loads",
        "there are so many that none is sent",
        "the page may be so large that it is cut",
        "a late toast",
        "two rows that cannot be told apart",
    ],
)
def test_the_ordinary_uses_of_these_words_are_fine(tmp_path: Path, text: str) -> None:
    assert findings(tmp_path / "a.py", f'"""Here {text}"""\n') == []


@pytest.mark.parametrize(
    "text", ["the mode is chosen once (HOUSE §3)", "see companions §12.4", "see companions 12.4"]
)
def test_a_citation_of_a_document_outside_of_the_repository_is_found(tmp_path: Path, text: str) -> None:
    assert findings(tmp_path / "a.py", f"x = 1\n# {text}\n") == [
        (2, "cites a document that is not in the repository")
    ]


@pytest.mark.parametrize(
    "name", ["told", "_told", "until_told", "_heard", "said", "read_shown", "_known", "_so"]
)
def test_a_function_named_after_a_participle_is_found(tmp_path: Path, name: str) -> None:
    assert findings(tmp_path / "a.py", f"class A:\n    async def {name}(self): ...\n") == [
        (2, f"function named `{name}`")
    ]
    assert findings(tmp_path / "a.ts", f"class A {{\n  private {name}(a: string): void {{\n  }}\n}}\n") == [
        (2, f"function named `{name}`")
    ]


@pytest.mark.parametrize("name", ["is_known", "_was_shown", "also", "threshold", "known_paths"])
def test_predicates_and_other_names_are_fine(tmp_path: Path, name: str) -> None:
    assert findings(tmp_path / "a.py", f"def {name}(): ...\n") == []
    assert findings(tmp_path / "a.ts", f"function {name}(): void {{\n}}\n") == []


def test_comments_and_strings_of_typescript_are_read(tmp_path: Path) -> None:
    source = """/**
 * Read the page.
 * What is hidden is left out.
 */
const a = 1; // whatever happens, this stays
// The reader knows
// what is visible.
const told = (a: number): number => a;
const b = "https://example.org/what is";
"""
    assert findings(tmp_path / "a.ts", source) == [
        (3, RELATIVE),
        (5, RELATIVE),
        (8, "function named `told`"),
    ]


def test_markdown_is_read_without_headings_and_fenced_code(tmp_path: Path) -> None:
    source = """# What it is

Read this. What is hidden
is left out.

```
what is printed here is an example, read anew
```

| what it is | meaning |
|---|---|
| element | read anew |

1. One.
- Whoever asks gets it.
"""
    assert findings(tmp_path / "a.md", source) == [(3, RELATIVE), (12, "says `anew`"), (15, RELATIVE)]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in {
        "src/uiap/host/a.py": '"""What is here."""\n',
        "src/uiap/ids.py": '"""Make ids."""\n',
        "web/sdk/src/a.ts": "// read anew\n",
        "docs/a.md": "Whatever is here.\n",
        "docs/reports/b.md": "What is in a report is not checked.\n",
        "README.md": "Plain.\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_findings_are_printed_with_file_and_line_and_fail_the_check(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words.main([], checkout) == 1
    assert capsys.readouterr().out.splitlines() == [
        "src/uiap/host/a.py:1: begins with a free relative clause: What is here.",
        "web/sdk/src/a.ts:1: says `anew`: anew",
        "docs/a.md:1: begins with a free relative clause: Whatever is here.",
    ]


def test_paths_limit_the_check(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert words.main(["src/uiap/ids.py", "README.md"], checkout) == 0
    assert capsys.readouterr().out == ""
    assert words.main(["src/uiap/host"], checkout) == 1


def test_count_prints_the_findings_of_each_package(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words.main(["--count"], checkout) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        ["1", "uiap/host"],
        ["1", "web/sdk"],
        ["1", "docs"],
        ["0", "uiap/ids"],
        ["0", "README.md"],
        ["3", "total"],
    ]


@pytest.mark.parametrize("argument", ["--fast", "src/nowhere"])
def test_an_unknown_option_or_path_is_refused(
    checkout: Path, capsys: pytest.CaptureFixture[str], argument: str
) -> None:
    assert words.main([argument], checkout) == 2
    assert f"`{argument}`" in capsys.readouterr().err
