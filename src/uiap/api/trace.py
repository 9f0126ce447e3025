"""The trace of an action, also as JSON and as one HTML file."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.api.absent import none_for_absent
from uiap.api.trace_html import page
from uiap.spec.tools import ActionTrace, TraceCall, TraceLine, TraceSignal, TraceStage, TraceView


class Trace:
    """The stages, requests, lines and signals of one action, each with its cause.

    `payload` is the trace as the protocol has it.
    """

    def __init__(self, payload: ActionTrace) -> None:
        self.payload = payload

    @property
    def stages(self) -> tuple[TraceStage, ...]:
        return none_for_absent(self.payload.stages)

    @property
    def network(self) -> tuple[TraceCall, ...]:
        return none_for_absent(self.payload.network)

    @property
    def lines(self) -> tuple[TraceLine, ...]:
        return none_for_absent(self.payload.lines)

    @property
    def signals(self) -> tuple[TraceSignal, ...]:
        return none_for_absent(self.payload.signals)

    @property
    def before(self) -> TraceView | None:
        return none_for_absent(self.payload.before) or None

    @property
    def after(self) -> TraceView | None:
        return none_for_absent(self.payload.after) or None

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as the protocol's JSON has it."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self.payload))
        return plain

    def html(self) -> str:
        """Return the trace as one HTML file that loads nothing."""
        return page(self.to_dict())

    def __repr__(self) -> str:
        action = f"{self.payload.action_id} {self.payload.status}"
        return f"<Trace {action}: {len(self.network)} requests, {len(self.lines)} lines, {len(self.signals)} signals>"
