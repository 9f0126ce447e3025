"""Messages of the page script that do not change the graph become events of the driver."""

from __future__ import annotations

from uiap.drivers.chromium.page.messages import AnswerPush, OutsidePush, PaintPush, WorkPush
from uiap.drivers.chromium.page.reports import reported_event
from uiap.drivers.events import AnswerReceived, OutsideEffect, PaintObserved, WorkReported
from uiap.signals.refusal import Answer


def test_each_message_becomes_its_event() -> None:
    paint = reported_event(PaintPush(kind="route", token="t1", node="d1e1", text="Saved"), "tab", 5.0)
    assert paint == PaintObserved(tab="tab", at=5.0, token="t1", node="d1e1", text="Saved", route=True)
    outside = reported_event(OutsidePush(kind="print", token="t1"), "tab", 5.0)
    assert outside == OutsideEffect(tab="tab", at=5.0, kind="print", token="t1", url="")


def test_work_has_the_time_of_its_beginning() -> None:
    event = reported_event(WorkPush(token="t1", work=(("timer", 2_000, 50, "page"),)), "tab", 5.0)
    assert isinstance(event, WorkReported)
    assert event.work[0].since == 3.0


def test_the_text_of_an_answer_is_not_passed_on() -> None:
    answer = Answer(method="POST", address="/save", status=200, text="all is well, secret")
    event = reported_event(AnswerPush(token="t1", answer=answer), "tab", 5.0)
    assert isinstance(event, AnswerReceived)
    assert "secret" not in repr(event)
