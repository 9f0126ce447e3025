"""The gestures of one action: each is returned once, and a refusal says what may follow."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.actions.ops import Click, Guard, Hover, SetText
from uiap.instant import Instant
from uiap.runtime import events as when
from uiap.runtime.execution import Execution, ResolveAgain, TryOtherMode, aim_at
from uiap.runtime.outcome import Failure

AT = Instant(1000.0, "2026-01-01T00:00:00.000Z")
GUARD = Guard(node="el_1")
PLAN = (Hover(guard=GUARD, mode="externalDriver"), Click(guard=GUARD, mode="externalDriver"))


def refusal(reason: Any, detail: str = "") -> when.Refused:
    return when.Refused(at=AT, reason=reason, detail=detail)


def test_gestures_come_in_order_and_none_comes_twice() -> None:
    execution = Execution(PLAN)
    assert not execution.acting and not execution.reads_only
    assert execution.next() is PLAN[0] and execution.acting
    assert execution.sent(when.Dispatched(at=AT, seq=1)) is True
    assert execution.next() is PLAN[1]
    assert execution.sent(when.Dispatched(at=AT, seq=1)) is False


def test_an_interrupted_gesture_is_the_last_one() -> None:
    execution = Execution(PLAN)
    execution.next()
    assert execution.sent(when.Dispatched(at=AT, seq=1, interrupted_by="closed")) is False
    assert execution.closed_the_page


@pytest.mark.parametrize(
    ("reason", "may_wait", "kind"),
    [
        ("gone", True, ResolveAgain),
        ("changed", False, ResolveAgain),
        ("obscured", True, ResolveAgain),
        ("obscured", False, Failure),
        ("unsupported", True, TryOtherMode),
        ("forbidden", True, Failure),
    ],
)
def test_a_refusal_of_the_first_gesture_leaves_nothing_done(reason: str, may_wait: bool, kind: type) -> None:
    execution = Execution(PLAN)
    execution.next()
    assert isinstance(execution.refused(refusal(reason, "why"), may_wait), kind)
    assert not execution.acting


def test_a_refusal_after_the_first_gesture_is_an_unknown_outcome() -> None:
    execution = Execution(PLAN)
    execution.next()
    execution.sent(when.Dispatched(at=AT, seq=1))
    execution.next()
    failure = execution.refused(refusal("gone"), may_wait=True)
    assert isinstance(failure, Failure) and failure.effect == "unknown"


def test_only_a_click_is_aimed_at_a_point() -> None:
    aimed = aim_at(PLAN[1], (3.0, 4.0))
    assert isinstance(aimed, Click) and aimed.spot == (3.0, 4.0)
    text = SetText(guard=GUARD, mode="externalDriver", text="x")
    assert aim_at(text, (3.0, 4.0)) is text
