"""Traces of several sessions side by side."""

from __future__ import annotations

from typing import Any

from uiap.api.trace_compare import side_by_side


def trace(status: str, ms: float, **result: Any) -> dict[str, Any]:
    stages = [{"stage": "executing", "atMs": 0.0}, {"stage": "verifying", "atMs": ms / 2}]
    outcome = {"verification": {"passed": True, "policy": "all", "observed": [], **result}, "metadata": {}}
    return {
        "actionId": "ui.activate", "actionHandle": "act_1", "ts": "2026-01-01T00:00:00Z", "status": status,
        "durationMs": ms, "dispatchedMs": ms / 4, "stages": stages, "network": [], "lines": [], "signals": [],
        "noise": 0, "result": outcome,
    }  # fmt: skip


def test_sessions_are_columns_and_actions_are_rows_on_one_scale():
    seen = {"observed": [{"kind": "value.equals", "value": "<12>"}]}
    page = side_by_side(
        "7 + 5", ["7", "="], {"web": [trace("succeeded", 50, **seen)], "adb": [trace("failed", 200)] * 2}
    )
    assert page.count("<h2>web</h2>") == 1 and page.count("<h2>adb</h2>") == 1
    assert page.count('class="status succeeded">succeeded</span> <span class="muted">50 ms') == 1
    assert 'style="width:25.00%"' in page and 'style="width:100.00%"' in page
    assert "value.equals &lt;12&gt;" in page and "<12>" not in page
    assert "<script" not in page and "400 ms total" in page
