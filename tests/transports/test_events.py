"""Server-Sent Events: exact framing, any chunking, and the limits of the event log."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uiap.transports.events import EventLog, EventReader, SseEvent, close_frame, frame


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_event_is_framed_as_the_binding_specifies() -> None:
    assert frame('{"a":1}', "m1") == b'event: uiap\nid: m1\ndata: {"a":1}\n\n'


def test_an_envelope_with_line_breaks_stays_one_line_of_data() -> None:
    assert frame('{\r\n"a":\n1}', "m1") == b'event: uiap\nid: m1\ndata: {  "a": 1}\n\n'


@pytest.mark.parametrize("id_", ["a\nevent: forged", "a\rb", "nul\0", "\u2028"])
def test_an_id_that_would_break_the_framing_is_left_out(id_: str) -> None:
    assert b"id:" not in frame("{}", id_)


def test_the_end_of_a_stream_has_a_code_and_a_reason() -> None:
    assert close_frame(1000, "done") == b'event: close\ndata: {"code":1000,"reason":"done"}\n\n'


json_texts = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
).map(lambda value: json.dumps({"value": value}, ensure_ascii=False))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(json_texts, max_size=5),
    st.lists(st.integers(1, 40), min_size=1),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
)
def test_events_are_parsed_the_same_from_any_chunks(
    texts: list[str], cuts: list[int], newline: bytes
) -> None:
    stream = b": keep-alive\n\n".join(frame(text, f"m{number}") for number, text in enumerate(texts))
    stream = stream.replace(b"\n", newline) + newline
    reader = EventReader(1_000_000)
    read: list[SseEvent] = []
    at = turn = 0
    while at < len(stream):
        size = cuts[turn % len(cuts)]
        read += reader.feed(stream[at : at + size])
        at, turn = at + size, turn + 1
    read += reader.feed(b"\n")
    assert read == [SseEvent("uiap", f"m{number}", text) for number, text in enumerate(texts)]


def test_an_event_that_is_too_large_is_refused() -> None:
    reader = EventReader(1000)
    with pytest.raises(ValueError, match="at most 1000 bytes"):
        for _ in range(100):
            list(reader.feed(b"data: " + b"x" * 100 + b"\n"))
    reader = EventReader(1000)
    with pytest.raises(ValueError, match="at most 1000 bytes"):
        for _ in range(100):
            list(reader.feed(b"x" * 100))


def log_of(count: int, clock: Clock | None = None, **bounds: int) -> EventLog:
    log = EventLog(clock or Clock(), **bounds)
    for number in range(1, count + 1):
        log.append(f"m{number}", f'{{"number":{number}}}')
    return log


def ids(log: EventLog, last: str | None) -> list[str] | None:
    position = log.position(last)
    entries = log.after(position) if position is not None else None
    return [entry.id for entry in entries] if entries is not None else None


def test_a_reader_continues_after_its_last_event() -> None:
    log = log_of(5)
    assert ids(log, "m3") == ["m4", "m5"]
    assert ids(log, "m5") == []
    assert ids(log, None) == ["m1", "m2", "m3", "m4", "m5"]
    assert ids(log, "unknown") is None


def test_the_last_256_events_are_kept_and_a_gap_is_reported() -> None:
    log = log_of(300)
    assert ids(log, "m43") is None
    assert ids(log, "m44") == [f"m{number}" for number in range(45, 301)]  # nothing after m44 is lost
    assert len(ids(log, None) or []) == 256
    assert log.after(10) is None


def test_events_older_than_the_resume_window_are_dropped() -> None:
    clock = Clock()
    log = log_of(3, clock)
    clock.now = 61.0
    assert ids(log, "m2") is None
    assert ids(log, "m3") == []  # a reader that has every event has missed nothing
    log.append("m4", "{}")
    assert ids(log, "m3") == ["m4"]


def test_large_events_are_bounded_by_bytes_but_the_newest_is_always_kept() -> None:
    log = EventLog(Clock(), max_bytes=1000)
    for number in range(5):
        log.append(f"m{number}", "x" * 600)
    assert ids(log, None) == ["m4"]
    log.append("big", "x" * 5000)
    assert ids(log, None) == ["big"]
