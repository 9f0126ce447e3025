"""A task, the goal that a seed draws for it, and its steps for that goal."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

PAGES = Path(__file__).parent / "pages"
FILES = Path(__file__).parent / "files"
"""The folder whose files the tasks upload."""
_TASK = re.compile(r'<script type="application/json" id=task>(.*?)</script>', re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One action, its target by role and name, and the expected signals."""

    act: str
    role: str | None = None
    name: str | None = None
    near: str | None = None
    scope: str | None = None
    to: dict[str, str] | None = None
    """The element to drop on, for a drag."""
    args: dict[str, Any] = field(default_factory=dict)
    expect: tuple[dict[str, Any], ...] = ()
    times: int = 1


@dataclass(frozen=True, kw_only=True)
class Task:
    id: str
    family: str
    say: str
    goal: dict[str, Any]
    steps: tuple[dict[str, Any], ...]
    refused: bool = False
    """True when the page does not allow the task: the correct answer is a failure."""
    half: str = "tuning"
    """Defects are sought with the half `tuning`. The half `measuring` only counts."""

    def draw_goal(self, seed: int) -> dict[str, Any]:
        """Return the goal of this seed, which is the same for the page and for the solver."""
        rng = Random(f"{self.id} {seed}")
        goal: dict[str, Any] = {}
        for key, choice in self.goal.items():
            value = _draw(rng, choice)
            goal.update(value if key == "*" else {key: value})
        return goal

    def steps_for(self, goal: dict[str, Any]) -> list[Step]:
        steps = []
        for raw in self.steps:
            filled = {key: _fill(value, goal) for key, value in raw.items()}
            filled["expect"] = tuple(filled.get("expect", ()))
            steps.append(Step(**filled))
        return steps


def _draw(rng: Random, choice: Any) -> Any:
    """Return one entry of a list, a number of a range, or several entries of a list."""
    if isinstance(choice, list):
        return rng.choice(choice)
    if "take" in choice:
        return rng.sample(choice["of"], choice["take"])
    return rng.randint(choice["from"], choice["to"])


def _fill(value: Any, goal: dict[str, Any]) -> Any:
    """Fill in placeholders. `{n}` alone keeps the type of its value; inside a text it becomes text."""
    if isinstance(value, dict):
        return {key: _fill(inner, goal) for key, inner in value.items()}
    if isinstance(value, list):
        return [_fill(inner, goal) for inner in value]
    if not isinstance(value, str):
        return value
    whole = re.fullmatch(r"\{(\w+)\}", value)
    return goal[whole[1]] if whole else value.format(**goal)


def _read(path: Path) -> Task:
    found = _TASK.search(path.read_text())
    if found is None:
        raise ValueError(f"`{path.name}` holds no task")
    body = json.loads(found[1])
    return Task(id=path.stem, **{**body, "steps": tuple(body["steps"])})


def tasks_in(folder: Path) -> tuple[Task, ...]:
    return tuple(_read(path) for path in sorted(folder.glob("*.html")))


TASKS = tasks_in(PAGES)
