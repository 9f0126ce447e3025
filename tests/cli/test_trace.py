"""`uiap trace show`: stages, requests, lines and signals in the order of time."""

from __future__ import annotations

from typing import Any

from uiap.cli.trace import text

TRACE: dict[str, Any] = {
    "actionId": "ui.activate",
    "actionHandle": "act_1",
    "status": "failed",
    "durationMs": 120.4,
    "dispatchedMs": 20.0,
    "result": {"error": {"code": "verification_failed", "message": "the effect was not observed"}},
    "stages": [{"stage": "executing", "atMs": 10.0, "note": "resolved again"}],
    "network": [
        {"atMs": 40.0, "method": "POST", "url": "/api/videos", "status": 500, "cause": "caused"},
        {"atMs": 50.0, "method": "GET", "url": "/poll", "cause": "background"},
    ],
    "lines": [{"atMs": 45.0, "kind": "console", "level": "error", "text": "boom", "cause": "coincident"}],
    "signals": [{"atMs": 60.0, "signal": {"kind": "toast.shown", "text": "Failed"}, "cause": "caused"}],
    "noise": 3,
}


def test_every_event_is_a_line_in_the_order_of_time() -> None:
    head, error, *rows, noise = text(TRACE).splitlines()
    assert head == "ui.activate failed  120 ms  act_1"
    assert error.strip() == "verification_failed: the effect was not observed"
    assert [row.split()[2] for row in rows] == ["stage", "input", "network", "console", "network", "signal"]
    assert noise == "3 unrelated events are not listed"


def test_a_line_has_its_outcome_and_its_cause() -> None:
    shown = text(TRACE)
    assert "executing (resolved again)" in shown
    assert "POST /api/videos 500  [caused]" in shown
    assert "GET /poll …  [background]" in shown
    assert "toast.shown “Failed”  [caused]" in shown
