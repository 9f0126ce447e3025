"""Log lines with their source and relevance."""

from __future__ import annotations

import pytest

from uiap.drivers.android.logcat import RELEVANT, LogcatParser

LOG = """--------- beginning of main
11-15 09:00:00.100  1000  1010 I ActivityManager: Start proc 4300:com.example/u0a77 for top-activity
11-15 09:00:00.200  4300  4300 D Example : laid out
11-15 09:00:00.300  4300  4300 E Example : request failed: timeout
11-15 09:00:00.400   900   901 E vendor.hal: sensor went away
11-15 09:00:00.500  4300  4300 E AndroidRuntime: FATAL EXCEPTION: main
11-15 09:00:00.600  1000  1010 W ActivityTaskManager:   Force finishing activity com.example/.Main
not a line of the log""".splitlines()


@pytest.mark.requirement("MDM-R7")
def test_log_lines_are_assigned_to_application_or_system_and_sorted_by_relevance():
    parser = LogcatParser("com.example")
    lines = [line for text in LOG if (line := parser.parse(text)) is not None]
    assert [line.source for line in lines] == ["system", "app", "app", "system", "app", "system"]
    relevant = sorted(
        (line for line in lines if line.relevance >= RELEVANT), key=lambda line: -line.relevance
    )
    assert [line.message for line in relevant] == [
        "FATAL EXCEPTION: main",
        "  Force finishing activity com.example/.Main",
        "request failed: timeout",
    ]
    assert all(line.relevance < RELEVANT for line in lines if line not in relevant)
    assert [line.message for line in lines if line.relevance == 1.0] == [
        line.message for line in relevant[:2]
    ]
