"""A small application, one action on it, and the truth about that action."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from apps.tasks.task import Step

PAGES = Path(__file__).parent / "pages"
HALVES = ("tune", "measure")
"""Defects are sought in the first half alone. The other half shows whether the repairs hold for other pages."""
_CASE = re.compile(r'<script type="application/json" id=case>(.*?)</script>', re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class StrangerCase:
    id: str
    number: int
    say: str
    must: str
    """`succeed` or `fail`: the correct report about the last step. All other steps must succeed."""
    truth: str
    """An expression in the page that is true when the goal was reached. `server` has `stored` and `requests`."""
    steps: tuple[Step, ...]
    routes: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The answers of the server by method and path, in order. The last answer repeats."""
    script: str = ""
    """The name of the build that the page needs; empty when the page is complete."""

    @property
    def half(self) -> str:
        return HALVES[(self.number + 1) % 2]


def _read(path: Path) -> StrangerCase:
    found = _CASE.search(path.read_text())
    if found is None:
        raise ValueError(f"`{path.name}` holds no case")
    raw = json.loads(found[1])
    steps = tuple(Step(**{**step, "expect": tuple(step.get("expect", ()))}) for step in raw.pop("steps"))
    routes = {
        on: given if isinstance(given, list) else [given] for on, given in raw.pop("routes", {}).items()
    }
    return StrangerCase(id=path.stem, number=int(path.stem.split("_")[0]), steps=steps, routes=routes, **raw)


CASES = tuple(_read(path) for path in sorted(PAGES.glob("*.html")))
