"""Which requests of a tab belong to an action: sent by its own input, or after the answer to one that was.

The page's habits are known by what it asks while nobody acts, and from where in its script. Bodies are never seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from uiap.signals.watch import AnswerWindow, NetworkTrace

SPEAKING = frozenset({"Document", "XHR", "Fetch", ""})
"""Pictures, fonts, scripts and streams do not say whether something was saved."""
MADE_OF = frozenset({"Document", "Script", "Stylesheet"})
"""What a page needs, with what it asks for, before it has arrived."""
READS = frozenset({"GET", "HEAD", "OPTIONS"})
CHAIN_S = 0.1  # a request this soon after an answer continues it
BRINGS_S = 0.25  # what an answer brings to the page is there by then
BODY_S = 0.1
LEAVES_S = 0.1  # a press that loads a document asks for it this soon
HABITS = 500
LATER = frozenset({"setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback"})
"""How the driver's async stacks name what runs in a task of its own, where it keeps them."""


@dataclass
class Request:
    id: str
    resource: str
    habit: str
    sent: float
    later: bool = False
    answered: float | None = None
    ended: float | None = None
    status: int | None = None
    failure: str | None = None
    words: str = ""
    wrote: bool = False
    """It asked for a change, also where it was sent on to another place since."""


class Traffic:
    """The requests of one tab since the action began, and the habits before."""

    def __init__(self) -> None:
        self._habits: dict[str, None] = {}
        self._requests: dict[str, Request] = {}
        self._began: float | None = None
        self._from: float | None = None
        self._until: float | None = None
        self._begun: float | None = None
        self._left = False
        self._flying: dict[str, Request] = {}

    # -- what the driver tells ------------------------------------------------------------------------------

    def sent(
        self, id: str, resource: str, method: str, url: str, initiator: Mapping[str, Any], mono: float
    ) -> None:
        habit = f"{method} {_place(url)} {_stack(initiator)}"
        words = f"{method} {urlsplit(url).path or url}"
        request = Request(
            id, resource, habit, mono, _later(initiator), words=words, wrote=method not in READS
        )
        known = self._requests.get(id)
        if known is not None:  # a redirect keeps the number of what was redirected, and was asked for with it
            request.habit, request.sent, request.later = known.habit, known.sent, known.later
            request.wrote = request.wrote or known.wrote
        if resource in SPEAKING | MADE_OF and habit not in self._habits:
            self._flying[id] = request
        if self._began is None:
            self._learn(request)
        elif resource in SPEAKING | MADE_OF:
            self._requests[id] = request

    def answered(self, id: str, status: int, mono: float) -> None:
        if id in self._flying and self._flying[id].resource not in MADE_OF:
            del self._flying[id]  # a body that nobody reads never ends
        if (request := self._requests.get(id)) is not None:
            request.answered, request.status = mono, status

    def ended(self, id: str, failed: bool, reason: str, mono: float) -> None:
        self._flying.pop(id, None)
        if (request := self._requests.get(id)) is not None:
            request.ended = mono
            if failed and "ABORTED" not in reason and reason != "left":  # ours to give up, not theirs to fail
                request.failure = reason or "no answer"

    def forget(self) -> None:
        """A new document: what the old one waited for no longer comes."""
        self._left = self._left or self.traced().navigating
        self._flying = {id: r for id, r in self._flying.items() if r.resource in MADE_OF}
        self._requests = {
            id: r for id, r in self._requests.items() if r.ended is not None or r.resource in MADE_OF
        }

    # -- one action -----------------------------------------------------------------------------------------

    def begin(self, mono: float) -> None:
        self._began, self._from, self._until, self._begun = mono, None, None, None
        self._requests, self._left = {}, False

    def dispatched(self, begun: float, mono: float | None) -> None:
        """The input ran between these moments; what its own task asked for was sent then. None: `told` says when."""
        self._from = begun if self._from is None else self._from
        self._begun = begun
        self._until = math.inf if mono is None else mono

    def told(self, begun: float, mono: float) -> None:
        """Everything that the task of the input which began then had to say is here."""
        if begun == self._begun and self._until == math.inf:
            self._until = mono

    def end(self) -> None:
        ours = set(map(id, self.ours()))
        for request in self._requests.values():
            if id(request) not in ours:
                self._learn(request)
        self._began = None

    def ours(self) -> list[Request]:
        """In the order they were sent, so that what follows an answer is known by then."""
        if self._from is None or self._until is None:
            return []
        found: list[Request] = []
        for request in self._requests.values():
            if request.resource not in SPEAKING or request.habit in self._habits:
                continue
            if self._in_task(request) or _chained(request, found):
                found.append(request)
        return found

    def _in_task(self, request: Request) -> bool:
        assert self._from is not None and self._until is not None
        grace = LEAVES_S if request.resource == "Document" else 0.0
        return not request.later and self._from <= request.sent <= self._until + grace

    @property
    def in_flight(self) -> list[str]:
        """Requests without an answer that the page does not send again and again, whoever sent them."""
        return [request.words for request in self._flying.values()]

    @property
    def loading(self) -> int:
        return sum(1 for r in self._requests.values() if r.ended is None and r.habit not in self._habits)

    def open(self, mono: float) -> int:
        """How many wait for their answer; a body that nobody reads never ends, so it is waited for a moment only."""
        return sum(
            1 for r in self.ours() if r.ended is None and (r.answered is None or mono < r.answered + BODY_S)
        )

    @property
    def quiet_since(self) -> float:
        return max((r.ended or r.answered or 0.0 for r in self.ours()), default=0.0)

    @property
    def failed(self) -> str | None:
        for request in self.ours():
            if request.failure is not None:
                return f"{request.words}: {request.failure}"
            if request.status is not None and request.status >= 400:
                return f"{request.words} was answered with {request.status}"
        return None

    def traced(self) -> NetworkTrace:
        ours = self.ours()
        windows: list[AnswerWindow] = [
            (r.answered or r.ended or 0.0, (r.ended or r.answered or 0.0) + BRINGS_S)
            for r in ours
            if r.answered or r.ended
        ]
        navigating = self._left or any(r.resource == "Document" for r in ours)
        return NetworkTrace(tuple(windows), navigating, any(r.wrote for r in ours))

    def _learn(self, request: Request) -> None:
        self._habits[request.habit] = None
        if len(self._habits) > HABITS:
            del self._habits[next(iter(self._habits))]


def _chained(request: Request, ours: list[Request]) -> bool:
    """Sent right after the answer to one of ours, or while one of ours is being answered."""
    for other in ours:
        if (
            other.answered is not None
            and other.answered <= request.sent <= (other.ended or request.sent) + CHAIN_S
        ):
            return True
    return False


def _place(url: str) -> str:
    """The URL without what changes from one poll to the next."""
    split = urlsplit(url)
    return f"{split.scheme}://{split.netloc}{split.path}"


def _stack(initiator: Mapping[str, Any]) -> str:
    """From where in the page's script: a poll and a press on Refresh ask the same URL from different places."""
    frames = (initiator.get("stack") or {}).get("callFrames") or ()
    if not frames:
        return str(initiator.get("type", ""))
    return "|".join(f"{f.get('url')}:{f.get('lineNumber')}:{f.get('columnNumber')}" for f in frames)


def _later(initiator: Mapping[str, Any]) -> bool:
    """A timer asked for it, so it was not asked for in the task of an input."""
    parent = (initiator.get("stack") or {}).get("parent")
    return isinstance(parent, Mapping) and parent.get("description") in LATER
