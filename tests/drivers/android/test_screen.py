"""The foreground activity in the output of dumpsys."""

from __future__ import annotations

import pytest

from uiap.drivers.android.screen import parse_foreground


@pytest.mark.parametrize(
    ("output", "path"),
    [
        ("mResumedActivity: ActivityRecord{1a u0 com.example/.Main t7}", "com.example/.Main"),
        (
            "topResumedActivity=ActivityRecord{1a u0 com.example/com.example.ui.Home t7}",
            "com.example/.ui.Home",
        ),
        ("mFocusedApp=ActivityRecord{1a u0 com.x/org.other.Act t7}", "com.x/org.other.Act"),
        ("", ""),
    ],
)
def test_foreground_activity_is_parsed_from_dumpsys(output: str, path: str):
    assert parse_foreground(output).path == path
