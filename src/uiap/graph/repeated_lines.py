"""Lines of an outline that the page before showed too: navigation, header and footer.

Refs do not count, because every document has its own. A run of such lines becomes one line, so that messages and
content of the new page come first. Messages are never folded: the same message may answer a second action. Any text
and heading may be a message.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

_REF = re.compile(r"\[(?:[a-z]\d+)?[es]\d+\] ?")
_QUOTED = re.compile(r'"([^"…]{0,18})[^"]*"')
"""The beginning of a text, because a smaller budget shortens texts."""
_MESSAGE = re.compile(r'(?:alert|status|toast|h\d)\b|(?:- |\d+\. )?"')
MIN_RUN = 2


def line_keys(text: str) -> frozenset[str]:
    """Return the lines of an outline without refs and indentation, to compare another page with."""
    return frozenset(map(_key, text.splitlines()[1:]))


def fold_repeated(lines: Iterable[str], before: Collection[str]) -> Iterator[str]:
    """Yield the lines with each run of repeated ones as one line."""
    run: list[str] = []
    for line in lines:
        if _is_repeated(_key(line), before) or (
            run and line.lstrip().startswith("… ")
        ):  # the rest of a repeated list
            run.append(line)
            continue
        yield from _folded_run(run)
        yield line
        run = []
    yield from _folded_run(run)


def _is_repeated(key: str, before: Collection[str]) -> bool:
    return key in before and _MESSAGE.match(key) is None


def _folded_run(run: list[str]) -> list[str]:
    if len(run) < MIN_RUN:
        return run
    indent = min(len(line) - len(line.lstrip()) for line in run)
    return [f"{' ' * indent}… navigation as before ({len(run)} lines)"]


def _key(line: str) -> str:
    return _QUOTED.sub(r'"\1"', _REF.sub("", line)).strip()
