"""The refusal that is left when a page asks again."""

from __future__ import annotations

import pytest

from uiap.signals.answers import RETRY_S, AnswerLog, ReceivedAnswer
from uiap.signals.refusal_kind import RefusalKind
from uiap.signals.work import PendingWork
from uiap.spec.web import ElementNode, WebElementState

OURS = {"op1"}


def control(name: str, state: WebElementState | None = None) -> ElementNode:
    return ElementNode(
        instance_id="e1",
        document_id="d1",
        role="button",
        name=name,
        state=state or WebElementState(),
        affordances=(),
    )


def log(*answers: tuple[str, str | None], token: str = "op1") -> AnswerLog:
    found = AnswerLog()
    for at, (question, refusal) in enumerate(answers):
        found.record(ReceivedAnswer(token, question, refusal, float(at)))
    return found


def test_the_last_answer_to_a_question_counts() -> None:
    assert log(("POST /a", "busy")).refusal(OURS, ()) == "busy"
    assert log(("POST /a", "busy"), ("POST /a", None)).refusal(OURS, ()) is None
    assert log(("POST /a", None), ("POST /a", "busy")).refusal(OURS, ()) == "busy"
    assert log(("POST /a", "expired"), ("POST /login", None)).refusal(OURS, ()) == "expired"


def test_an_answer_to_another_input_is_not_ours() -> None:
    assert log(("POST /a", "busy"), token="op0").refusal(OURS, ()) is None


@pytest.mark.parametrize(
    ("work", "final"),
    [
        (PendingWork("request", 0.1), False),
        (PendingWork("timer", 0.1, 500), False),
        (PendingWork("timer", 0.1, 4000), True),
        (PendingWork("worker", 0.1), True),
    ],
)
def test_a_refusal_is_final_once_the_page_cannot_ask_again(work: PendingWork, final: bool) -> None:
    refused = log(("POST /a", "busy"))
    assert (refused.refusal(OURS, (work,), 0.2) == "busy") is final
    assert refused.refusal(OURS, (work,), RETRY_S + 0.1) == "busy"


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize(
    ("kind", "target", "asked"),
    [
        ("decision", "Reject request", True),
        ("decision", "Pay now", False),
        ("findings", "Run checks", True),
        ("findings", "Save", False),
        ("plain", "Reject request", False),
        ("denial", "Turn alerts off", True),
        ("denial", "Confirm", False),
    ],
)
def test_a_refusal_that_the_control_asks_for_is_its_effect(
    kind: RefusalKind, target: str, asked: bool
) -> None:
    found = AnswerLog()
    found.record(ReceivedAnswer("op1", "POST /a", "rejected", 0.0, kind))
    assert (found.refusal(OURS, (), target=control(target)) is None) is asked


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize(
    ("name", "state", "refused"),
    [
        ("Post comment", WebElementState(), True),
        ("Send", WebElementState(), False),
        ("Post comment", WebElementState(pressed=True), False),
    ],
)
def test_an_answer_that_denies_the_deed_of_the_control_refuses(
    name: str, state: WebElementState, refused: bool
) -> None:
    found = AnswerLog()
    found.record(ReceivedAnswer("op1", "POST /a", None, 0.0, undone=("posted",)))
    assert (found.refusal(OURS, (), target=control(name, state)) is not None) is refused
