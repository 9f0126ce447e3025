"""Exports a finished trace as an OpenTelemetry span if the extra `otel` is installed and a provider is configured.

The OpenTelemetry API does nothing until an application configures an exporter, so this costs nothing by default.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from importlib import import_module
from typing import Any

from msgspec import UNSET

from uiap.spec.tools import ActionTrace

NS_PER_MS = 1_000_000
"""Nanoseconds per millisecond. OpenTelemetry uses nanoseconds."""


@cache
def _api() -> Any:
    try:
        return import_module("opentelemetry.trace")
    except ImportError:  # the extra is not installed
        return None


def export(trace: ActionTrace) -> None:
    """Send the trace to the configured OpenTelemetry provider, if any."""
    if (otel := _api()) is None:
        return
    started_ns = int(datetime.fromisoformat(trace.ts).timestamp() * 1000) * NS_PER_MS
    tracer = otel.get_tracer("uiap")
    span = tracer.start_span(f"uiap {trace.action_id}", start_time=started_ns, attributes=attributes(trace))
    if not span.is_recording():
        return
    for name, at_ms, values in events(trace):
        span.add_event(name, values, timestamp=started_ns + int(at_ms * NS_PER_MS))
    if trace.status == "failed" and trace.result.error is not UNSET:
        span.set_status(otel.StatusCode.ERROR, trace.result.error.message)
    span.end(end_time=started_ns + int(trace.duration_ms * NS_PER_MS))


def attributes(trace: ActionTrace) -> dict[str, Any]:
    """Return the span attributes: the facts that people search for."""
    result = trace.result
    values: dict[str, Any] = {
        "uiap.action.id": trace.action_id,
        "uiap.action.handle": trace.action_handle,
        "uiap.action.type": trace.action_type or "",
        "uiap.action.intent": trace.intent or "",
        "uiap.action.status": trace.status,
        "uiap.action.side_effect": result.side_effect_state or "unknown",
        "uiap.action.verified": result.verification.passed,
    }
    if result.chosen_execution_mode is not UNSET:
        values["uiap.action.mode"] = result.chosen_execution_mode
    if result.resolved_target is not UNSET:
        values["uiap.target.role"] = result.resolved_target.role
        values["uiap.target.name"] = result.resolved_target.name or ""
    if result.error is not UNSET:
        values["uiap.error.code"] = result.error.code
    return values


def events(trace: ActionTrace) -> list[tuple[str, float, dict[str, Any]]]:
    """Return the stages, requests, lines and signals of the trace, in order of time."""
    found: list[tuple[str, float, dict[str, Any]]] = [
        (f"stage {one.stage}", one.at_ms, {"note": one.note or ""}) for one in trace.stages
    ]
    found += [(f"phase {one.phase}", one.at_ms, {}) for one in trace.phases or ()]
    for call in trace.network:
        values = {
            "url": call.url,
            "status": call.status or 0,
            "cause": call.cause,
            "relevance": call.relevance,
        }
        found.append((f"request {call.method}", call.at_ms, values))
    for line in trace.lines:
        values = {"text": line.text, "level": line.level, "cause": line.cause, "relevance": line.relevance}
        found.append((line.kind, line.at_ms, values))
    for signal in trace.signals:
        found.append((f"signal {signal.signal.kind}", signal.at_ms, {"cause": signal.cause}))
    return sorted(found, key=lambda one: one[1])
