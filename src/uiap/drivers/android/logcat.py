"""Parse log lines, separate those of the application from those of the system, and score them (MDM-R7). Pure.

Lines of the application are relevant, and so are lines of the system about its crash or hang. The rest is noise that
is only kept.
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
    source: Literal["app", "system"]
    relevance: float
    """From 0 to 1; lines from `RELEVANT` upwards are reported."""


class LogcatParser:
    """Parses the log for one application; it learns the application's process ids from the log itself."""

    def __init__(self, package: str, pids: Iterable[int] = ()) -> None:
        self._package = package
        self._pids = set(pids)

    def parse(self, line: str) -> LogLine | None:
        """Return the parsed line, or None if it is not a log line."""
        found = _LINE.match(line)
        if found is None:
            return None
        at, pid, _thread, letter, tag, message = found.groups()
        self._track_process(message)
        source: Literal["app", "system"] = "app" if int(pid) in self._pids else "system"
        level = LEVELS[letter]
        parsed = LogLine(at, int(pid), level, tag, message, source, 0.0)
        return parsed._replace(relevance=self._relevance(parsed))

    def _track_process(self, message: str) -> None:
        """Remember the process id if the system reports the start of a process of the application."""
        started = _STARTED.search(message)
        if started is not None and started[2] == self._package:
            self._pids.add(int(started[1]))

    def _relevance(self, line: LogLine) -> float:
        is_named = bool(self._package) and self._package in line.message
        score = WEIGHTS[line.level]
        if line.source == "app":
            score += 0.3
        elif is_named:
            score += 0.2
        else:
            score *= 0.3
        if (line.source == "app" or is_named) and (_DEATH.search(line.message) or _HANG.search(line.message)):
            score = 1.0
        return round(min(1.0, score), 2)
