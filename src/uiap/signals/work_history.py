"""Learns which work of a page never changes anything, so that later actions need not wait for it.

A timer that only hides a message, a timer that does nothing, a message to a worker that never answers: each looks like
work that may take an effect back. A timer counts as harmless after it was seen to only hide a message, or to do nothing
several times. A channel does after it stayed silent several times. An answer is never harmless: the
next one may refuse. Nor is a timer that sends something. Work is watched after its action has ended, too.
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
SENT = ("request", "body", "stream", *CHANNELS)
"""Work that waits for an answer from elsewhere."""
HARMLESS_AFTER = 3
"""How often work must end without a change before it counts as harmless."""
MAX_KEYS = 500
MAX_INPUTS = 64


class _Moment(NamedTuple):
    token: str
    at: float


class _End(NamedTuple):
    """Work that was reported as ended."""

    token: str
    at: float
    work: PendingWork
    sent: bool
    """It led to work that waits for an answer."""


class WorkHistory:
    """How often the work of each key ended without a change. One change makes it count again, for good."""

    def __init__(self) -> None:
        self._quiet: dict[str, int] = {}
        self._changed: dict[str, None] = {}
        self._pending: dict[str, tuple[PendingWork, ...]] = {}
        """The last report of each recent input."""
        self._ended: list[_End] = []
        """Work that ended, and whose changes may not have arrived yet."""
        self._touched: deque[_Moment] = deque(maxlen=MAX_KEYS)
        self._hidden: deque[_Moment] = deque(maxlen=MAX_KEYS)
        self._silent: set[tuple[str, str]] = set()
        """Channels of an input that were counted as silent."""

    def reported(self, token: str, work: tuple[PendingWork, ...], mono: float) -> None:
        """Record the work of an input that has not ended."""
        before = self._pending.pop(token, ())
        sent = any(one.kind in SENT for one in _missing(work, before))
        self._ended += [_End(token, mono, one, sent) for one in _missing(before, work)]
        self._pending[token] = work
        if len(self._pending) > MAX_INPUTS:
            del self._pending[next(iter(self._pending))]

    def touched(self, token: str, mono: float) -> None:
        """Record that the work of an input changed the page, or showed a message."""
        self._touched.append(_Moment(token, mono))

    def hid_message(self, token: str, mono: float) -> None:
        """Record that the work of an input removed a message, which is no effect."""
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
                self._judge(one)
        self._ended = waiting
        for token, work in self._pending.items():
            for asked in work:
                silent = asked.kind in CHANNELS and mono - asked.since >= FOLLOWED_S
                if silent and (token, asked.key) not in self._silent:
                    self._silent.add((token, asked.key))
                    self._record(asked.key, changed=False)

    def _judge(self, ended: _End) -> None:
        changed = ended.sent or any(_is_of(touch, ended) for touch in self._touched)
        hides = any(_is_of(touch, ended) for touch in self._hidden)
        if changed or ended.work.kind == "timer":
            self._record(ended.work.key, changed=changed, times=HARMLESS_AFTER if hides else 1)

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


def _is_of(touch: _Moment, ended: _End) -> bool:
    """Return whether a change belongs to the work that ended about then."""
    return touch.token == ended.token and abs(touch.at - ended.at) <= WORK_DELTA_S


def _missing(work: Iterable[PendingWork], others: Iterable[PendingWork]) -> list[PendingWork]:
    """Return the work that is not among the others; of several alike, as many as there are more."""
    known = Counter(one.key for one in others)
    missing = []
    for one in work:
        if known[one.key]:
            known[one.key] -= 1
        else:
            missing.append(one)
    return missing
