"""An application with very many states, generated on request: a state must not cost more when more are known."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.discovery.simulated_app import Element, Page, Scope, SimulatedApp, SimulatedRun, environment
from uiap.discovery import commands, events

LINKS_PER_PAGE = 3
"""Each page links to this many other pages."""


def page_word(number: int) -> str:
    """Return a name for a number; numbers in paths would be folded as record ids."""
    letters = ""
    while number:
        number, digit = divmod(number, 20)
        letters += "bcdfghjklmnpqrstvwxz"[digit] + "aeiou"[digit % 5]
    return letters or "ba"


class EndlessApp(SimulatedApp):
    """A tree of pages, each with its own control, so that no two are one state."""

    def __init__(self) -> None:
        super().__init__({})
        self._nexts: dict[str, range] = {}

    def page(self, url: str) -> Page | None:
        name = url.rpartition("/")[2] or "home"
        first = len(self._nexts) * LINKS_PER_PAGE
        nexts = self._nexts.setdefault(name, range(first, first + LINKS_PER_PAGE))
        links = [
            Element("link", f"To {page_word(n)}", href=f"/{page_word(n % 5)}/{page_word(n)}", scope="nav")
            for n in nexts
        ]
        own = [Element("button", f"Frobnicate {name}")]
        return Page([*links, *own], (Scope("nav", "region", "Main"),), f"Page {name}")


class MeasuredRun(SimulatedRun):
    """Records the machine's time and the process's memory after every `every` states."""

    def __init__(self, states: int, every: int) -> None:
        budget: dict[str, Any] = {
            "max_states": states,
            "max_transitions": 20 * states,
            "max_per_route": states,
        }
        super().__init__(EndlessApp(), environment(**budget, max_depth=states))
        self._every, self._spent_s = every, 0.0
        self.costs: dict[int, float] = {}
        self.resident: dict[int, int] = {}

    def send(self, event: events.Event) -> Any:
        begun_s = time.perf_counter()
        issued = super().send(event)
        self._spent_s += time.perf_counter() - begun_s
        self.events.clear()
        self.commands.clear()
        known = max(
            (one.payload.visited_states for one in issued if isinstance(one, commands.Report)), default=0
        )
        if known and known % self._every == 0 and known not in self.costs:
            self.costs[known], self._spent_s = self._spent_s / self._every, 0.0
            self.resident[known] = _resident_kib()
        return issued


def _resident_kib() -> int:
    line = next(one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith("VmRSS"))
    return int(line.split()[1])


STATES, MEASURE_EVERY = 2_000, 250


def figures() -> dict[str, Any]:
    """Return the cost of the first and of the last states, and the memory of each."""
    measured = MeasuredRun(STATES, MEASURE_EVERY)
    package = measured.complete()
    early, late = measured.costs[2 * MEASURE_EVERY], measured.costs[STATES]
    grown = measured.resident[STATES] - measured.resident[STATES // 2]
    return {
        "states": len(package.transition_graph.states),
        "transitions": len(package.transition_graph.edges),
        "ms of the machine for each state, early": round(early * 1000, 2),
        "ms of the machine for each state, late": round(late * 1000, 2),
        "KiB kept of each state": round(grown / (STATES // 2), 1),
        "resident MiB at the end": measured.resident[STATES] // 1024,
    }
