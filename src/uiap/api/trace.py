"""The trace of an action in Python: the wire's trace, as JSON, and as one HTML file a person can look through."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from uiap.api.trace_html import page
from uiap.spec.tools import ActionTrace, TraceCall, TraceLine, TraceSignal, TraceStage, TraceView


class Trace:
    """What one action caused, and what only happened beside it."""

    def __init__(self, payload: ActionTrace) -> None:
        self.payload = payload

    @property
    def stages(self) -> tuple[TraceStage, ...]:
        return self.payload.stages

    @property
    def network(self) -> tuple[TraceCall, ...]:
        return self.payload.network

    @property
    def lines(self) -> tuple[TraceLine, ...]:
        return self.payload.lines

    @property
    def signals(self) -> tuple[TraceSignal, ...]:
        return self.payload.signals

    @property
    def before(self) -> TraceView | None:
        return None if self.payload.before is UNSET else self.payload.before

    @property
    def after(self) -> TraceView | None:
        return None if self.payload.after is UNSET else self.payload.after

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self.payload))
        return plain

    def html(self) -> str:
        """One file, nothing loaded from anywhere."""
        return page(self.to_dict())

    def __repr__(self) -> str:
        what = f"{self.payload.action_id} {self.payload.status}"
        return f"<Trace {what}: {len(self.network)} requests, {len(self.lines)} lines, {len(self.signals)} signals>"
