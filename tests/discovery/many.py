"""An application of very many states, made up as it is asked for: a state must not cost more the more are known."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.discovery.world import El, Journey, Page, Part, World, asked
from uiap.discovery import commands as do
from uiap.discovery import events as when

FAN = 3
"""So many further pages each page leads to."""


def word(number: int) -> str:
    """Numbers would be folded as records; these are names."""
    letters = ""
    while number:
        number, digit = divmod(number, 20)
        letters += "bcdfghjklmnpqrstvwxz"[digit] + "aeiou"[digit % 5]
    return letters or "ba"


class Endless(World):
    """A tree of pages, each with a control of its own, so that no two are one state."""

    def __init__(self) -> None:
        super().__init__({})
        self._nexts: dict[str, range] = {}

    def page(self, url: str) -> Page | None:
        name = url.rpartition("/")[2] or "home"
        first = len(self._nexts) * FAN
        nexts = self._nexts.setdefault(name, range(first, first + FAN))
        links = [El("link", f"To {word(n)}", href=f"/{word(n % 5)}/{word(n)}", scope="nav") for n in nexts]
        own = [El("button", f"Frobnicate {name}")]
        return Page([*links, *own], (Part("nav", "region", "Main"),), f"Page {name}")


class Measured(Journey):
    """Notes how long the machine takes, and how much memory the process has, at every so manieth state."""

    def __init__(self, states: int, every: int) -> None:
        budget: dict[str, Any] = {
            "max_states": states,
            "max_transitions": 20 * states,
            "max_per_route": states,
        }
        super().__init__(Endless(), asked(**budget, max_depth=states))
        self._every, self._spent = every, 0.0
        self.costs: dict[int, float] = {}
        self.resident: dict[int, int] = {}

    def tell(self, event: when.Event) -> Any:
        begun = time.perf_counter()
        said = super().tell(event)
        self._spent += time.perf_counter() - begun
        self.events.clear()
        self.commands.clear()
        known = max((one.payload.visited_states for one in said if isinstance(one, do.Report)), default=0)
        if known and known % self._every == 0 and known not in self.costs:
            self.costs[known], self._spent = self._spent / self._every, 0.0
            self.resident[known] = _resident_kib()
        return said


def _resident_kib() -> int:
    line = next(one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith("VmRSS"))
    return int(line.split()[1])


STATES, EVERY = 2_000, 250


def figures() -> dict[str, Any]:
    """What a state costs among the first and among the last, and what is kept of each."""
    measured = Measured(STATES, EVERY)
    package = measured.go()
    early, late = measured.costs[2 * EVERY], measured.costs[STATES]
    grown = measured.resident[STATES] - measured.resident[STATES // 2]
    return {
        "states": len(package.transition_graph.states),
        "transitions": len(package.transition_graph.edges),
        "ms of the machine for each state, early": round(early * 1000, 2),
        "ms of the machine for each state, late": round(late * 1000, 2),
        "KiB kept of each state": round(grown / (STATES // 2), 1),
        "resident MiB at the end": measured.resident[STATES] // 1024,
    }
