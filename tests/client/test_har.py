"""The traffic of a page as HAR."""

from __future__ import annotations

from datetime import UTC, datetime

from uiap.client.har import har_document


def test_requests_become_entries_with_their_moment_and_duration():
    log = {
        "nowMs": 5_000,
        "network": [
            {"method": "GET", "url": "http://a.test/x", "atMs": 1_000, "endedMs": 1_250, "status": 200},
            {"method": "POST", "url": "http://a.test/y", "atMs": 2_000, "failure": "net::ERR_FAILED"},
        ],
    }
    document = har_document(log, datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC))
    first, second = document["log"]["entries"]
    assert (first["startedDateTime"], first["time"]) == ("2026-03-01T12:00:01.000+00:00", 250)
    assert (first["response"]["status"], second["response"]["statusText"]) == (200, "net::ERR_FAILED")
    assert second["request"]["method"] == "POST"
