"""Check the structure of `src/uiap`: mirrored tests, unique class names, sizes. `make check` runs it.

Usage: python tools/structure.py

Prints `file:line: what is wrong; what to do` for each finding and exits with 1 if there is one. The rules:
- A module of more than 60 lines has its tests at the mirrored path: `src/uiap/graph/diff.py` in
  `tests/graph/test_diff.py`. Otherwise an entry of `tests/mirror.toml` names the tests that cover it, and why. A module
  of types and tables alone, without a function that does something, needs none.
- A class name is defined once. Events and commands of a machine may repeat in its own `events.py` and `commands.py`.
- A module has at most 500 lines.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = PurePosixPath("src/uiap")
MIRROR = PurePosixPath("tests/mirror.toml")
MIN_TESTED_LINES = 60
MAX_LINES = 500
REPEATABLE = frozenset(
    f"{machine}/{file}.py"
    for machine in ("runtime", "discovery", "protocol", "workflow")
    for file in ("events", "commands")
)
"""Modules whose class names may repeat; they are imported qualified, as in `events.Started`."""


class Module(NamedTuple):
    path: str
    """Relative to `src/uiap`."""
    source: str

    @property
    def lines(self) -> int:
        return self.source.count("\n")


class Entry(NamedTuple):
    """An entry of `tests/mirror.toml`."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    reason: str


def read_modules(root: Path) -> list[Module]:
    """Return all modules, sorted by path."""
    base = root / SOURCE
    return [
        Module(str(file.relative_to(base)), file.read_text("utf-8")) for file in sorted(base.rglob("*.py"))
    ]


def read_mirror(root: Path) -> list[Entry]:
    """Return the entries of the mapping file."""
    covered = tomllib.loads((root / MIRROR).read_text("utf-8"))["covered"]
    return [Entry(tuple(one["modules"]), tuple(one["tests"]), one.get("reason", "")) for one in covered]


def mirrored_path(module: str) -> str:
    """Return the path of the tests of a module: `tests/graph/test_diff.py` for `graph/diff.py`."""
    path = PurePosixPath(module)
    return str("tests" / path.with_name(f"test_{path.name}"))


def has_behaviour(source: str) -> bool:
    """Return whether a function does something. Empty bodies and properties of one expression do not count."""
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return any(not _is_trivial(function) for function in functions)


def _is_trivial(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    body = [
        one
        for one in function.body
        if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
    ]
    is_property = any(
        isinstance(mark, ast.Name) and mark.id == "property" for mark in function.decorator_list
    )
    return not body or (is_property and len(body) == 1 and isinstance(body[0], ast.Return))


def untested(root: Path, modules: Sequence[Module], entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the modules without tests, and the entries of the mapping file that are not needed or wrong."""
    patterns = {pattern: 0 for entry in entries for pattern in entry.modules}
    for module in modules:
        if module.lines <= MIN_TESTED_LINES or (root / mirrored_path(module.path)).exists():
            continue
        if not has_behaviour(module.source):
            continue
        naming = [name for name in patterns if PurePosixPath(module.path).match(name)]
        for name in naming:
            patterns[name] += 1
        if not naming:
            yield (
                f"{SOURCE / module.path}:1: no tests; write {mirrored_path(module.path)}, "
                f"or name the tests that cover it in {MIRROR}"
            )
    for name in [name for name, count in patterns.items() if not count]:
        yield f"{MIRROR}:1: `{name}` names no module that needs an entry; delete it"
    for entry in entries:
        if not entry.reason:
            yield f"{MIRROR}:1: the entry of `{entry.modules[0]}` has no reason; write one"
        for test in [test for test in entry.tests if not (root / test).exists()]:
            yield f"{MIRROR}:1: there is no test `{test}`; correct the entry of `{entry.modules[0]}`"


def repeated_classes(modules: Sequence[Module]) -> Iterator[str]:
    """Yield the second and each later definition of a class name."""
    positions: dict[str, list[str]] = defaultdict(list)
    for module in modules:
        if module.path in REPEATABLE:
            continue
        for node in ast.walk(ast.parse(module.source)):
            if isinstance(node, ast.ClassDef):
                positions[node.name].append(f"{SOURCE / module.path}:{node.lineno}")
    for name, (first, *others) in sorted(positions.items()):
        for other in others:
            yield f"{other}: class `{name}` is defined in {first} too; rename one of them"


def long_modules(modules: Sequence[Module]) -> Iterator[str]:
    """Yield the modules that are too long."""
    for module in modules:
        if module.lines > MAX_LINES:
            size = f"{module.lines} lines instead of at most {MAX_LINES}"
            yield f"{SOURCE / module.path}:{MAX_LINES + 1}: {size}; split it"


def problems(root: Path) -> Iterator[str]:
    modules = read_modules(root)
    yield from untested(root, modules, read_mirror(root))
    yield from repeated_classes(modules)
    yield from long_modules(modules)


def main(root: Path = ROOT) -> int:
    found = list(problems(root))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
