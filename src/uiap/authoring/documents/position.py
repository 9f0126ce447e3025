"""Where in a file a JSON Pointer stands: a second, slower reading that is made only for files with a problem.

Uses PyYAML's node tree for its marks alone (never its values). Bounded: a file larger than MAX_BYTES is not
re-read, and its problems keep their pointer without a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import yaml
from msgspec import UNSET
from msgspec.structs import replace

from uiap.authoring.diagnostic import SEVERITIES, Diagnostic
from uiap.authoring.pointer import BadPointer, Tokens, parse, render

MAX_BYTES = 1024 * 1024
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class SourcePosition(NamedTuple):
    line: int
    column: int
    key: str = ""
    pointer: str = ""


class SourceMap:
    """The marks of one text, by pointer."""

    def __init__(self, text: str) -> None:
        try:
            self._root = yaml.compose(text, Loader=_Loader) if len(text) <= MAX_BYTES else None
        except (yaml.YAMLError, RecursionError):
            self._root = None

    def place(self, tokens: Tokens) -> SourcePosition | None:
        """The key or item the pointer names; where it is missing, the nearest place above it."""
        node, mark = self._root, self._root and self._root.start_mark
        for token in tokens:
            below = _child_node(node, token)
            if below is None:
                break
            node, mark = below
        return SourcePosition(mark.line + 1, mark.column + 1) if mark is not None else None

    def duplicate(self) -> SourcePosition | None:
        waiting: list[tuple[yaml.Node, Tokens]] = [(self._root, ())] if self._root is not None else []
        while waiting:
            node, path = waiting.pop()
            if isinstance(node, yaml.MappingNode):
                seen: set[str] = set()
                for key, value in node.value:
                    name = str(key.value)
                    if name in seen:
                        mark = key.start_mark
                        return SourcePosition(mark.line + 1, mark.column + 1, name, render((*path, name)))
                    seen.add(name)
                    waiting.append((value, (*path, name)))
            elif isinstance(node, yaml.SequenceNode):
                waiting.extend((item, (*path, str(i))) for i, item in enumerate(node.value))
        return None


def _child_node(node: yaml.Node | None, token: str) -> tuple[yaml.Node, yaml.Mark] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == token:
                return value, key.start_mark
    if isinstance(node, yaml.SequenceNode) and token.isdigit() and int(token) < len(node.value):
        item = node.value[int(token)]
        return item, item.start_mark
    return None


def duplicate_key(text: str) -> SourcePosition:
    return SourceMap(text).duplicate() or SourcePosition(1, 1, "?")


def with_positions(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> list[Diagnostic]:
    """Fill in lines and columns, the gravest problems first, until the reading budget is spent."""
    waiting = sorted(diagnostics, key=lambda d: SEVERITIES.index(d.severity))
    maps: dict[str, SourceMap | None] = {}
    budget = MAX_BYTES
    done: list[Diagnostic] = []
    for found in waiting:
        if found.line is UNSET and found.file in texts:
            if found.file not in maps:
                size = len(texts[found.file])
                maps[found.file] = SourceMap(texts[found.file]) if size <= budget else None
                budget -= size
            found = _with_position(found, maps[found.file])
        done.append(found)
    return done


def _with_position(found: Diagnostic, marks: SourceMap | None) -> Diagnostic:
    try:
        place = marks.place(parse(found.pointer)) if marks is not None else None
    except BadPointer:
        place = None
    return found if place is None else replace(found, line=place.line, column=place.column)
