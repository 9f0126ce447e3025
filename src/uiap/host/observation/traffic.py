"""Finds the requests that belong to an action: sent by its input, or right after the response to such a request.

Requests that a page sends while no action runs are background. They are recognised again by URL and script position.
Bodies are not read here: the tracer in the page reads those of its own requests.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from uiap.signals.effect_report import AnswerWindow, NetworkTrace
from uiap.signals.refusal import READ_METHODS, is_telemetry, refuses_by_status

DATA_RESOURCES = frozenset({"Document", "XHR", "Fetch", ""})
"""Resource types whose responses can show that data was saved, unlike images, fonts, scripts and streams."""
PAGE_RESOURCES = frozenset({"Document", "Script", "Stylesheet"})
"""Resource types that a document needs before it has loaded."""
CHAIN_S = 0.1  # a request this soon after a response belongs to the same action
RESPONSE_EFFECT_S = 0.25  # the page shows the effect of a response by then
BODY_S = 0.1  # a body that the page does not read never ends
NAVIGATION_S = 0.1  # an input that loads a document requests it this soon
SIGN_IN_HINT = " (HTTP sign-in: start the session with an address such as http://NAME:PASSWORD@host/)"
MAX_BACKGROUND = 500
RELOADS = 2
"""A page that loads itself again this often while no action runs does so by itself, as with `<meta refresh>`."""
MAX_FAILED_PARTS = 10
TIMER_NAMES = frozenset({"setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback"})
"""Descriptions of timers in the async stacks of the driver, where it keeps them."""


@dataclass
class TrackedRequest:
    """A request, when it was sent and answered, and how it ended."""

    id: str
    resource: str
    background_key: str
    sent: float
    by_timer: bool = False
    answered: float | None = None
    ended: float | None = None
    status: int | None = None
    failure: str | None = None
    summary: str = ""
    method: str = ""
    url: str = ""
    is_write: bool = False
    """Its method asks for a change, or did so before a redirect."""
    embedded: bool = False
    """It loads the document of a frame inside the page."""

    @property
    def is_page(self) -> bool:
        """Whether it loads the page itself."""
        return self.resource == "Document" and not self.embedded


class Traffic:
    """The requests of one tab since the action began, and the background requests of its page."""

    def __init__(self) -> None:
        self._background: dict[str, None] = {}
        self._requests: dict[str, TrackedRequest] = {}
        self._began: float | None = None
        self._input_began: float | None = None
        self._input_ended: float | None = None
        self._last_input_began: float | None = None
        self._navigating = False
        self._in_flight: dict[str, TrackedRequest] = {}
        self._replaced = False
        """The action led to another document."""
        self._page_url, self._reloads = "", 0

    # -- events of the driver -------------------------------------------------------------------------------

    def request_sent(
        self,
        id: str,
        resource: str,
        method: str,
        url: str,
        initiator: Mapping[str, Any],
        mono: float,
        *,
        embedded: bool = False,
    ) -> None:
        background_key = f"{method} {_without_query(url)} {_script_position(initiator)}"
        summary = f"{method} {urlsplit(url).path or url}"
        request = TrackedRequest(
            id,
            resource,
            background_key,
            mono,
            _is_from_timer(initiator),
            summary=summary,
            method=method,
            url=url,
            is_write=method not in READ_METHODS,
            embedded=embedded,
        )
        known = self._requests.get(id)
        if known is not None:  # a redirect has the id of the redirected request, and the same cause
            request.background_key, request.sent, request.by_timer = (
                known.background_key,
                known.sent,
                known.by_timer,
            )
            request.is_write = request.is_write or known.is_write
        if resource in DATA_RESOURCES | PAGE_RESOURCES and background_key not in self._background:
            self._in_flight[id] = request
        if request.is_page:
            self._page_requested(request)
        if self._began is None:
            self._learn_background(request)
        elif resource in DATA_RESOURCES | PAGE_RESOURCES:
            self._requests[id] = request

    def response_received(self, id: str, status: int, mono: float) -> None:
        if id in self._in_flight and self._in_flight[id].resource not in PAGE_RESOURCES:
            del self._in_flight[id]  # a body that the page does not read never ends
        if (request := self._requests.get(id)) is not None:
            request.answered, request.status = mono, status

    def request_ended(self, id: str, failed: bool, reason: str, mono: float) -> None:
        self._in_flight.pop(id, None)
        if (request := self._requests.get(id)) is not None:
            request.ended = mono
            if (
                failed and "ABORTED" not in reason and reason != "left"
            ):  # the page gave it up; the server did not fail
                request.failure = reason or "no answer"

    def document_replaced(self) -> None:
        """Forget the open requests of the old document; their responses never arrive."""
        self._navigating = self._navigating or self.attribution().navigating
        self._replaced = True
        self._in_flight = {id: r for id, r in self._in_flight.items() if r.resource in PAGE_RESOURCES}
        self._requests = {
            id: r for id, r in self._requests.items() if r.ended is not None or r.resource in PAGE_RESOURCES
        }

    # -- one action -----------------------------------------------------------------------------------------

    def begin_action(self, mono: float) -> None:
        self._began, self._input_began, self._input_ended, self._last_input_began = mono, None, None, None
        self._requests, self._navigating, self._replaced = {}, False, False

    def input_dispatched(self, begun: float, ended: float | None) -> None:
        """Note when the input began and ended; its task sent its requests in between.

        With `ended` None, a later call of `input_ended` gives the end.
        """
        self._input_began = begun if self._input_began is None else self._input_began
        self._last_input_began = begun
        self._input_ended = math.inf if ended is None else ended

    def input_ended(self, begun: float, mono: float) -> None:
        """Note the end of the input that began at `begun`: all its requests have been reported."""
        if begun == self._last_input_began and self._input_ended == math.inf:
            self._input_ended = mono

    def end_action(self) -> None:
        own = set(map(id, self.own_requests()))
        for request in self._requests.values():
            if id(request) not in own:
                self._learn_background(request)
        self._began = None

    def own_requests(self) -> list[TrackedRequest]:
        """Return the requests of the action in sending order, so that chained requests follow their cause."""
        if self._input_began is None or self._input_ended is None:
            return []
        found: list[TrackedRequest] = []
        for request in self._requests.values():
            if request.resource not in DATA_RESOURCES or request.background_key in self._background:
                continue
            if self._sent_by_input(request) or _is_chained(request, found):
                found.append(request)
        return found

    def _sent_by_input(self, request: TrackedRequest) -> bool:
        assert self._input_began is not None and self._input_ended is not None
        grace = NAVIGATION_S if request.resource == "Document" else 0.0
        return not request.by_timer and self._input_began <= request.sent <= self._input_ended + grace

    @property
    def in_flight(self) -> list[str]:
        """Unanswered requests of any cause, without background requests."""
        return [request.summary for request in self._in_flight.values()]

    @property
    def loading_count(self) -> int:
        return sum(
            1 for r in self._requests.values() if r.ended is None and r.background_key not in self._background
        )

    @property
    def parts_loaded_at(self) -> float:
        """Return when the last request for data inside the page ended; infinity while something loads."""
        if self.loading_count:
            return math.inf
        data = (r for r in self._requests.values() if r.resource in ("Fetch", "XHR"))
        return max((r.ended or 0.0 for r in data), default=0.0)

    def open_count(self, mono: float) -> int:
        """Return how many requests of the action are open. A body counts for `BODY_S` after its response at most."""
        open_until = (
            math.inf if r.answered is None else r.answered + BODY_S
            for r in self._awaited()
            if r.ended is None
        )
        return sum(1 for until in open_until if mono < until)

    @property
    def idle_since(self) -> float:
        return max((r.ended or r.answered or 0.0 for r in self._awaited()), default=0.0)

    def _awaited(self) -> list[TrackedRequest]:
        """Return the requests of the action, and those with which the page that a write led to fetches its data.

        A page that loads again sends the same requests as before, so they are known as its background.
        """
        own = self.own_requests()
        if not self._replaced or not any(r.is_write for r in own):
            return own
        known = set(map(id, own))
        loads = (r for r in self._requests.values() if r.resource in ("XHR", "Fetch") and not r.by_timer)
        return own + [r for r in loads if id(r) not in known and not r.is_write]

    def failure(self, *, scripted: bool = True) -> str | None:
        """Return the failure of a request of the action. A later request that repeats it counts instead.

        Without `scripted`, only documents count: the tracer reports the answers to requests of scripts.
        """
        own = [request for request in self.own_requests() if scripted or request.resource == "Document"]
        counted = [r for r in own if not (r.embedded and _follows_document(r, own))]
        last = {request.summary: request for request in counted if request.failure or request.status}
        return next((text for request in last.values() if (text := _failure_of(request)) is not None), None)

    def document_failure(self) -> str | None:
        """Return the failure of the last request for the page's own document: only it decides about an arrival."""
        documents = [r for r in self._requests.values() if r.resource == "Document" and not r.embedded]
        return _failure_of(documents[-1]) if documents else None

    def failed_parts(self) -> tuple[str, ...]:
        """Return the requests inside a page that arrived which failed or have no answer, in words."""
        parts = (r for r in self._requests.values() if r.resource != "Document" or r.embedded)
        failed = (f"{_without_query(r.url)}: {_ending_of(r)}" for r in parts if self._is_missing(r))
        return tuple(dict.fromkeys(failed))[:MAX_FAILED_PARTS]

    def _is_missing(self, request: TrackedRequest) -> bool:
        failed = request.failure is not None or (request.status or 0) >= 400
        return failed or (_is_open(request) and request.background_key not in self._background)

    def attribution(self) -> NetworkTrace:
        own = self.own_requests()
        windows: list[AnswerWindow] = [
            (r.answered or r.ended or 0.0, (r.ended or r.answered or 0.0) + RESPONSE_EFFECT_S)
            for r in own
            if r.answered or r.ended
        ]
        navigating = self._navigating or any(r.resource == "Document" for r in own)
        return NetworkTrace(tuple(windows), navigating, any(r.is_write for r in own))

    def _page_requested(self, request: TrackedRequest) -> None:
        """Count how often the page loads itself again while no action runs."""
        again = request.url == self._page_url
        self._reloads = self._reloads + (self._began is None) if again else 0
        self._page_url = request.url

    def _learn_background(self, request: TrackedRequest) -> None:
        """Remember a request that no action sent. A page that was opened once may be opened again by a link."""
        if request.is_page and self._reloads < RELOADS:
            return
        self._background[request.background_key] = None
        if len(self._background) > MAX_BACKGROUND:
            del self._background[next(iter(self._background))]


