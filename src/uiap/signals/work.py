"""Work that an input set going: timers, requests, messages. Its end says when an effect is complete.

A tracer in the page reports it. The rules here say how long each kind is worth waiting for; they were measured on pages
of real frameworks (docs/success.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set

import msgspec

FRAME_S = 1.0
"""Frames and idle callbacks of a hidden or busy page may come late."""
LOCAL_S = 0.5
"""Databases, files and ports answer from this machine."""
FOLLOWED_S = 3.5
"""Timers, responses and answers are followed this long. An effect may be taken back, or refused, until then."""
HARMLESS_ANSWER_S = 0.15
"""Channels that never answered are given this long."""
DRAFT_ANSWER_S = 1.0
"""The far end of a channel is given this long to answer a draft. Many servers take note of it and answer nothing."""
SLACK_S = 0.05

_LOCAL = frozenset({"database", "file", "port"})
_CHANNELS = frozenset({"socket", "worker", "events"})


class PendingWork(msgspec.Struct, frozen=True):
    """Work of an input that has not ended."""

    kind: str
    since: float
    """The monotonic time at which it began."""
    detail: str | float = ""
    """The delay of a timer in milliseconds, or the address of a request."""
    source: str = ""
    """A mark of the code that runs, where it is known."""
    harmless: bool = False
    """Work of this kind never changed anything on this page, so an effect need not wait for it."""

    @property
    def key(self) -> str:
        """Return the kind, detail and source, by which earlier work of the same kind is known."""
        return f"{self.kind} {self.detail} {self.source}"

    def wait_until(self, *, effect: bool, draft: bool = False) -> float:
        """Return the monotonic time until which waiting is worth it; 0 if it is not.

        With `effect`, the effect was observed already, and the wait is only for its end. With `draft`, the effect is
        a text in its field.
        """
        if draft and effect and self.kind in _CHANNELS:
            return self.since + (HARMLESS_ANSWER_S if self.harmless else DRAFT_ANSWER_S)
        harmless = self.harmless and effect
        match self.kind:
            case "timer":
                # on a busy page a timer runs late; its end is reported at once
                delay_s = float(self.detail or 0) / 1000
                return 0.0 if harmless or delay_s > FOLLOWED_S else self.since + FOLLOWED_S + SLACK_S
            case "frame" | "idle" | "animation":
                return self.since + FRAME_S
            case "download" | "tab" | "progress":
                return self.since + FOLLOWED_S
            case "request" | "body" | "stream" | "socket" | "worker" | "events":
                return self.since + (HARMLESS_ANSWER_S if harmless else FOLLOWED_S)
        local = HARMLESS_ANSWER_S if harmless else LOCAL_S
        return self.since + local if self.kind in _LOCAL else 0.0

    @property
    def words(self) -> str:
        if self.kind == "timer":
            return f"a timer of {float(self.detail or 0):g} ms"
        if self.kind == "events":
            return "an answer over an event stream"
        return f"a {self.kind} {self.detail}".strip()


def wait_until(work: Iterable[PendingWork], *, effect: bool, draft: bool = False) -> float:
    """Return the latest monotonic time that any of the work is worth waiting for; 0 if none is."""
    return max((one.wait_until(effect=effect, draft=draft) for one in work), default=0.0)


class ReportedWork:
    """The last report about the work of each input of one action."""

    def __init__(self) -> None:
        self._by_token: dict[str, tuple[PendingWork, ...]] = {}
        self.changed_at = 0.0
        """The monotonic time of the last report."""
        self.ended_at = 0.0
        """The monotonic time of the last report that some work had ended."""
        self.sent_message = False
        """An input sent a message over a socket."""

    def record(self, token: str, work: tuple[PendingWork, ...], mono: float) -> None:
        before = Counter(one.key for one in self.of(token))
        if before - Counter(one.key for one in work):
            self.ended_at = mono
        self._by_token[token], self.changed_at = work, mono
        self.sent_message = self.sent_message or any(one.kind == "socket" for one in work)

    def end(self) -> None:
        """Record that the document is gone, and all work of it."""
        self._by_token = dict.fromkeys(self._by_token, ())

    def of(self, token: str | None) -> tuple[PendingWork, ...]:
        return self._by_token.get(token or "", ())

    def of_all(self, tokens: Set[str]) -> tuple[PendingWork, ...] | None:
        """Return the work of these inputs; None while it is not known, because one of them was not reported.

        A gesture that found its element as wanted sends nothing, and has no report. The work of an earlier one counts.
        """
        found = tuple(one for token in sorted(tokens) for one in self.of(token))
        return found if found or (tokens and tokens <= self._by_token.keys()) else None
