"""Values, keys, addresses, slider points and log lines: tables and small functions."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from uiap.drivers.android.address import AndroidAddress, parse
from uiap.drivers.android.device import quote_command
from uiap.drivers.android.logcat import RELEVANT, LogcatParser, contains_crash, relevant_lines
from uiap.drivers.android.screen import parse_foreground
from uiap.drivers.touchscreen.hierarchy import ScreenBounds
from uiap.drivers.touchscreen.keys import typing_steps, untypeable_characters
from uiap.drivers.touchscreen.slider import MAX_ATTEMPTS, SliderAttempt, next_fraction, point_at
from uiap.drivers.touchscreen.vocabulary import ParsedNumber, expanded_state, parse_number
from uiap.errors import UiapError

# a machine at work may be slow to draw
CALM = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("50%", ParsedNumber(50, 0, 100)),
        ("38 %", ParsedNumber(38, 0, 100)),
        ("12,5 %", ParsedNumber(12.5, 0, 100)),
        ("3 of 4", ParsedNumber(3, None, 4)),
        ("3/10", ParsedNumber(3, None, 10)),
        ("+10 dB", ParsedNumber(10)),
        ("−3", ParsedNumber(-3)),
        ("٥٠٪", ParsedNumber(50, 0, 100)),
        ("", None),
        ("On", None),
        ("Volume 50%", None),
        ("07:20", None),
        ("屏幕亮度", None),
    ],
)
def test_a_number_is_read_only_where_one_is_said(said: str, held: ParsedNumber | None):
    assert parse_number(said) == held


@pytest.mark.parametrize(
    ("said", "open"), [("Help, Collapsed", False), ("Expanded", True), ("Collapsed view", None)]
)
def test_open_and_closed_are_told_at_the_end_only(said: str, open: bool | None):
    assert expanded_state(said) is open


@CALM
@given(st.lists(st.text(max_size=20), min_size=1, max_size=5))
def test_every_argument_is_one_word_to_a_shell(args: list[str]):
    assert shlex.split(quote_command(*args)) == args


@CALM
@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_what_input_text_types_is_what_was_written(text: str):
    typed = "".join("\n" if step.codes else step.text.replace("%s", " ") for step in typing_steps(text))
    assert typed == text and not untypeable_characters(text)


@pytest.mark.parametrize(
    ("text", "missing"), [("naïve", "ï"), ("日本語", "日本語"), ("a\nb\tc", ""), ("🙂🙂", "🙂")]
)
def test_what_has_no_key_is_known_before_anything_is_typed(text: str, missing: str):
    assert untypeable_characters(text) == missing


@pytest.mark.parametrize(
    ("address", "meant"),
    [
        ("android:com.example", AndroidAddress("com.example")),
        ("android:com.example/.Main@emulator-5554", AndroidAddress("com.example", ".Main", "emulator-5554")),
        ("android:@127.0.0.1:5555", AndroidAddress("", "", "127.0.0.1:5555")),
        ("android:", AndroidAddress()),
    ],
)
def test_an_address_names_application_activity_and_device(address: str, meant: AndroidAddress):
    assert parse(address) == meant


@pytest.mark.parametrize(
    "address", ["android:calc", "android:com.x;reboot", "android:/.Main", "android:com.x@a b"]
)
def test_an_address_that_names_nothing_is_refused_with_examples(address: str):
    with pytest.raises(UiapError, match=r"android:com\.example"):
        parse(address)


@CALM
@given(st.integers(0, 100), st.floats(0, 0.15), st.floats(0, 0.15), st.integers(0, 100))
def test_a_slider_is_brought_to_any_value_whatever_padding_it_has(
    wanted: int, left: float, right: float, first: int
):
    tried: list[SliderAttempt] = []
    held = first
    while held != wanted and len(tried) < MAX_ATTEMPTS:
        part = next_fraction(wanted, tried, 0, 100)
        assert part is not None and 0 <= part <= 1
        held = round(100 * min(1.0, max(0.0, (part - left) / (1 - left - right))))
        tried.append(SliderAttempt(part, held))
    assert abs(held - wanted) <= 1


def test_an_upright_slider_goes_upwards():
    assert point_at(ScreenBounds(0, 0, 100, 1000), 0.0) == (50, 999)
    assert point_at(ScreenBounds(0, 0, 1000, 100), 0.0) == (0, 50)


@pytest.mark.parametrize(
    ("said", "path"),
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
def test_what_is_in_front_is_read_from_what_the_system_says(said: str, path: str):
    assert parse_foreground(said).path == path


LOG = """--------- beginning of main
11-15 09:00:00.100  1000  1010 I ActivityManager: Start proc 4300:com.example/u0a77 for top-activity
11-15 09:00:00.200  4300  4300 D Example : laid out
11-15 09:00:00.300  4300  4300 E Example : request failed: timeout
11-15 09:00:00.400   900   901 E vendor.hal: sensor went away
11-15 09:00:00.500  4300  4300 E AndroidRuntime: FATAL EXCEPTION: main
11-15 09:00:00.600  1000  1010 W ActivityTaskManager:   Force finishing activity com.example/.Main
not a line of the log""".splitlines()


@pytest.mark.requirement("MDM-R7")
def test_the_log_is_told_apart_into_the_application_and_the_system_and_what_matters_comes_first():
    parser = LogcatParser("com.example")
    lines = [line for text in LOG if (line := parser.parse(text)) is not None]
    assert [line.source for line in lines] == ["system", "app", "app", "system", "app", "system"]
    told = relevant_lines(lines)
    assert [line.message for line in told] == [
        "FATAL EXCEPTION: main",
        "  Force finishing activity com.example/.Main",
        "request failed: timeout",
    ]
    assert all(line.relevance < RELEVANT for line in lines if line not in told)
    assert contains_crash(lines) and not contains_crash(lines[:3])
