"""Find the line and column of a JSON Pointer, by a second and slower parse of files with problems.

It uses only the marks of PyYAML's node tree, never its values. A file larger than MAX_BYTES is not parsed again, and
its problems have a pointer without a line.
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
    """A line and column, from 1; for a duplicate key also the key and its pointer."""

    line: int
    column: int
    key: str = ""
    pointer: str = ""


class SourceMap:
    """Maps the pointers of one text to positions."""

    def __init__(self, text: str) -> None:
        try:
            self._root = yaml.compose(text, Loader=_Loader) if len(text) <= MAX_BYTES else None
        except (yaml.YAMLError, RecursionError):
            self._root = None

    def position(self, tokens: Tokens) -> SourcePosition | None:
        """Return the position of the key or item, or of its nearest parent if it is missing."""
        node, mark = self._root, self._root and self._root.start_mark
        for token in tokens:
            below = _child_node(node, token)
            if below is None:
                break
            node, mark = below
        return SourcePosition(mark.line + 1, mark.column + 1) if mark is not None else None

    def duplicate_key(self) -> SourcePosition | None:
        """Return the position of the first key that occurs twice in a mapping."""
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
    """Return the position of a duplicate key in a text that has one."""
    return SourceMap(text).duplicate_key() or SourcePosition(1, 1, "?")


def with_positions(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> list[Diagnostic]:
    """Return the diagnostics with lines and columns, the most severe first, within a budget of MAX_BYTES."""
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


def _with_position(found: Diagnostic, source_map: SourceMap | None) -> Diagnostic:
    try:
        position = source_map.position(parse(found.pointer)) if source_map is not None else None
    except BadPointer:
        position = None
    return found if position is None else replace(found, line=position.line, column=position.column)
