"""The statuses of a run and which follows which. Everything that moves a run is in this table (DISC-10)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from uiap.spec.discovery import DiscoveryRunStatus

ORDER: tuple[DiscoveryRunStatus, ...] = (
    "planning",
    "preparing",
    "seeding",
    "exploring",
    "extracting",
    "synthesizing",
    "reviewing",
    "completed",
)
TERMINAL: frozenset[DiscoveryRunStatus] = frozenset({"completed", "failed", "cancelled"})
_WORKING = ORDER[:-1]

NEXT: Mapping[DiscoveryRunStatus, frozenset[DiscoveryRunStatus]] = MappingProxyType(
    {
        **{
            status: frozenset({following, "failed", "cancelled"})
            for status, following in zip(_WORKING, ORDER[1:], strict=True)
        },
        # several principals: each is prepared and seeded in turn
        "exploring": frozenset({"preparing", "extracting", "failed", "cancelled"}),
    }
)


def follows(now: DiscoveryRunStatus, then: DiscoveryRunStatus) -> bool:
    return then in NEXT.get(now, frozenset())
