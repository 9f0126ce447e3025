"""x.uiap.tools.trace and x.uiap.tools.trace.list: one trace by its handle, and the latest traces."""

from __future__ import annotations

from msgspec import UNSET

from uiap.host.consent.principals import effective_principal
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.host.records.trace import TraceStore
from uiap.policy.builtin import Rules
from uiap.spec.tools import (
    ToolsTracedPayload,
    ToolsTraceListedPayload,
    ToolsTraceListPayload,
    ToolsTracePayload,
)

DEFAULT_LIMIT = 20


class TraceHandler:
    """Answers requests for the traces of one page."""

    def __init__(self, traces: TraceStore, rules: Rules = "standard") -> None:
        self._traces, self._rules = traces, rules

    def _is_person(self, call: Call) -> bool:
        """Return whether a person asks. An agent gets no traces of other sessions with the same store."""
        return effective_principal(call.connection.session.principal, self._rules).type == "user"

    async def get(self, call: Call) -> Outcome:
        request: ToolsTracePayload = call.payload
        trace = await self._traces.trace(request.action_handle, of_others=self._is_person(call))
        if trace is None:
            return decline("not_found", f"no trace of `{request.action_handle}`; see: uiap trace list")
        return Reply("x.uiap.tools.traced", ToolsTracedPayload(trace=trace))

    async def list(self, call: Call) -> Outcome:
        request: ToolsTraceListPayload = call.payload
        limit = DEFAULT_LIMIT if request.limit is UNSET else request.limit
        traces = await self._traces.summaries(limit, of_others=self._is_person(call))
        return Reply("x.uiap.tools.trace.listed", ToolsTraceListedPayload(traces=traces))
