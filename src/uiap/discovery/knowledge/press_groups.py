"""Groups of controls that only run scripts, and the reasons why actions are not tried, in words for a report.

A page may have a hundred links that scroll to its parts. After a few presses that showed nothing, the rest of such a
group is not tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from uiap.discovery.knowledge.candidates import ActionCandidate
from uiap.spec.discovery import DiscoveryReason

MAX_FRUITLESS = 3
NOT_PERMITTED: Mapping[DiscoveryReason, str] = MappingProxyType(
    {
        "manual_only": "the mode of the run does not permit it",
        "credential": "it is about signing in or credentials",
        "payment": "it is about payments",
        "security_sensitive": "it changes security",
        "destructive": "it destroys something",
        "external_effect": "it has an effect outside, or leads there",
        "unknown_side_effect": "its effect is not known",
        "budget_exceeded": "a budget was used up",
        "opaque_boundary": "it is behind a boundary that cannot be read",
    }
)
"""Why a decision did not allow an action."""
BUDGET_SPENT, TRIED_ELSEWHERE = "the run ended before", "the same action was tried elsewhere"


class PressGroups:
    def __init__(self) -> None:
        self._fruitless: dict[str, int] = {}
        self._fruitful: set[str] = set()

    def learn(self, candidate: ActionCandidate, *, has_shown: bool) -> None:
        """Record whether a press of the group showed another state."""
        if candidate.group_key is None:
            return
        if has_shown:
            self._fruitful.add(candidate.group_key)
        self._fruitless[candidate.group_key] = self._fruitless.get(candidate.group_key, 0) + (not has_shown)

    def reason_to_skip(self, candidate: ActionCandidate) -> str | None:
        key = candidate.group_key
        if key is None or key in self._fruitful or self._fruitless.get(key, 0) < MAX_FRUITLESS:
            return None
        return "several others of its group showed nothing"
