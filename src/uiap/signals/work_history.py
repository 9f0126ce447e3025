"""Learns which work of a page never changes anything, so that later actions need not wait for it.

A timer that only hides a message, an animation that ends, a message to a worker that never answers: each looks like
work that may take an effect back. It counts as harmless only after it was watched to its end often enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from uiap.signals.work import FOLLOWED_S, PendingWork

WORK_DELTA_S = 0.3
"""The changes of a task are published within this time of the report of its end."""
LEARNED = ("timer", "socket", "worker")
"""Kinds of work that may be followed for seconds; the others end soon."""
HARMLESS_AFTER = 3
"""How often work must end without a change before it counts as harmless."""
MAX_KEYS = 500


class WorkHistory:
    """How often the work of each key ended without a change. One change makes it count again, for good."""

    def __init__(self) -> None:
        self._quiet: dict[str, int] = {}
        self._changed: dict[str, None] = {}

    def learn(
        self,
        ended: Iterable[tuple[str, float]],
        pending: Iterable[PendingWork],
        touched_at: Sequence[float],
        mono: float,
    ) -> None:
        """Record which work of an action changed nothing: it ended, or was followed as long as any work is."""
        for key, ended_at in ended:
            changed = any(ended_at - WORK_DELTA_S <= at <= ended_at + WORK_DELTA_S for at in touched_at)
            self.record(key, changed=changed)
        for one in pending:
            if one.kind in LEARNED and mono - one.since >= FOLLOWED_S:
                self.record(one.key, changed=False)

    def record(self, key: str, *, changed: bool) -> None:
        """Record that work ended, or was watched long enough, and whether it changed anything."""
        if changed:
            self._changed[key] = None
            self._quiet.pop(key, None)
        elif key not in self._changed:
            self._quiet[key] = self._quiet.get(key, 0) + 1
        for known in (self._quiet, self._changed):
            if len(known) > MAX_KEYS:
                del known[next(iter(known))]

    def is_harmless(self, key: str) -> bool:
        return self._quiet.get(key, 0) >= HARMLESS_AFTER

    def marked(self, work: Iterable[PendingWork]) -> tuple[PendingWork, ...]:
        """Return the work, with the harmless pieces marked."""
        return tuple(
            msgspec.structs.replace(one, harmless=True) if self.is_harmless(one.key) else one for one in work
        )


def ended_work(before: Iterable[PendingWork], now: Iterable[PendingWork]) -> list[str]:
    """Return the keys of the work that is no longer reported."""
    learned = Counter(one.key for one in before if one.kind in LEARNED)
    return list((learned - Counter(one.key for one in now)).elements())
