"""The requirement ledger: every numbered requirement, the tests that cite it, and the breakers that prove it.

A test or case covers a requirement by citing its id. A breaker of `tests/broken` proves it: `make prove` shows that
the citing test fails then. Both are read from the source text, so counting needs no test run. An unknown id is an
error.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
import ryaml

from uiap.errors import Unavailable

GAPS = "gaps.yaml"
_CASE_CITATION = re.compile(r"^\s*requirements:\s*\[([^\]]*)\]", re.MULTILINE)


class Requirement(msgspec.Struct, frozen=True):
    id: str
    level: Literal["MUST", "SHOULD", "MAY"]
    text: str
    breaker: str = ""
    """The wrong behaviour that a test must detect, in words; empty if the text already says it."""


class Gap(msgspec.Struct, frozen=True):
    """A requirement that does not hold yet, and why."""

    id: str
    reason: str


class GapsFile(msgspec.Struct, frozen=True):
    gaps: list[Gap]


class LedgerFile(msgspec.Struct, frozen=True):
    spec: str
    source: str
    requirements: list[Requirement]


class RequirementLedger(msgspec.Struct, frozen=True):
    """All requirements by id, with the citations of each."""

    requirements: dict[str, Requirement]
    specs: dict[str, list[str]]
    citations: dict[str, list[str]]
    broken: frozenset[str] = frozenset()
    """The requirements that have a breaker."""
    gaps: dict[str, str] = {}
    """The requirements that are known not to hold yet, with the reason."""

    @property
    def proved(self) -> set[str]:
        """The requirements that a test cites and a breaker breaks."""
        return self.covered & self.broken

    @property
    def covered(self) -> set[str]:
        return {id for id in self.requirements if self.citations.get(id)}

    @property
    def unknown(self) -> dict[str, list[str]]:
        """Cited ids that are in no ledger file: typing mistakes, or removed requirements."""
        return {id: positions for id, positions in self.citations.items() if id not in self.requirements}


def find_root(start: Path) -> Path:
    """Return the checkout around `start`; an installed package has neither ledger nor tests."""
    for folder in (start, *start.parents):
        if (folder / "conformance" / "requirements").is_dir():
            return folder
    raise Unavailable("there is no conformance/requirements folder; run this inside a checkout of uiap")


def read(root: Path) -> RequirementLedger:
    """Return the ledger of a checkout with all citations."""
    folder = root / "conformance" / "requirements"
    files = sorted(one for one in folder.glob("*.yaml") if one.name != GAPS)
    parsed = [msgspec.convert(ryaml.loads(file.read_text("utf-8")), LedgerFile) for file in files]
    citations: dict[str, list[str]] = {}
    for id, position in _citations(root):
        citations.setdefault(id, []).append(position)
    return RequirementLedger(
        requirements={r.id: r for file in parsed for r in file.requirements},
        specs={file.spec: [r.id for r in file.requirements] for file in parsed},
        citations=citations,
        broken=frozenset(_broken(root)),
        gaps=_gaps(folder / GAPS),
    )


def _gaps(file: Path) -> dict[str, str]:
    if not file.is_file():
        return {}
    listed = msgspec.convert(ryaml.loads(file.read_text("utf-8")), GapsFile)
    return {one.id: one.reason for one in listed.gaps}


def _broken(root: Path) -> Iterator[str]:
    """Yield the requirement of each breaker: the first member of `Breaker(…)`, or of a row of three."""
    for path in sorted((root / "tests" / "broken").glob("*breakers.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path))):
            members = node.elts if isinstance(node, ast.Tuple) and len(node.elts) == 3 else []
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Breaker":
                members = node.args
            if members and isinstance(first := members[0], ast.Constant) and isinstance(first.value, str):
                yield first.value


def _citations(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((root / "tests").rglob("*.py")):
        for id, line in _cited_by_tests(path):
            yield id, f"{path.relative_to(root)}:{line}"
    for path in sorted((root / "conformance" / "cases").rglob("*.yaml")):
        for found in _CASE_CITATION.finditer(path.read_text("utf-8")):
            for id in filter(None, (part.strip(" '\"") for part in found.group(1).split(","))):
                yield id, str(path.relative_to(root))


def _cited_by_tests(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the ids in calls such as `requirement("ACT-8.3")` or `pytest.mark.requirement(…)`, with their lines."""
    text = path.read_text("utf-8")
    if "requirement" not in text:
        return
    for node in ast.walk(ast.parse(text, str(path))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "requirement":
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value, node.lineno
