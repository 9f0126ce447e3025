"""A finished trace as one OpenTelemetry span, where the extra `otel` is installed and a provider is set up.

The API alone does nothing until an application configures an exporter, so this costs nothing by default.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from importlib import import_module
from typing import Any

from msgspec import UNSET

from uiap.spec.tools import ActionTrace

MS = 1_000_000
"""Nanoseconds in a millisecond: OpenTelemetry counts those."""


@cache
def _api() -> Any:
    try:
        return import_module("opentelemetry.trace")
    except ImportError:  # the extra is not there
        return None


def export(trace: ActionTrace) -> None:
    if (otel := _api()) is None:
        return
    begun = int(datetime.fromisoformat(trace.ts).timestamp() * 1000) * MS
    tracer = otel.get_tracer("uiap")
    span = tracer.start_span(f"uiap {trace.action_id}", start_time=begun, attributes=attributes(trace))
    if not span.is_recording():
        return
    for name, at_ms, told in events(trace):
        span.add_event(name, told, timestamp=begun + int(at_ms * MS))
    if trace.status == "failed" and trace.result.error is not UNSET:
        span.set_status(otel.StatusCode.ERROR, trace.result.error.message)
    span.end(end_time=begun + int(trace.duration_ms * MS))


def attributes(trace: ActionTrace) -> dict[str, Any]:
    """What one would search for."""
    result = trace.result
    told: dict[str, Any] = {
        "uiap.action.id": trace.action_id,
        "uiap.action.handle": trace.action_handle,
        "uiap.action.status": trace.status,
        "uiap.action.side_effect": result.side_effect_state or "unknown",
        "uiap.action.verified": result.verification.passed,
    }
    if result.chosen_execution_mode is not UNSET:
        told["uiap.action.mode"] = result.chosen_execution_mode
    if result.resolved_target is not UNSET:
        told["uiap.target.role"] = result.resolved_target.role
        told["uiap.target.name"] = result.resolved_target.name or ""
    if result.error is not UNSET:
        told["uiap.error.code"] = result.error.code
    return told


def events(trace: ActionTrace) -> list[tuple[str, float, dict[str, Any]]]:
    """Stages, and what the action caused, in the order it happened."""
    found: list[tuple[str, float, dict[str, Any]]] = [
        (f"stage {one.stage}", one.at_ms, {"note": one.note or ""}) for one in trace.stages
    ]
    for call in trace.network:
        told = {"url": call.url, "status": call.status or 0, "cause": call.cause, "relevance": call.relevance}
        found.append((f"request {call.method}", call.at_ms, told))
    for line in trace.lines:
        said = {"text": line.text, "level": line.level, "cause": line.cause, "relevance": line.relevance}
        found.append((line.kind, line.at_ms, said))
    for signal in trace.signals:
        found.append((f"signal {signal.signal.kind}", signal.at_ms, {"cause": signal.cause}))
    return sorted(found, key=lambda one: one[1])
