"""x.uiap.tools.log: what the application said and asked for of late, apart from any action (MDM-R7).

Every line and request is classified and scored like those of a trace; what comes again and again is noise, and what
something else than the application says is told apart. Bodies and query strings are never kept.
"""

from __future__ import annotations

from collections import Counter, deque

from msgspec import UNSET

from uiap.drivers import events as seen
from uiap.host.clock import Clock
from uiap.host.handlers.state import RedactionFor, observe_refusal
from uiap.host.loop.dispatch import Call, Outcome, Reply
from uiap.host.observation.page import Page
from uiap.host.records.trace_events import TraceEventLists, TraceEvents, habit_key
from uiap.runtime.relevance import SHOWN
from uiap.spec.tools import ToolsLoggedPayload, ToolsLogPayload, TraceCall, TraceLine

KEPT, LISTED = 4000, 50
OFTEN = 3
"""What was said so often is a habit."""
LEVELS = {"error": 3, "assert": 3, "warning": 2, "warn": 2, "info": 1, "log": 1}
HEARD = (
    seen.ConsoleLine,
    seen.PageError,
    seen.PageDialogOpened,
    seen.Navigated,
    seen.RequestSent,
    seen.ResponseReceived,
    seen.RequestEnded,
)


class LogHandler:
    def __init__(self, page: Page, clock: Clock, redact: RedactionFor) -> None:
        self._clock, self._redact = clock, redact
        self._began = clock.now().mono
        self._events: deque[seen.AnyEvent] = deque(maxlen=KEPT)
        page.listen(lambda event: self._events.append(event) if isinstance(event, HEARD) else None)

    async def get(self, call: Call) -> Outcome:
        asked: ToolsLogPayload = call.payload
        redaction = self._redact(call.connection)
        if (refused := observe_refusal(redaction)) is not None:
            return refused
        payload = self._payload(asked, round((self._clock.now().mono - self._began) * 1000, 1))
        return Reply("x.uiap.tools.logged", redaction.text_mask.mask_payload(payload))

    def _payload(self, asked: ToolsLogPayload, now_ms: float) -> ToolsLoggedPayload:
        spun = self._scored_events()
        limit = LISTED if asked.limit is UNSET else asked.limit
        lines = [one for one in spun.lines if _wanted(asked, one, now_ms) and _loud(asked, one)]
        calls = [one for one in spun.network if _wanted(asked, one, now_ms)]
        listed = (
            tuple(lines[-limit:]) if asked.what != "network" else (),
            tuple(calls[-limit:]) if asked.what != "lines" else (),
        )
        hidden = len(spun.lines) + len(spun.network) - sum(map(len, listed))
        return ToolsLoggedPayload(now_ms=now_ms, lines=listed[0], network=listed[1], hidden=hidden)

    def _scored_events(self) -> TraceEventLists:
        """All that is kept, scored as if the whole session were one action that began with it."""
        yarn = TraceEvents(self._began)
        yarn.record_dispatch(self._began, None)
        habits = Counter(habit for event in self._events if (habit := habit_key(event)))
        for event in list(self._events):
            yarn.add(event)
        return yarn.scored(Counter({habit: count for habit, count in habits.items() if count >= OFTEN}), 0.0)


def _wanted(asked: ToolsLogPayload, one: TraceLine | TraceCall, now_ms: float) -> bool:
    text = one.text if isinstance(one, TraceLine) else f"{one.method} {one.url}"
    return (
        (asked.since_ms is UNSET or one.at_ms >= now_ms - asked.since_ms)
        and (asked.contains is UNSET or asked.contains.lower() in text.lower())
        and one.relevance >= (SHOWN if asked.relevance is UNSET else asked.relevance)
    )


def _loud(asked: ToolsLogPayload, line: TraceLine) -> bool:
    level = asked.level is UNSET or LEVELS.get(line.level, 0) >= LEVELS[asked.level]
    return level and (asked.origin is UNSET or line.origin == asked.origin)
