"""Lines of the device's log: read, told apart into the application's and the system's, and scored (MDM-R7). Pure.

A log is full of what has nothing to do with anything. What the application itself says, and what the system says of it
dying or hanging, is relevant; the rest is noise unless somebody asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

Level = Literal["verbose", "debug", "info", "warning", "error", "fatal"]
LEVELS: dict[str, Level] = {
    "V": "verbose",
    "D": "debug",
    "I": "info",
    "W": "warning",
    "E": "error",
    "F": "fatal",
    "A": "fatal",
}
WEIGHTS: dict[Level, float] = {
    "verbose": 0.0,
    "debug": 0.1,
    "info": 0.2,
    "warning": 0.4,
    "error": 0.6,
    "fatal": 0.9,
}
RELEVANT = 0.5
_LINE = re.compile(r"(\d\d-\d\d \d\d:\d\d:\d\d\.\d+)\s+(\d+)\s+(\d+)\s+([VDIWEFA])\s+(.*?)\s*: (.*)")
_STARTED = re.compile(r"Start proc (\d+):([\w.]+)(?::\w+)?/")
_DEATH = re.compile(r"FATAL EXCEPTION|has died|Force finishing|Fatal signal|am_crash|beginning of crash")
_HANG = re.compile(r"ANR in|Application is not responding|Skipped \d{2,} frames")


class LogLine(NamedTuple):
    at: str
    pid: int
    level: Level
    tag: str
    message: str
    of: Literal["app", "system"]
    relevance: float
    """From 0 to 1; what reaches `RELEVANT` is worth telling."""


class LogcatParser:
    """Knows the application by its package, and its processes as they come."""

    def __init__(self, package: str, pids: Iterable[int] = ()) -> None:
        self._package = package
        self._pids = set(pids)

    def read(self, line: str) -> LogLine | None:
        """None for what is no line of the log."""
        found = _LINE.match(line)
        if found is None:
            return None
        at, pid, _thread, letter, tag, message = found.groups()
        self._notice(message)
        own = int(pid) in self._pids
        level = LEVELS[letter]
        said = LogLine(at, int(pid), level, tag, message, "app" if own else "system", 0.0)
        return said._replace(relevance=self._relevance(said))

    def _notice(self, message: str) -> None:
        """The system says when it starts a process of the application."""
        started = _STARTED.search(message)
        if started is not None and started[2] == self._package:
            self._pids.add(int(started[1]))

    def _relevance(self, line: LogLine) -> float:
        named = bool(self._package) and self._package in line.message
        score = WEIGHTS[line.level]
        if line.of == "app":
            score += 0.3
        elif named:
            score += 0.2
        else:
            score *= 0.3
        if (line.of == "app" or named) and (_DEATH.search(line.message) or _HANG.search(line.message)):
            score = 1.0
        return round(min(1.0, score), 2)


def relevant_lines(lines: Iterable[LogLine], least: float = RELEVANT) -> list[LogLine]:
    """The lines worth reading, the weightiest first."""
    return sorted((one for one in lines if one.relevance >= least), key=lambda one: -one.relevance)


def contains_crash(lines: Iterable[LogLine]) -> bool:
    return any(one.relevance == 1.0 and _DEATH.search(one.message) for one in lines)
