"""x.uiap.tools.log: the latest console lines, errors and requests of the application, apart from any action (MDM-R7).

Lines and requests are classified and scored as in a trace. Repeated ones are noise, and lines of extensions and of the
browser are marked as such. Bodies and query strings are never kept.
"""

from __future__ import annotations

from collections import Counter, deque

from msgspec import UNSET

from uiap.drivers import events as seen
from uiap.host.clock import Clock
from uiap.host.handlers.state import RedactionFor, observe_refusal
from uiap.host.loop.dispatch import Call, Outcome, Reply
from uiap.host.observation.page import Page
from uiap.host.privacy.text_masking import TextMask
from uiap.host.records.trace_events import TraceEventLists, TraceEvents, background_key
from uiap.runtime.relevance import SHOWN
from uiap.spec.tools import ToolsLoggedPayload, ToolsLogPayload, TraceCall, TraceLine

MAX_EVENTS, DEFAULT_LIMIT = 4000, 50
BACKGROUND_COUNT = 3
"""An event that occurs this often is background of the page."""
LEVELS = {"error": 3, "assert": 3, "warning": 2, "warn": 2, "info": 1, "log": 1}
LOGGED_EVENTS = (
    seen.ConsoleLine,
    seen.PageError,
    seen.PageDialogOpened,
    seen.Navigated,
    seen.RequestSent,
    seen.ResponseReceived,
    seen.RequestEnded,
)


class LogHandler:
    """Keeps the latest log events of one page and answers questions about them."""

    def __init__(self, page: Page, clock: Clock, redact: RedactionFor) -> None:
        self._clock, self._redact = clock, redact
        self._began = clock.now().mono
        self._events: deque[seen.AnyEvent] = deque(maxlen=MAX_EVENTS)
        page.listen(lambda event: self._events.append(event) if isinstance(event, LOGGED_EVENTS) else None)

    async def get(self, call: Call) -> Outcome:
        request: ToolsLogPayload = call.payload
        redaction = self._redact(call.connection)
        if (refused := observe_refusal(redaction)) is not None:
            return refused
        now_ms = round((self._clock.now().mono - self._began) * 1000, 1)
        return Reply("x.uiap.tools.logged", self._payload(request, now_ms, redaction.text_mask))

    def _payload(self, request: ToolsLogPayload, now_ms: float, mask: TextMask) -> ToolsLoggedPayload:
        # masked before the search: a reader cannot ask by `contains` for a value that it may not see
        scored = self._scored_events()
        known_lines, known_calls = (
            map(mask.mask_payload, scored.lines),
            map(mask.mask_payload, scored.network),
        )
        limit = DEFAULT_LIMIT if request.limit is UNSET else request.limit
        lines = [one for one in known_lines if _is_wanted(request, one, now_ms) and _has_level(request, one)]
        calls = [one for one in known_calls if _is_wanted(request, one, now_ms)]
        listed = (
            tuple(lines[-limit:]) if request.what != "network" else (),
            tuple(calls[-limit:]) if request.what != "lines" else (),
        )
        hidden = len(scored.lines) + len(scored.network) - sum(map(len, listed))
        return ToolsLoggedPayload(now_ms=now_ms, lines=listed[0], network=listed[1], hidden=hidden)

    def _scored_events(self) -> TraceEventLists:
        """Return all kept events, scored as if the whole session were one action."""
        events = TraceEvents(self._began)
        events.record_dispatch(self._began, None)
        counts = Counter(key for event in self._events if (key := background_key(event)))
        for event in list(self._events):
            events.add(event)
        return events.scored(
            Counter({key: count for key, count in counts.items() if count >= BACKGROUND_COUNT}), 0.0
        )


def _is_wanted(request: ToolsLogPayload, one: TraceLine | TraceCall, now_ms: float) -> bool:
    text = one.text if isinstance(one, TraceLine) else f"{one.method} {one.url}"
    return (
        (request.since_ms is UNSET or one.at_ms >= now_ms - request.since_ms)
        and (request.contains is UNSET or request.contains.lower() in text.lower())
        and one.relevance >= (SHOWN if request.relevance is UNSET else request.relevance)
    )


def _has_level(request: ToolsLogPayload, line: TraceLine) -> bool:
    level = request.level is UNSET or LEVELS.get(line.level, 0) >= LEVELS[request.level]
    return level and (request.origin is UNSET or line.origin == request.origin)
