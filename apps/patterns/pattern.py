"""A widget in one markup, and its tasks with their truth."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apps.tasks.task import Step

PAGES = Path(__file__).parent / "pages"
HALVES = ("tune", "measure")
"""Defects are sought in the first half alone. The other half shows whether the repairs hold for other markup."""
_TASKS = re.compile(r'<script type="application/json" id=tasks>(.*?)</script>', re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class PatternTask:
    say: str
    truth: str
    """An expression in the page that is true when the task is done. `reply` is the last value that was read."""
    steps: tuple[Step, ...]
    refused: bool = False
    """True when the widget does not allow the task: the correct answer is a failure."""


@dataclass(frozen=True, kw_only=True)
class PatternPage:
    widget: str
    markup: str
    half: str
    tasks: tuple[PatternTask, ...]

    @property
    def id(self) -> str:
        return f"{self.widget}_{self.markup}"


def _read_tasks(path: Path) -> tuple[PatternTask, ...]:
    found = _TASKS.search(path.read_text())
    if found is None:
        raise ValueError(f"`{path.name}` holds no tasks")
    return tuple(_task(raw) for raw in json.loads(found[1]))


def _task(raw: dict[str, Any]) -> PatternTask:
    steps = tuple(Step(**{**step, "expect": tuple(step.get("expect", ()))}) for step in raw.pop("steps"))
    return PatternTask(**raw, steps=steps)


def _pages() -> tuple[PatternPage, ...]:
    """Return all pages. The markups of a widget are in different halves, and the halves alternate."""
    paths = sorted(PAGES.glob("*.html"))
    widgets = sorted({path.stem[:-2] for path in paths})
    return tuple(
        PatternPage(
            widget=widget,
            markup=markup,
            half=HALVES[(position + "ab".index(markup)) % 2],
            tasks=_read_tasks(PAGES / f"{widget}_{markup}.html"),
        )
        for position, widget in enumerate(widgets)
        for markup in "ab"
    )


PATTERNS = _pages()
