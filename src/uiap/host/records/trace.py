"""The trace of each action: what it caused and what only happened beside it, kept under its handle (MDM-R10).

A recorder listens while its action is under way; the desk keeps finished traces and gives them out. Neither ever
changes an outcome. Bodies, query strings and arguments are not kept, and nothing that somebody may not read.
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
from uiap.host.observation.traffic import Request
from uiap.host.privacy.redaction import LEAST, Redaction
from uiap.host.records import tables, telemetry
from uiap.host.records.trace_events import TraceEvents, habit_of
from uiap.host.records.writer import Writer
from uiap.instant import Instant
from uiap.spec.action import ActionProgressPayload, ActionRequestPayload, ActionResultPayload
from uiap.spec.tools import (
    ActionTrace,
    TraceStage,
    TraceSummary,
    TraceView,
)

KEPT = 200
HABITS = 1000
OUTLINE_TOKENS = 2000
AFTER_S = 5.0  # a picture that takes longer is not waited for


class Recorder:
    """Listens for one action. `metadata.trace` of the request names what is kept of the page: outline, screenshot."""

    def __init__(
        self,
        handle: str,
        request: ActionRequestPayload,
        began: Instant,
        redaction: Callable[[], Redaction] = lambda: Redaction((), LEAST),
        *,
        causal: bool = True,
    ) -> None:
        self._redaction = redaction
        self.handle, self.action_id, self.began = handle, request.action_id, began
        self.tab = ""
        self.written = asyncio.Event()
        self._wanted = _wanted(request)
        self._stages: list[TraceStage] = []
        self._yarn = TraceEvents(began.mono, causal=causal)
        self._views: dict[str, TraceView] = {}
        self._result: ActionResultPayload | None = None
        self._took = 0.0

    @property
    def wants_picture(self) -> bool:
        return "screenshot" in self._wanted

    def entered(self, progress: ActionProgressPayload, mono: float) -> None:
        at = self._yarn.ms(mono)
        self._stages.append(TraceStage(stage=progress.stage, at_ms=at, note=progress.note))

    def heard(self, event: seen.AnyEvent) -> None:
        if self._result is None:
            self._yarn.heard(event)

    def dispatched(self, mono: float, token: str | None) -> None:
        self._yarn.dispatched(mono, token)

    def ended(self, result: ActionResultPayload, mono: float, ours: list[Request]) -> None:
        self._result, self._took = result, self._yarn.ms(mono)
        self._yarn.belongs(ours)

    async def before(self, driver: Driver, tab: TabView) -> None:
        """Once, right before the first input."""
        if self._wanted and "before" not in self._views:
            self._views["before"] = await self._view(driver, tab)

    async def after(self, driver: Driver, tab: TabView) -> None:
        self._views["after"] = await self._view(driver, tab)

    def look_after(self, tab: TabView) -> None:
        if self._wanted:
            self._views["after"] = self._outlined(tab)

    async def _view(self, driver: Driver, tab: TabView) -> TraceView:
        view = self._outlined(tab)
        if not self.wants_picture:
            return view
        with suppress(DriverError, TimeoutError):
            async with asyncio.timeout(AFTER_S):
                hidden = self._redaction().covered(tab.store)
                shot = await driver.evidence("screenshot", tab=tab.id, hide=hidden)
            return msgspec.structs.replace(view, screenshot=b64encode(shot.data).decode())
        return view

    def _outlined(self, tab: TabView) -> TraceView:
        if "outline" not in self._wanted:
            return TraceView(revision=tab.store.revision)
        seen = self._redaction()
        text = seen.scrub.text(outline(seen.view(tab.store), budget=OUTLINE_TOKENS))
        return TraceView(revision=tab.store.revision, outline=text)

    def trace(self, habits: Counter[str]) -> ActionTrace:
        assert self._result is not None
        spun = self._yarn.spun(habits)
        # pictures hold no text, and are the largest part: they are not searched
        pictured = {name: one.screenshot for name, one in self._views.items()}
        views = {n: msgspec.structs.replace(v, screenshot=UNSET) for n, v in self._views.items()}
        made = ActionTrace(
            action_handle=self.handle,
            action_id=self.action_id,
            status=self._result.status,
            ts=self.began.wall,
            duration_ms=self._took,
            stages=tuple(self._stages),
            network=spun.network,
            lines=spun.lines,
            signals=spun.signals,
            result=self._result,
            dispatched_ms=self._yarn.dispatched_ms,
            noise=spun.noise,
            before=views.get("before", UNSET),
            after=views.get("after", UNSET),
        )
        kept = self._redaction().scrub.payload(made)
        shown = {n: msgspec.structs.replace(getattr(kept, n), screenshot=p) for n, p in pictured.items()}
        return msgspec.structs.replace(kept, **shown) if shown else kept


def _wanted(request: ActionRequestPayload) -> frozenset[str]:
    asked = {} if request.metadata is UNSET else request.metadata
    named = asked.get("trace")
    if named is True or named == "full":
        return frozenset({"outline", "screenshot"})
    return frozenset(named if isinstance(named, list | tuple) else [named] if isinstance(named, str) else [])


class TraceStore:
    """All traces of one page: the latest in memory, all of them in the store where there is one."""

    def __init__(
        self,
        page: Page,
        clock: Clock,
        writer: Writer | None,
        redaction: Callable[[], Redaction] | None = None,
    ) -> None:
        self._page, self._clock, self._writer = page, clock, writer
        self.redaction = redaction or (lambda: Redaction((), LEAST))
        self._open: dict[str, Recorder] = {}
        self._kept: OrderedDict[str, ActionTrace] = OrderedDict()
        self._habits: Counter[str] = Counter()
        page.listen(self._heard)

    def begun(self, recorder: Recorder, tab: str) -> None:
        recorder.tab = tab
        self._open[recorder.handle] = recorder

    def _heard(self, event: seen.AnyEvent) -> None:
        listening = [one for one in self._open.values() if one.tab == event.tab]
        for recorder in listening:
            recorder.heard(event)
        if not listening and (habit := habit_of(event)):
            self._habits[habit] += 1
            if len(self._habits) > HABITS:
                del self._habits[next(iter(self._habits))]

    def finish(self, recorder: Recorder, tab: TabView) -> Coroutine[Any, Any, None] | None:
        """Write the trace now; or, where a picture is still to be taken, by the work that is returned."""
        if recorder.wants_picture:
            return self._finished(recorder, tab)
        recorder.look_after(tab)
        self._write(recorder)
        return None

    async def _finished(self, recorder: Recorder, tab: TabView) -> None:
        try:
            await recorder.after(self._page.driver, tab)
        finally:
            self._write(recorder)

    def _write(self, recorder: Recorder) -> None:
        trace = recorder.trace(self._habits)
        self._open.pop(recorder.handle, None)
        self._kept[trace.action_handle] = trace
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
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

    async def trace(self, handle: str) -> ActionTrace | None:
        """Of an action that has ended; one whose last picture is being taken is waited for."""
        recorder = self._open.get(handle)
        if recorder is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(2 * AFTER_S):
                    await recorder.written.wait()
        kept = self._kept.get(handle)
        if kept is not None or self._writer is None:
            return kept
        return await asyncio.to_thread(self._read, handle)

    def _read(self, handle: str) -> ActionTrace | None:
        assert self._writer is not None
        found = self._writer.store.rows(select(tables.traces.c.body).where(tables.traces.c.handle == handle))
        return msgspec.json.decode(bytes(found[0]["body"]), type=ActionTrace) if found else None

    async def summaries(self, limit: int) -> tuple[TraceSummary, ...]:
        """The latest traces, newest first: those in memory, then those in the store."""
        latest = [_summary(trace) for trace in reversed(self._kept.values())][:limit]
        if len(latest) < limit and self._writer is not None:
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
