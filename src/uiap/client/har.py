"""The traffic of a page as a HAR document (version 1.2), from the requests that a session reports.

Bodies, headers and query strings are not part of it: the session never stores them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

CREATOR = {"name": "uiap", "version": "0.1"}


def har_document(log: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Return the HAR document of a reply of `x.uiap.tools.log` that arrived at `now`."""
    began = now.astimezone(UTC) - timedelta(milliseconds=log["nowMs"])
    entries = [_entry(one, began) for one in log["network"]]
    return {"log": {"version": "1.2", "creator": CREATOR, "entries": entries}}


def _entry(request: Mapping[str, Any], began: datetime) -> dict[str, Any]:
    at_ms = request["atMs"]
    duration_ms = max(0, request.get("endedMs", at_ms) - at_ms)
    empty: dict[str, Any] = {
        "cookies": [],
        "headers": [],
        "headersSize": -1,
        "bodySize": -1,
        "httpVersion": "",
    }
    return {
        "startedDateTime": (began + timedelta(milliseconds=at_ms)).isoformat(timespec="milliseconds"),
        "time": duration_ms,
        "request": {**empty, "method": request["method"], "url": request["url"], "queryString": []},
        "response": {
            **empty,
            "status": request.get("status", 0),
            "statusText": request.get("failure", ""),
            "content": {"size": -1, "mimeType": ""},
            "redirectURL": "",
        },
        "cache": {},
        "timings": {"send": 0, "wait": duration_ms, "receive": 0},
    }
