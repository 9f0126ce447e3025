"""Check that everything the code and the documentation cite exists in this repository.

Usage: python tools/citations.py

Prints `file:line: problem` for each finding and exits with 1 if there is one. It checks

- requirement ids such as ACT-8.3: they are in conformance/requirements;
- paths such as docs/policy.md, with or without a heading, in comments and pages;
- relative links of Markdown pages, and their headings;
- code that a page names: `runtime/check.py`, and `runtime/check.py:check` with the name defined there;
- texts that are not in the repository (HOUSE, companions, robustness): nothing cites them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from uiap.conformance import ledger

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "web/sdk/PROTOCOL.md")
CODE = ("src/**/*.py", "web/sdk/src/**/*.ts")
GENERATED = ("changelog.md", "contributing.md")
"""Pages of the website that tools/docs_reference.py adds."""

REQUIREMENT = re.compile(
    r"\b(?:ACT|CAP|DISC|AUTH|MDM|RUN|WF|SDK|CONF)-[0-9A-Z][0-9A-Za-z]*(?:\.[0-9]+[a-z]?)*"
)
DOCS_PATH = re.compile(r"(?<![\w/.])docs/[\w./-]*\w(#[\w-]+)?")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE_PATH = re.compile(r"`((?:[\w-]+/)+[\w-]+\.(?:py|ts))(?::(\w+))?`")
ABSENT = re.compile(r"\bHOUSE\b|\b[Cc]ompanions?\s+[§\d]|\b[Rr]obustness\s+[A-Z]\d")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


class Finding(NamedTuple):
    path: str
    line: int
    problem: str


def findings(root: Path) -> list[Finding]:
    """Return everything that is cited and does not exist."""
    known = frozenset(ledger.read(root).requirements)
    found: list[Finding] = []
    for path in _files(root, PAGES + CODE):
        text = path.read_text("utf-8")
        name = path.relative_to(root).as_posix()
        for position, problem in _problems(root, path, text, known):
            found.append(Finding(name, text.count("\n", 0, position) + 1, problem))
    return sorted(found)


def _files(root: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        yield from sorted(root.glob(pattern))


def _problems(root: Path, path: Path, text: str, known: frozenset[str]) -> Iterator[tuple[int, str]]:
    for match in REQUIREMENT.finditer(text):
        if match[0] not in known:
            yield match.start(), f"there is no requirement `{match[0]}` in conformance/requirements"
    for match in ABSENT.finditer(text):
        yield match.start(), f"`{match[0]}` cites a text that is not in the repository"
    for match in DOCS_PATH.finditer(text):
        if not _exists(root / match[0].partition("#")[0], match[1]):
            yield match.start(), f"`{match[0]}` does not exist"
    if path.suffix == ".md":
        yield from _page_problems(root, path, _without_fences(text))


def _page_problems(root: Path, path: Path, text: str) -> Iterator[tuple[int, str]]:
    for match in LINK.finditer(text):
        target, _, heading = match[1].partition("#")
        if ":" not in target and target not in GENERATED:
            linked = path if not target else path.parent / target
            if not _exists(linked, f"#{heading}" if heading else None):
                yield match.start(), f"the link `{match[1]}` leads nowhere"
    for match in CODE_PATH.finditer(text):
        file = next(
            (base / match[1] for base in (root, root / "src/uiap") if (base / match[1]).is_file()), None
        )
        if file is None:
            yield match.start(), f"there is no file `{match[1]}`"
        elif match[2] and not re.search(
            rf"\b(?:def|class) {match[2]}\b|^{match[2]}\b", file.read_text(), re.M
        ):
            yield match.start(), f"`{match[1]}` does not define `{match[2]}`"


def _without_fences(text: str) -> str:
    """Return the page with fenced code blanked out, so that positions stay the same."""
    return FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _exists(file: Path, heading: str | None) -> bool:
    if not file.exists():
        return False
    return heading is None or file.suffix != ".md" or heading.removeprefix("#") in _headings(file)


@cache
def _headings(file: Path) -> frozenset[str]:
    """Return the anchors of a page, as GitHub and MkDocs derive them from its headings."""
    lines = re.findall(r"^#+ +(.+)$", _without_fences(file.read_text("utf-8")), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\s-]", "", line.lower()).strip().replace(" ", "-") for line in lines)


def main(root: Path = ROOT) -> int:
    found = findings(root)
    for finding in found:
        print(f"{finding.path}:{finding.line}: {finding.problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
