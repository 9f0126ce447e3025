"""Learns which work of a page never changes anything, so that later actions need not wait for it.

A timer that only hides a message, an animation that ends, a message to a worker that never answers: each looks like
work that may take an effect back. It counts as harmless after it was seen to do nothing else than to hide a message, or
was watched to its end often enough. Work is watched after its action has ended, too.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from uiap.signals.work import FOLLOWED_S, PendingWork

WORK_DELTA_S = 0.3
"""The changes of a task are published within this time of the report of its end."""
CHANNELS = ("socket", "worker", "events")
"""Work that may never end: the other side need not answer."""
LEARNED = ("timer", *CHANNELS)
"""Kinds of work that may be followed for seconds; the others end soon."""
HARMLESS_AFTER = 3
"""How often work must end without a change before it counts as harmless."""
MAX_KEYS = 500
MAX_INPUTS = 64


class _Moment(NamedTuple):
    token: str
    at: float
    key: str = ""


class WorkHistory:
    """How often the work of each key ended without a change. One change makes it count again, for good."""

    def __init__(self) -> None:
        self._quiet: dict[str, int] = {}
        self._changed: dict[str, None] = {}
        self._pending: dict[str, tuple[PendingWork, ...]] = {}
        """The last report of each recent input."""
        self._ended: list[_Moment] = []
        """Work that ended, and whose changes may not have arrived yet."""
        self._touched: deque[_Moment] = deque(maxlen=MAX_KEYS)
        self._hidden: deque[_Moment] = deque(maxlen=MAX_KEYS)
        self._silent: set[tuple[str, str]] = set()
        """Channels of an input that were counted as silent."""

    def reported(self, token: str, work: tuple[PendingWork, ...], mono: float) -> None:
        """Record the work of an input that has not ended."""
        before = self._pending.pop(token, ())
        self._ended += [_Moment(token, mono, key) for key in ended_work(before, work)]
        self._pending[token] = work
        if len(self._pending) > MAX_INPUTS:
            del self._pending[next(iter(self._pending))]

    def record(self, token: str, mono: float, *, is_message: bool) -> None:
        """Record that the work of an input changed a message, or another part of the page."""
        if is_message:
            self.changed_message(token, mono)
        else:
            self.touched(token, mono)

    def touched(self, token: str, mono: float) -> None:
        """Record that the work of an input changed the page."""
        self._touched.append(_Moment(token, mono))

    def changed_message(self, token: str, mono: float) -> None:
        """Record that the work of an input changed or removed a message, which is no effect."""
        self._hidden.append(_Moment(token, mono))

    def marked(self, work: Iterable[PendingWork], mono: float) -> tuple[PendingWork, ...]:
        """Return the work, with the harmless pieces marked."""
        self._learn(mono)
        return tuple(
            msgspec.structs.replace(one, harmless=True) if self.is_harmless(one.key) else one for one in work
        )

    def is_harmless(self, key: str) -> bool:
        return self._quiet.get(key, 0) >= HARMLESS_AFTER

    def _learn(self, mono: float) -> None:
        """Judge the work that ended long enough ago, and the channels that did not answer in time."""
        waiting = [one for one in self._ended if mono < one.at + WORK_DELTA_S]
        for one in self._ended:
            if one not in waiting:
                changed = any(_is_of(touch, one) for touch in self._touched)
                hides = any(_is_of(touch, one) for touch in self._hidden)
                self._record(one.key, changed=changed, times=HARMLESS_AFTER if hides else 1)
        self._ended = waiting
        for token, work in self._pending.items():
            for asked in work:
                silent = asked.kind in CHANNELS and mono - asked.since >= FOLLOWED_S
                if silent and (token, asked.key) not in self._silent:
                    self._silent.add((token, asked.key))
                    self._record(asked.key, changed=False)

    def _record(self, key: str, *, changed: bool, times: int = 1) -> None:
        if changed:
            self._changed[key] = None
            self._quiet.pop(key, None)
        elif key not in self._changed:
            self._quiet[key] = self._quiet.get(key, 0) + times
        for known in (self._quiet, self._changed):
            if len(known) > MAX_KEYS:
                del known[next(iter(known))]
        if len(self._silent) > MAX_KEYS:
            self._silent.clear()


def _is_of(touch: _Moment, ended: _Moment) -> bool:
    """Return whether a change belongs to the work that ended about then."""
    return touch.token == ended.token and abs(touch.at - ended.at) <= WORK_DELTA_S


def ended_work(before: Iterable[PendingWork], now: Iterable[PendingWork]) -> list[str]:
    """Return the keys of the work that is no longer reported."""
    learned = Counter(one.key for one in before if one.kind in LEARNED)
    return list((learned - Counter(one.key for one in now)).elements())