def _follows_document(request: TrackedRequest, own: list[TrackedRequest]) -> bool:
    """Return whether a new page was requested before: then the request loads a part of that page."""
    return any(r.resource == "Document" and not r.embedded and r.sent <= request.sent for r in own)


def _is_open(request: TrackedRequest) -> bool:
    return request.answered is None and request.ended is None


def _ending_of(request: TrackedRequest) -> str:
    return "no answer yet" if _is_open(request) else request.failure or str(request.status)


def _failure_of(request: TrackedRequest) -> str | None:
    if is_telemetry(request.url):
        return None
    if request.failure is not None:
        return f"{request.summary}: {request.failure}"
    if request.status is not None and _is_refused(request, request.status):
        asks_for_name = request.status == 401 and request.resource == "Document" and request.method == "GET"
        return f"{request.summary} was answered with {request.status}{SIGN_IN_HINT if asks_for_name else ''}"
    return None


def _is_refused(request: TrackedRequest, status: int) -> bool:
    """Return whether a status refuses. A read of data may find nothing, but a page that is not there is a failure."""
    if request.resource == "Document":
        return status >= 400
    return refuses_by_status(request.method, status, request.url)


def _is_chained(request: TrackedRequest, own: list[TrackedRequest]) -> bool:
    """Return whether the request was sent during or right after the response to one of `own`."""
    for other in reversed(own):  # the cause is mostly one of the last
        if (
            other.answered is not None
            and other.answered <= request.sent <= (other.ended or request.sent) + CHAIN_S
        ):
            return True
    return False


def _without_query(url: str) -> str:
    """Return the URL without its query, which changes from one poll to the next."""
    split = urlsplit(url)
    return f"{split.scheme}://{split.netloc}{split.path}"


def _script_position(initiator: Mapping[str, Any]) -> str:
    """Return the script position of a request. A poll and a click on Refresh share the URL, but not the position."""
    frames = (initiator.get("stack") or {}).get("callFrames") or ()
    if not frames:
        return str(initiator.get("type", ""))
    return "|".join(f"{f.get('url')}:{f.get('lineNumber')}:{f.get('columnNumber')}" for f in frames)


def _is_from_timer(initiator: Mapping[str, Any]) -> bool:
    """Return whether a timer sent the request; then it was not sent by the task of an input."""
    parent = (initiator.get("stack") or {}).get("parent")
    return isinstance(parent, Mapping) and parent.get("description") in TIMER_NAMES
