"""Handlers of x.uiap.tools.trace and x.uiap.tools.trace.list: one trace by its handle, and the latest ones."""

from __future__ import annotations

from msgspec import UNSET

from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.host.records.trace import TraceStore
from uiap.spec.tools import (
    ToolsTracedPayload,
    ToolsTraceListedPayload,
    ToolsTraceListPayload,
    ToolsTracePayload,
)

LISTED = 20


class TraceHandler:
    """Answers questions about the traces of one page."""

    def __init__(self, traces: TraceStore) -> None:
        self._traces = traces

    async def get(self, call: Call) -> Outcome:
        asked: ToolsTracePayload = call.payload
        trace = await self._traces.trace(asked.action_handle)
        if trace is None:
            return decline("not_found", f"no trace of `{asked.action_handle}`; see: uiap trace list")
        return Reply("x.uiap.tools.traced", ToolsTracedPayload(trace=trace))

    async def list(self, call: Call) -> Outcome:
        asked: ToolsTraceListPayload = call.payload
        limit = LISTED if asked.limit is UNSET else asked.limit
        traces = await self._traces.summaries(limit)
        return Reply("x.uiap.tools.trace.listed", ToolsTraceListedPayload(traces=traces))
