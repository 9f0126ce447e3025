"""The pages that links lead to, and those of them that the run did not visit (DISC-5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from uiap.discovery.knowledge.candidates import ActionCandidate
from uiap.discovery.knowledge.findings import RouteFinding
from uiap.discovery.knowledge.states import State
from uiap.discovery.plan.address import path_pattern
from uiap.discovery.safety.safety import SafetyDecision


class Areas:
    def __init__(self) -> None:
        self._links: dict[str, tuple[str, str, SafetyDecision]] = {}
        """Path pattern to the label of a link, the state that shows it, and the decision about it."""

    def add(self, candidate: ActionCandidate, state: State, decision: SafetyDecision) -> None:
        """Remember where a link leads, unless it is a file or outside the application."""
        if candidate.destination is None or candidate.is_file or decision.reason == "external_effect":
            return
        path = candidate.destination.partition("?")[0]
        self._links.setdefault(path, (candidate.label, state.id, decision))

    def unreached(self, routes: Iterable[RouteFinding]) -> Iterator[tuple[str, str, str]]:
        """Yield path, text and state of each link to a page that none of these routes is."""
        known = list(routes)
        visited = {path_pattern(url) for one in known for url in one.urls}
        visited |= {pattern for one in known for pattern in one.patterns}
        for path, (label, state, decision) in self._links.items():
            if path not in visited:
                why = "the run ended before" if decision.effect == "allow" else decision.why
                yield path, f"`{label}` leads to `{path}`, which was not visited: {why}", state
