"""Work that an input set going: timers, requests, messages. Its end says when an effect is complete.

A tracer in the page reports it. The rules here say how long each kind is worth waiting for; they were measured on pages
of real frameworks (docs/runtime.md).
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

FRAME_S = 0.6
"""Frames and idle callbacks of a hidden or busy page may come late."""
BODY_S = 2.5
LOCAL_S = 0.5
"""Databases, files and ports answer from this machine."""
ANSWER_S = 1.0
"""A socket or worker may never answer; once an effect is seen, it is given less."""
ANSWER_AFTER_EFFECT_S = 0.15
TIMER_S = 1.0
"""Longer timers hide toasts or poll; while an element is busy they may still bring the effect."""
BUSY_TIMER_S = 2.5
SLACK_S = 0.05

_LOCAL = frozenset({"database", "file", "port"})


class PendingWork(msgspec.Struct, frozen=True):
    """Work of an input that has not ended."""

    kind: str
    since: float
    """The monotonic time at which it began."""
    detail: str | float = ""
    """The delay of a timer in milliseconds, or the address of a request."""

    def wait_until(self, *, effect: bool, busy: bool) -> float:
        """Return the monotonic time until which waiting is worth it; 0 if it is not."""
        match self.kind:
            case "timer":
                delay_s = float(self.detail or 0) / 1000
                return (
                    0.0 if delay_s > (BUSY_TIMER_S if busy else TIMER_S) else self.since + delay_s + SLACK_S
                )
            case "frame" | "idle" | "animation":
                return self.since + FRAME_S
            case "request" | "body" | "stream":
                return self.since + BODY_S
            case "socket" | "worker":
                return self.since + (ANSWER_AFTER_EFFECT_S if effect else ANSWER_S)
        return self.since + LOCAL_S if self.kind in _LOCAL else 0.0

    @property
    def words(self) -> str:
        if self.kind == "timer":
            return f"a timer of {float(self.detail or 0):g} ms"
        return f"a {self.kind} {self.detail}".strip()


def wait_until(work: Iterable[PendingWork], *, effect: bool, busy: bool = False) -> float:
    """Return the latest monotonic time that any of the work is worth waiting for; 0 if none is."""
    return max((one.wait_until(effect=effect, busy=busy) for one in work), default=0.0)
