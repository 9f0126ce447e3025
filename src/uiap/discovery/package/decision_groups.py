"""Groups of findings that a person decides about at once, so that a review of a large application can be finished.

Every open finding is in one group. Urgent findings are alone as long as there is room; those without questions share a
group with their route, their area, or all others. The least urgent ones are grouped first until the limit is met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from uiap.discovery.package.decisions import Subject

MAX_GROUPS = 40
_KIND_NAMES = {"element": "elements", "action": "actions", "workflow": "workflows"}
_SEVERITIES = ("high", "medium", "low", "none")


class DecisionGroup(NamedTuple):
    """Findings of one kind and one urgency, and the place they have in common."""

    kind: str
    severity: str
    place: str
    subjects: tuple[Subject, ...]

    @property
    def title(self) -> str:
        if len(self.subjects) == 1:
            return f"{self.kind} {self.subjects[0].title}"
        return f"{len(self.subjects)} {_KIND_NAMES[self.kind]} of {self.place}"


def _alone(one: Subject) -> str:
    return one.key


def _route(one: Subject) -> str:
    return f"`{one.group}`" if one.group != "everywhere" else "several routes"


def _area(one: Subject) -> str:
    """Return the first part of the route: the area of the application it is in."""
    if not one.group.startswith("/"):
        return _route(one)
    return f"the area `/{one.group.strip('/').partition('/')[0]}`"


def _everywhere(_one: Subject) -> str:
    return "the whole application"


_LEVELS: tuple[Callable[[Subject], str], ...] = (_alone, _route, _area, _everywhere)
# Severity and level, in the order in which findings are grouped more coarsely.
_STEPS = (
    *(("none", 1), ("low", 1), ("none", 2), ("low", 2), ("medium", 1), ("none", 3), ("low", 3)),
    *(("medium", 2), ("medium", 3), ("high", 1), ("high", 2), ("high", 3)),
)


def decision_groups(open_subjects: Iterable[Subject], limit: int = MAX_GROUPS) -> list[DecisionGroup]:
    """Return the groups, the most urgent first, and at most `limit` of them if kinds and urgencies allow it."""
    found = list(open_subjects)
    levels = dict.fromkeys(_SEVERITIES, 0)
    groups = _grouped(found, levels)
    for severity, level in _STEPS:
        if len(groups) <= limit:
            break
        levels[severity] = level
        groups = _grouped(found, levels)
    return groups


def _grouped(found: list[Subject], levels: dict[str, int]) -> list[DecisionGroup]:
    members: dict[tuple[int, str, str], list[Subject]] = {}
    for one in found:
        place = _LEVELS[levels[one.severity]](one)
        members.setdefault((_SEVERITIES.index(one.severity), one.kind, place), []).append(one)
    return [
        DecisionGroup(kind, _SEVERITIES[severity], place, tuple(subjects))
        for (severity, kind, place), subjects in sorted(members.items(), key=lambda one: one[0])
    ]
