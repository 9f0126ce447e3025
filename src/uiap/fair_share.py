"""The share of one session in the time of a process that serves several.

Threads of one process share the interpreter. Work on a large page therefore gives way after each millisecond: for three
quarters of the time at first, and for more of it once the credit of its session is used. Work that cannot give way in
between pauses afterwards. A session that is alone in its process is never slowed down.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Lock, local

SWITCH_S = 0.0002
"""The event loop waits at most about this long for a thread that computes. The default of Python is 5 ms."""
CREDIT_S = 1.0
"""A session may work this long before it has to pause."""
FIRST_SHARE = 0.25
"""The part of the time that a session with credit may work beside others. Half of it doubled their waiting."""
SHARE = 0.2
"""The part of the time that a session with used credit may work."""
ACTIVE_S = 2.0
"""A session counts as active for this long after its last event or question."""
MAX_PAUSE_S = 2.0
SLICE_S = 0.001
"""Work gives way after this long."""
WORKERS = ThreadPoolExecutor(4, thread_name_prefix="uiap-page")
"""More threads would not be faster: they share the interpreter, and some of them give way to others."""


class ActiveSessions:
    """The sessions of this process that were used a short while ago."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._used: dict[int, float] = {}

    def mark(self, session: int) -> None:
        self._used[session] = self._now()

    def forget(self, session: int) -> None:
        self._used.pop(session, None)

    def has_other(self, session: int) -> bool:
        """Return whether another session than this one is active."""
        since = self._now() - ACTIVE_S
        return any(at >= since for other, at in self._used.items() if other != session)


SESSIONS = ActiveSessions()


class FairShare:
    """The working time of one session: a credit that is used up and grows again."""

    def __init__(
        self, sessions: ActiveSessions | None = SESSIONS, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Keep the share among these sessions. Without sessions, it is kept also if no other is active."""
        self._sessions, self._now = sessions, now
        self._credit_s, self._at = CREDIT_S, now()

    def mark(self) -> None:
        """Record that the session is used."""
        if self._sessions is not None:
            self._sessions.mark(id(self))

    def close(self) -> None:
        if self._sessions is not None:
            self._sessions.forget(id(self))

    def spend(self, seconds: float) -> None:
        """Record working time."""
        self._grow()
        self._credit_s -= seconds

    def pause_s(self) -> float:
        """Return how long the session must wait before it works again; 0 if it has credit or is alone."""
        self._grow()
        alone = self._sessions is not None and not self._sessions.has_other(id(self))
        if self._credit_s >= 0 or alone:
            return 0.0
        return min(-self._credit_s / SHARE, MAX_PAUSE_S)

    def rest_s(self, worked_s: float) -> float:
        """Return how long a piece of work rests after it worked this long; 0 if the session is alone."""
        if self._sessions is None or not self._sessions.has_other(id(self)):
            return 0.0
        return worked_s * (1 / (FIRST_SHARE if self._credit_s >= 0 else SHARE) - 1)

    def _grow(self) -> None:
        now = self._now()
        self._credit_s = min(CREDIT_S, self._credit_s + (now - self._at) * SHARE)
        self._at = now


class _Work(local):
    """The work of this thread, if it is one of several sessions."""

    share: FairShare | None = None
    since_s = 0.0


_WORK = _Work()
_NEVER = Event()
"""Nobody sets it: to wait for it with a bound is to rest without the interpreter."""


@contextmanager
def working_for(share: FairShare) -> Iterator[None]:
    """Let the work of this thread give way to other sessions where it calls `give_way`."""
    _WORK.share, _WORK.since_s = share, time.monotonic()
    try:
        yield
    finally:
        _WORK.share = None


def give_way() -> None:
    """Rest, if this thread works for a session beside others and has worked for a slice. The event loop never rests."""
    share = _WORK.share
    if share is None or (worked_s := time.monotonic() - _WORK.since_s) < SLICE_S:
        return
    if (rest_s := share.rest_s(min(worked_s, MAX_PAUSE_S / 10))) > 0:
        _NEVER.wait(rest_s)
    _WORK.since_s = time.monotonic()


class _SwitchInterval:
    """Makes threads give way sooner while work runs in one of them."""

    def __init__(self) -> None:
        self._users, self._before = 0, 0.0
        self._lock = Lock()

    @contextmanager
    def shortened(self) -> Iterator[None]:
        with self._lock:
            if self._users == 0:
                self._before = sys.getswitchinterval()
                sys.setswitchinterval(min(SWITCH_S, self._before))
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    sys.setswitchinterval(self._before)


SWITCH_INTERVAL = _SwitchInterval()
