"""The trace of each action: what it caused and what happened meanwhile, kept under the handle (MDM-R10).

A recorder collects events while its action runs; the trace store keeps finished traces. Neither ever changes an
outcome. Bodies, query strings, arguments and private values are not kept.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import UNSET
from sqlalchemy import select

from uiap.drivers import events as seen
from uiap.drivers.driver import Driver
from uiap.drivers.errors import DriverError
from uiap.graph.outline import outline
from uiap.host.clock import Clock
from uiap.host.observation.page import Page, TabView
from uiap.host.observation.traffic import TrackedRequest
from uiap.host.privacy.redaction import RECORDS_READER, Redaction
from uiap.host.records import tables, telemetry
from uiap.host.records.trace_events import TraceEvents, background_key
from uiap.host.records.writer import Writer
from uiap.instant import Instant
from uiap.runtime.record import PHASES
from uiap.spec.action import ActionProgressPayload, ActionRequestPayload, ActionResultPayload
from uiap.spec.tools import (
    ActionTrace,
    LifecyclePhase,
    TracePhase,
    TraceStage,
    TraceSummary,
    TraceView,
)

MAX_RECENT, MAX_OWN = 200, 10_000
MAX_BACKGROUND = 1000
OUTLINE_TOKENS = 2000
PICTURE_TIMEOUT_S = 5.0


class Recorder:
    """Records one action. `metadata.trace` of the request names the page data to keep: outline, screenshot."""

    def __init__(
        self,
        handle: str,
        request: ActionRequestPayload,
        began: Instant,
        redaction: Callable[[], Redaction] = lambda: Redaction((), RECORDS_READER),
        *,
        causal: bool = True,
    ) -> None:
        self._redaction = redaction
        self.handle, self.action_id, self.began = handle, request.action_id, began
        self.tab = ""
        self.written = asyncio.Event()
        self._parts = _wanted_parts(request)
        self._request = request
        self._stages: list[TraceStage] = []
        self._phases: list[TracePhase] = []
        self._events = TraceEvents(began.mono, causal=causal)
        self._views: dict[str, TraceView] = {}
        self._result: ActionResultPayload | None = None
        self._duration_ms = 0.0

    @property
    def wants_picture(self) -> bool:
        return "screenshot" in self._parts

    def record_stage(self, progress: ActionProgressPayload, mono: float) -> None:
        # an action begins by resolving its target, and reports that once the target is known
        at = self._events.ms(mono) if self._stages else 0.0
        stage = TraceStage(stage=progress.stage, at_ms=at, note=progress.note, detail=progress.detail)
        self._stages.append(stage)
        if (phase := PHASES.get(progress.stage)) is not None:
            self._enter(phase, mono)

    def _enter(self, phase: LifecyclePhase, mono: float) -> None:
        if not self._phases or self._phases[-1].phase != phase:
            self._phases.append(TracePhase(phase=phase, at_ms=self._events.ms(mono)))

    @property
    def phases(self) -> tuple[TracePhase, ...]:
        """The phases that the action has entered so far."""
        return tuple(self._phases)

    def on_event(self, event: seen.AnyEvent) -> None:
        if self._result is None:
            self._events.add(event)

    def record_dispatch(self, mono: float, token: str | None) -> None:
        self._events.record_dispatch(mono, token)
        self._enter("dispatched", mono)

    def record_result(self, result: ActionResultPayload, mono: float, ours: list[TrackedRequest]) -> None:
        self._result, self._duration_ms = result, self._events.ms(mono)
        self._events.set_own_requests(ours)
        self._enter("verified" if result.status == "succeeded" else "failed", mono)

    async def capture_before(self, driver: Driver, tab: TabView) -> None:
        """Capture the page once, right before the first input."""
        if self._parts and "before" not in self._views:
            self._views["before"] = await self._view(driver, tab)

    async def capture_after(self, driver: Driver, tab: TabView) -> None:
        self._views["after"] = await self._view(driver, tab)

    def outline_after(self, tab: TabView) -> None:
        if self._parts:
            self._views["after"] = self._outline_view(tab)

    async def _view(self, driver: Driver, tab: TabView) -> TraceView:
        view = self._outline_view(tab)
        if not self.wants_picture:
            return view
        with suppress(DriverError, TimeoutError):
            async with asyncio.timeout(PICTURE_TIMEOUT_S):
                hidden = self._redaction().elements_to_cover(tab.store)
                shot = await driver.evidence("screenshot", tab=tab.id, hide=hidden)
            return msgspec.structs.replace(view, screenshot=b64encode(shot.data).decode())
        return view

    def _outline_view(self, tab: TabView) -> TraceView:
        if "outline" not in self._parts:
            return TraceView(revision=tab.store.revision)
        redaction = self._redaction()
        text = redaction.text_mask.mask_text(outline(redaction.masked_view(tab.store), budget=OUTLINE_TOKENS))
        return TraceView(revision=tab.store.revision, outline=text)

    def trace(self, background: Counter[str]) -> ActionTrace:
        assert self._result is not None
        events = self._events.scored(background)
        # pictures hold no text and are the largest part, so they are not searched for private values
        screenshots = {name: one.screenshot for name, one in self._views.items()}
        views = {n: msgspec.structs.replace(v, screenshot=UNSET) for n, v in self._views.items()}
        trace = ActionTrace(
            action_handle=self.handle,
            action_id=self.action_id,
            status=self._result.status,
            ts=self.began.wall,
            duration_ms=self._duration_ms,
            stages=tuple(self._stages),
            network=events.network,
            lines=events.lines,
            signals=events.signals,
            result=self._result,
            action_type=self._metadata("actionType", "input"),
            intent=self._metadata("intent", self.action_id),
            phases=self.phases,
            metadata=self._request.metadata,
            dispatched_ms=self._events.dispatched_ms,
            noise=events.noise,
            before=views.get("before", UNSET),
            after=views.get("after", UNSET),
        )
        masked = self._redaction().text_mask.mask_payload(trace)
        with_pictures = {
            n: msgspec.structs.replace(getattr(masked, n), screenshot=p) for n, p in screenshots.items()
        }
        return msgspec.structs.replace(masked, **with_pictures) if with_pictures else masked

    def _metadata(self, name: str, default: str) -> str:
        assert self._result is not None
        return str((self._result.metadata or {}).get(name, default))


def _wanted_parts(request: ActionRequestPayload) -> frozenset[str]:
    asked = {} if request.metadata is UNSET else request.metadata
    named = asked.get("trace")
    if named is True or named == "full":
        return frozenset({"outline", "screenshot"})
    return frozenset(named if isinstance(named, list | tuple) else [named] if isinstance(named, str) else [])


class TraceStore:
    """All traces of one page: the latest in memory, and all of them in the store if there is one."""

    def __init__(
        self,
        page: Page,
        clock: Clock,
        writer: Writer | None,
        redaction: Callable[[], Redaction] | None = None,
    ) -> None:
        self._page, self._clock, self._writer = page, clock, writer
        self.redaction = redaction or (lambda: Redaction((), RECORDS_READER))
        self._open: dict[str, Recorder] = {}
        self._recent: OrderedDict[str, ActionTrace] = OrderedDict()
        self._own: OrderedDict[str, None] = OrderedDict()
        """The handles of the traces of this page. The store may hold those of other sessions."""
        self._background: Counter[str] = Counter()
        page.listen(self._on_event)

    def start(self, recorder: Recorder, tab: str) -> None:
        recorder.tab = tab
        self._open[recorder.handle] = recorder

    def _on_event(self, event: seen.AnyEvent) -> None:
        listening = [one for one in self._open.values() if one.tab == event.tab]
        for recorder in listening:
            recorder.on_event(event)
        if not listening and (key := background_key(event)):
            self._background[key] += 1
            if len(self._background) > MAX_BACKGROUND:
                del self._background[next(iter(self._background))]

    def finish(self, recorder: Recorder, tab: TabView) -> Coroutine[Any, Any, None] | None:
        """Write the trace now, or return a coroutine that takes the last picture and then writes it."""
        if recorder.wants_picture:
            return self._finish_with_picture(recorder, tab)
        recorder.outline_after(tab)
        self._write(recorder)
        return None

    async def _finish_with_picture(self, recorder: Recorder, tab: TabView) -> None:
        try:
            await recorder.capture_after(self._page.driver, tab)
        finally:
            self._write(recorder)

    def _write(self, recorder: Recorder) -> None:
        trace = recorder.trace(self._background)
        self._open.pop(recorder.handle, None)
        self._recent[trace.action_handle] = trace
        self._own[trace.action_handle] = None
        if len(self._own) > MAX_OWN:
            self._own.popitem(last=False)
        if len(self._recent) > MAX_RECENT:
            self._recent.popitem(last=False)
        if self._writer is not None:
            row = {
                "handle": trace.action_handle,
                "action": trace.action_id,
                "status": trace.status,
                "wall": trace.ts,
                "duration": trace.duration_ms,
                "body": msgspec.json.encode(trace),
            }
            self._writer.put(tables.traces, row)
        telemetry.export(trace)
        recorder.written.set()

    async def trace(self, handle: str, *, of_others: bool = True) -> ActionTrace | None:
        """Return the trace of an ended action, or None. Wait for a trace whose last picture is being taken.

        Without `of_others`, only traces of this page are found: the store may hold those of other sessions.
        """
        recorder = self._open.get(handle)
        if recorder is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(2 * PICTURE_TIMEOUT_S):
                    await recorder.written.wait()
        recent = self._recent.get(handle)
        if recent is not None or self._writer is None or (handle not in self._own and not of_others):
            return recent
        return await asyncio.to_thread(self._read, handle)

    def _read(self, handle: str) -> ActionTrace | None:
        assert self._writer is not None
        found = self._writer.store.rows(select(tables.traces.c.body).where(tables.traces.c.handle == handle))
        return msgspec.json.decode(bytes(found[0]["body"]), type=ActionTrace) if found else None

    async def summaries(self, limit: int, *, of_others: bool = True) -> tuple[TraceSummary, ...]:
        """Return summaries of the latest traces, newest first, from memory and then from the store."""
        latest = [_summary(trace) for trace in reversed(self._recent.values())][:limit]
        if len(latest) < limit and self._writer is not None and of_others:
            known = {one.action_handle for one in latest}
            stored = await asyncio.to_thread(self._stored, limit)
            latest += [one for one in stored if one.action_handle not in known]
        return tuple(latest[:limit])

    def _stored(self, limit: int) -> list[TraceSummary]:
        assert self._writer is not None
        t = tables.traces.c
        query = select(t.handle, t.action, t.status, t.wall, t.duration).order_by(t.seq.desc()).limit(limit)
        return [
            TraceSummary(
                action_handle=row["handle"],
                action_id=row["action"],
                status=row["status"],
                ts=row["wall"],
                duration_ms=row["duration"],
            )
            for row in self._writer.store.rows(query)
        ]


def _summary(trace: ActionTrace) -> TraceSummary:
    return TraceSummary(
        action_handle=trace.action_handle,
        action_id=trace.action_id,
        status=trace.status,
        ts=trace.ts,
        duration_ms=trace.duration_ms,
    )
