"""A task, the goal that a seed draws for it, and its steps with that goal filled in."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

PAGES = Path(__file__).parent / "pages"
_TASK = re.compile(r'<script type="application/json" id=task>(.*?)</script>', re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One action, its target in words, and what should be seen after it."""

    act: str
    role: str | None = None
    name: str | None = None
    near: str | None = None
    scope: str | None = None
    to: dict[str, str] | None = None
    """What is dragged is dropped there."""
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
    """The page will not let it be done: the honest answer is that it failed."""

    def drawn(self, seed: int) -> dict[str, Any]:
        """The goal of this seed: the same for the page and for whoever solves it."""
        rng = Random(f"{self.id} {seed}")
        goal: dict[str, Any] = {}
        for key, choice in self.goal.items():
            value = _draw(rng, choice)
            goal.update(value if key == "*" else {key: value})
        return goal

    def walk(self, goal: dict[str, Any]) -> list[Step]:
        walked = []
        for raw in self.steps:
            filled = {key: _filled(value, goal) for key, value in raw.items()}
            filled["expect"] = tuple(filled.get("expect", ()))
            walked.append(Step(**filled))
        return walked


def _draw(rng: Random, choice: Any) -> Any:
    """One of a list, a number of a range, or several of a list."""
    if isinstance(choice, list):
        return rng.choice(choice)
    if "take" in choice:
        return rng.sample(choice["of"], choice["take"])
    return rng.randint(choice["from"], choice["to"])


def _filled(value: Any, goal: dict[str, Any]) -> Any:
    """`{n}` alone keeps the type of what it stands for; inside a text it is written out."""
    if isinstance(value, dict):
        return {key: _filled(inner, goal) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, goal) for inner in value]
    if not isinstance(value, str):
        return value
    whole = re.fullmatch(r"\{(\w+)\}", value)
    return goal[whole[1]] if whole else value.format(**goal)


def _read(path: Path) -> Task:
    told = _TASK.search(path.read_text())
    if told is None:
        raise ValueError(f"`{path.name}` holds no task")
    body = json.loads(told[1])
    return Task(id=path.stem, **{**body, "steps": tuple(body["steps"])})


def tasks_in(folder: Path) -> tuple[Task, ...]:
    return tuple(_read(path) for path in sorted(folder.glob("*.html")))


TASKS = tasks_in(PAGES)
