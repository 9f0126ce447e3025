"""Collects the events of a tab during one action and turns them into the lists of its trace.

Events are stored as they arrive; at the end `runtime.relevance` gives each its cause and relevance.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from typing import NamedTuple
from urllib.parse import urlsplit

from msgspec import UNSET, UnsetType

from uiap.drivers import events as seen
from uiap.host.observation.traffic import DATA_RESOURCES, RESPONSE_EFFECT_S, TrackedRequest
from uiap.runtime.relevance import SHOWN, TraceFact, cause, relevance
from uiap.spec.tools import TraceCall, TraceLine, TraceSignal

MAX_EVENTS = 2000
"""The number of events kept per action, as a page may log without end."""
MAX_TEXT = 500
MINOR_SIGNALS = ("focus.changed", "toast.hidden", "element.appeared", "element.disappeared")
FOREIGN_SCHEMES = ("chrome-extension", "moz-extension", "devtools", "chrome")


class TraceEventLists(NamedTuple):
    """The relevant events of an action by kind, and the number of those left out."""

    network: tuple[TraceCall, ...]
    lines: tuple[TraceLine, ...]
    signals: tuple[TraceSignal, ...]
    noise: int


class _ObservedRequest:
    """A request, its status, and how it ended."""

    def __init__(self, event: seen.RequestSent) -> None:
        self.sent = event
        self.status: int | UnsetType = UNSET
        self.ended: float | None = None
        self.failure: str | UnsetType = UNSET


Line = seen.ConsoleLine | seen.PageError | seen.PageDialogOpened | seen.Navigated


class TraceEvents:
    """The events of one action. With `causal`, tokens of the driver tell what it caused; else only time does."""

    def __init__(self, began: float, *, causal: bool = True) -> None:
        self._began, self._causal = began, causal
        self._calls: dict[str, _ObservedRequest] = {}
        self._lines: deque[Line] = deque(maxlen=MAX_EVENTS)
        self._signals: deque[seen.SignalObserved] = deque(maxlen=MAX_EVENTS)
        self._dropped = 0
        self._sent_at: float | None = None
        self._tokens: set[str] = set()
        self._own_requests: dict[str, TrackedRequest] = {}

    def ms(self, mono: float) -> float:
        return round(max(0.0, mono - self._began) * 1000, 1)

    @property
    def dispatched_ms(self) -> float | UnsetType:
        return UNSET if self._sent_at is None else self.ms(self._sent_at)

    def record_dispatch(self, mono: float, token: str | None) -> None:
        self._sent_at = mono if self._sent_at is None else self._sent_at
        if token is not None and self._causal:
            self._tokens.add(token)

    def set_own_requests(self, requests: list[TrackedRequest]) -> None:
        """Set the requests of this action. Events that come with their responses are its effects too."""
        self._own_requests = {request.id: request for request in requests if self._causal}

    def add(self, event: seen.AnyEvent) -> None:
        match event:
            case seen.RequestSent():
                if len(self._calls) < MAX_EVENTS:
                    self._calls[event.request] = _ObservedRequest(event)
                else:
                    self._dropped += 1
            case seen.ResponseReceived() if event.request in self._calls:
                self._calls[event.request].status = event.status
            case seen.RequestEnded() if event.request in self._calls:
                call = self._calls[event.request]
                call.ended = event.at
                call.failure = (event.reason or "no answer") if event.failed else UNSET
            case seen.ConsoleLine() | seen.PageError() | seen.PageDialogOpened() | seen.Navigated():
                self._lines.append(event)
            case seen.SignalObserved():
                self._signals.append(event)

    # -- at the end -----------------------------------------------------------------------------------------

    def scored(self, background: Counter[str], least: float = SHOWN) -> TraceEventLists:
        """Return the relevant events of each kind in order of arrival, and the number of the others."""
        network = [self._call(call, background) for call in self._calls.values()]
        lines = [self._line(line, background) for line in self._lines]
        signals = [self._signal(signal, background) for signal in self._signals]
        relevant = (
            tuple(one for one in network if one.relevance >= least),
            tuple(one for one in lines if one.relevance >= least),
            tuple(one for one in signals if one.relevance >= least),
        )
        noise = len(network) + len(lines) + len(signals) - sum(map(len, relevant)) + self._dropped
        return TraceEventLists(*relevant, noise)

    def _is_after_dispatch(self, mono: float) -> bool:
        return self._sent_at is not None and mono >= self._sent_at

    def _came_with_response(self, mono: float) -> bool:
        """Return whether a moment falls into the response to a request of this action."""
        return any(
            request.answered is not None
            and request.answered <= mono <= (request.ended or request.answered) + RESPONSE_EFFECT_S
            for request in self._own_requests.values()
        )

    def _call(self, call: _ObservedRequest, background: Counter[str]) -> TraceCall:
        sent = call.sent
        failed = call.failure is not UNSET or (isinstance(call.status, int) and call.status >= 400)
        what = TraceFact(
            kind="request" if sent.resource in DATA_RESOURCES else "asset",
            after=self._is_after_dispatch(sent.at),
            ours=sent.request in self._own_requests,
            background=background[background_key(sent)] > 0,
            failed=failed,
        )
        return TraceCall(
            method=sent.method,
            url=_without_query(sent.url),
            at_ms=self.ms(sent.at),
            cause=cause(what),
            relevance=relevance(what),
            resource=sent.resource or UNSET,
            status=call.status,
            ended_ms=UNSET if call.ended is None else self.ms(call.ended),
            failure=call.failure,
        )

    def _line(self, line: Line, background: Counter[str]) -> TraceLine:
        app = urlsplit(line.url).scheme not in FOREIGN_SCHEMES
        is_background = background[background_key(line)] > 0
        match line:
            case seen.ConsoleLine():
                what = TraceFact(
                    kind="console",
                    after=self._is_after_dispatch(line.at),
                    background=is_background,
                    level=line.level,
                    app=app,
                )
                return self._trace_line("console", what, line, line.level, line.text, line.line)
            case seen.PageError():
                app = app and line.source == "page"
                what = TraceFact(
                    kind="error",
                    after=self._is_after_dispatch(line.at),
                    background=is_background,
                    failed=True,
                    app=app,
                )
                return self._trace_line("error", what, line, "error", line.text, line.line)
            case seen.PageDialogOpened():
                what = TraceFact(kind="dialog", after=self._is_after_dispatch(line.at), ours=True)
                return self._trace_line("dialog", what, line, line.kind, line.message, 0)
            case seen.Navigated():
                what = TraceFact(
                    kind="navigation",
                    after=self._is_after_dispatch(line.at),
                    ours=self._came_with_response(line.at),
                )
                level = "document" if line.new_document else "route"
                return self._trace_line("navigation", what, line, level, _without_query(line.url), 0)

    def _trace_line(
        self, kind: str, what: TraceFact, line: Line, level: str, text: str, row: int
    ) -> TraceLine:
        return TraceLine(
            kind=kind,  # type: ignore[arg-type]
            level=level,
            text=text[:MAX_TEXT],
            at_ms=self.ms(line.at),
            origin="app" if what.app else "system",
            cause=cause(what),
            relevance=relevance(what),
            url=_without_query(line.url) if line.url else UNSET,
            line=row or UNSET,
        )

    def _signal(self, event: seen.SignalObserved, background: Counter[str]) -> TraceSignal:
        what = TraceFact(
            kind="minor_signal" if _is_minor(event) else "signal",
            after=self._is_after_dispatch(event.at),
            ours=(event.token in self._tokens)
            or (not _is_minor(event) and self._came_with_response(event.at)),
            background=background[background_key(event)] > 0,
        )
        return TraceSignal(
            signal=event.signal, at_ms=self.ms(event.at), cause=cause(what), relevance=relevance(what)
        )


def _is_minor(event: seen.SignalObserved) -> bool:
    signal = event.signal
    return signal.kind in MINOR_SIGNALS or getattr(signal, "name", "") == "x.uiap.loading"


def background_key(event: seen.AnyEvent) -> str:
    """Return the key by which repetitions of an event are counted; empty for events that are never background."""
    match event:
        case seen.RequestSent():
            return f"{event.method} {_without_query(event.url)}"
        case seen.ConsoleLine() | seen.PageError():
            return re.sub(r"\d+", "#", event.text[:200])
        case seen.SignalObserved():
            words = re.sub(r"\d+", "#", str(getattr(event.signal, "text", "")))
            return f"{event.signal.kind} {words}"
    return ""


def _without_query(url: str) -> str:
    """Return the URL without query and fragment, which may hold private values."""
    split = urlsplit(url)
    return f"{split.scheme}://{split.netloc}{split.path}" if split.netloc else url.partition("?")[0][:200]
