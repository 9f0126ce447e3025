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

DATA_RESOURCES = frozenset({"Document", "XHR", "Fetch", ""})
"""Pictures, fonts, scripts and streams do not say whether something was saved."""
PAGE_RESOURCES = frozenset({"Document", "Script", "Stylesheet"})
"""What a page needs, with what it asks for, before it has arrived."""
READ_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
CHAIN_S = 0.1  # a request this soon after an answer continues it
RESPONSE_EFFECT_S = 0.25  # what an answer brings to the page is there by then
BODY_S = 0.1
NAVIGATION_S = 0.1  # a press that loads a document asks for it this soon
MAX_HABITS = 500
TIMER_NAMES = frozenset({"setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback"})
"""How the driver's async stacks name what runs in a task of its own, where it keeps them."""


@dataclass
class TrackedRequest:
    id: str
    resource: str
    habit: str
    sent: float
    by_timer: bool = False
    answered: float | None = None
    ended: float | None = None
    status: int | None = None
    failure: str | None = None
    summary: str = ""
    is_write: bool = False
    """It asked for a change, also where it was sent on to another place since."""


class Traffic:
    """The requests of one tab since the action began, and the habits before."""

    def __init__(self) -> None:
        self._habits: dict[str, None] = {}
        self._requests: dict[str, TrackedRequest] = {}
        self._began: float | None = None
        self._input_began: float | None = None
        self._input_ended: float | None = None
        self._last_input_began: float | None = None
        self._navigating = False
        self._in_flight: dict[str, TrackedRequest] = {}

    # -- what the driver tells ------------------------------------------------------------------------------

    def request_sent(
        self, id: str, resource: str, method: str, url: str, initiator: Mapping[str, Any], mono: float
    ) -> None:
        habit = f"{method} {_place(url)} {_stack(initiator)}"
        words = f"{method} {urlsplit(url).path or url}"
        request = TrackedRequest(
            id, resource, habit, mono, _later(initiator), summary=words, is_write=method not in READ_METHODS
        )
        known = self._requests.get(id)
        if known is not None:  # a redirect keeps the number of what was redirected, and was asked for with it
            request.habit, request.sent, request.by_timer = known.habit, known.sent, known.by_timer
            request.is_write = request.is_write or known.is_write
        if resource in DATA_RESOURCES | PAGE_RESOURCES and habit not in self._habits:
            self._in_flight[id] = request
        if self._began is None:
            self._learn_habit(request)
        elif resource in DATA_RESOURCES | PAGE_RESOURCES:
            self._requests[id] = request

    def response_received(self, id: str, status: int, mono: float) -> None:
        if id in self._in_flight and self._in_flight[id].resource not in PAGE_RESOURCES:
            del self._in_flight[id]  # a body that nobody reads never ends
        if (request := self._requests.get(id)) is not None:
            request.answered, request.status = mono, status

    def request_ended(self, id: str, failed: bool, reason: str, mono: float) -> None:
        self._in_flight.pop(id, None)
        if (request := self._requests.get(id)) is not None:
            request.ended = mono
            if failed and "ABORTED" not in reason and reason != "left":  # ours to give up, not theirs to fail
                request.failure = reason or "no answer"

    def document_replaced(self) -> None:
        """A new document: what the old one waited for no longer comes."""
        self._navigating = self._navigating or self.attribution().navigating
        self._in_flight = {id: r for id, r in self._in_flight.items() if r.resource in PAGE_RESOURCES}
        self._requests = {
            id: r for id, r in self._requests.items() if r.ended is not None or r.resource in PAGE_RESOURCES
        }

    # -- one action -----------------------------------------------------------------------------------------

    def begin_action(self, mono: float) -> None:
        self._began, self._input_began, self._input_ended, self._last_input_began = mono, None, None, None
        self._requests, self._navigating = {}, False

    def input_dispatched(self, begun: float, mono: float | None) -> None:
        """The input ran between these moments; what its own task asked for was sent then. None: `told` says when."""
        self._input_began = begun if self._input_began is None else self._input_began
        self._last_input_began = begun
        self._input_ended = math.inf if mono is None else mono

    def input_ended(self, begun: float, mono: float) -> None:
        """Everything that the task of the input which began then had to say is here."""
        if begun == self._last_input_began and self._input_ended == math.inf:
            self._input_ended = mono

    def end_action(self) -> None:
        ours = set(map(id, self.own_requests()))
        for request in self._requests.values():
            if id(request) not in ours:
                self._learn_habit(request)
        self._began = None

    def own_requests(self) -> list[TrackedRequest]:
        """In the order they were sent, so that what follows an answer is known by then."""
        if self._input_began is None or self._input_ended is None:
            return []
        found: list[TrackedRequest] = []
        for request in self._requests.values():
            if request.resource not in DATA_RESOURCES or request.habit in self._habits:
                continue
            if self._sent_by_input(request) or _chained(request, found):
                found.append(request)
        return found

    def _sent_by_input(self, request: TrackedRequest) -> bool:
        assert self._input_began is not None and self._input_ended is not None
        grace = NAVIGATION_S if request.resource == "Document" else 0.0
        return not request.by_timer and self._input_began <= request.sent <= self._input_ended + grace

    @property
    def in_flight(self) -> list[str]:
        """Requests without an answer that the page does not send again and again, whoever sent them."""
        return [request.summary for request in self._in_flight.values()]

    @property
    def loading_count(self) -> int:
        return sum(1 for r in self._requests.values() if r.ended is None and r.habit not in self._habits)

    def open_count(self, mono: float) -> int:
        """How many wait for their answer; a body that nobody reads never ends, so it is waited for a moment only."""
        return sum(
            1
            for r in self.own_requests()
            if r.ended is None and (r.answered is None or mono < r.answered + BODY_S)
        )

    @property
    def idle_since(self) -> float:
        return max((r.ended or r.answered or 0.0 for r in self.own_requests()), default=0.0)

    @property
    def failure(self) -> str | None:
        for request in self.own_requests():
            if request.failure is not None:
                return f"{request.summary}: {request.failure}"
            if request.status is not None and request.status >= 400:
                return f"{request.summary} was answered with {request.status}"
        return None

    def attribution(self) -> NetworkTrace:
        ours = self.own_requests()
        windows: list[AnswerWindow] = [
            (r.answered or r.ended or 0.0, (r.ended or r.answered or 0.0) + RESPONSE_EFFECT_S)
            for r in ours
            if r.answered or r.ended
        ]
        navigating = self._navigating or any(r.resource == "Document" for r in ours)
        return NetworkTrace(tuple(windows), navigating, any(r.is_write for r in ours))

    def _learn_habit(self, request: TrackedRequest) -> None:
        self._habits[request.habit] = None
        if len(self._habits) > MAX_HABITS:
            del self._habits[next(iter(self._habits))]


def _chained(request: TrackedRequest, ours: list[TrackedRequest]) -> bool:
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
    return isinstance(parent, Mapping) and parent.get("description") in TIMER_NAMES
