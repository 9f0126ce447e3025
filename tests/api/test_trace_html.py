"""A trace as one HTML file: escaped, without scripts and without anything to load."""

from __future__ import annotations

import re
from typing import Any

from uiap.api.trace_html import document, page

EVIL = '"><img src=x onerror=alert(1)>'


def trace(**members: Any) -> dict[str, Any]:
    return {
        "actionId": f"ui.activate{EVIL}",
        "actionHandle": "act_1",
        "status": "failed",
        "ts": "2026-01-01T00:00:00Z",
        "durationMs": 10.0,
        "stages": [{"stage": "executing", "atMs": 1.0, "note": EVIL}],
        "network": [
            {"atMs": 2.0, "method": "GET", "url": EVIL, "status": 200, "cause": "caused", "relevance": 1.0}
        ],
        "lines": [],
        "signals": [],
        "noise": 0,
        "result": {
            "status": "failed",
            "verification": {"passed": False, "policy": "all", "observed": []},
            "error": {"code": "verification_failed", "message": EVIL},
        },
        **members,
    }


def test_no_value_of_a_trace_becomes_markup() -> None:
    html = page(trace())
    assert "<img src=x" not in html
    assert "&lt;img src=x" in html


def test_the_file_loads_nothing_and_runs_nothing() -> None:
    html = page(trace())
    assert "<script" not in html and "default-src 'none'" in html
    assert not re.search(r'(?:src|href)="(?!data:|#)', html)


def test_a_document_has_its_title_escaped() -> None:
    assert "<title>a &lt;b&gt;</title>" in document("a <b>", "")
