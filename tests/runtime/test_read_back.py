"""Gestures that read back their result: a bad result is never success, and a good one is still verified."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import (
    EventFactory,
    Playbook,
    action,
    button,
    lane_taken,
    observed,
    probed,
    recorded,
    refused,
    request,
    started,
    until_checked,
    watching,
)
from uiap.runtime import events as when
from uiap.spec.web import ElementNode, WebElementState


def read_back(**detail: Any) -> EventFactory:
    return lambda at: when.Dispatched(at=at, seq=1, detail=detail)


def slider(value: float = 20) -> ElementNode:
    state = WebElementState(visible=True, numeric_value=value, min=0, max=100)
    return button("Volume", role="slider", state=state)


def setting(**members: Any) -> Playbook:
    """`ui.setValue` to 70, its first gesture out."""
    play = Playbook(action(request("ui.setValue", name="Volume", args={"value": 70}, **members)))
    until_checked(play, slider()) >> probed(role="slider", name="Volume") >> lane_taken >> watching()
    return play << "Perform adjust"


def seen(value: float, **members: Any) -> EventFactory:
    make = observed("slider value", **members)
    return lambda at: _with(make(at), slider(value))


def _with(event: when.Event, element: ElementNode) -> when.Event:
    assert isinstance(event, when.Observed)
    return when.Observed(
        at=event.at,
        report=event.report,
        element=element,
        complete=event.complete,
        idle_since=event.idle_since,
    )


@pytest.mark.requirement("MDM-R5")
def test_a_value_that_was_read_back_is_success_once_it_is_observed() -> None:
    play = (
        setting()
        >> read_back(held=True, value=70, attempts=1, mode="native")
        << "progress verifying, Observe"
    )
    play.at(0.1) >> seen(70, complete=True)
    play.at(0.3) >> seen(70, complete=True) << "result succeeded applied"
    assert play.metadata["gesture"]["attempts"] == 1


@pytest.mark.requirement("MDM-R5")
def test_a_value_that_is_reverted_is_no_success() -> None:
    play = setting() >> read_back(held=True, value=70)
    play.at(0.02) >> seen(70, complete=True)
    play.at(0.3) >> seen(20, complete=True) << ""
    assert not play.results


@pytest.mark.requirement("MDM-R5")
def test_a_gesture_without_effect_is_tried_once_in_the_next_mode() -> None:
    play = setting() >> read_back(held=False, why="it holds 20") << "Perform adjust"
    assert play.inside.mode == "externalDriver"
    play >> read_back(held=False, why="it holds 20") << "result failed unknown verification_failed"


@pytest.mark.requirement("MDM-R5")
def test_a_value_that_the_control_does_not_accept_is_not_tried_again() -> None:
    setting() >> read_back(held=False, final=True) << "result failed unknown verification_failed"


def test_a_mode_refused_before_dispatch_is_followed_by_the_next_mode() -> None:
    play = setting() >> refused("unsupported", "not_native") << "Perform adjust"
    assert play.inside.mode == "externalDriver"
    play >> refused("unsupported", "no number") << "result failed none execution_mode_unavailable"


def test_a_mode_that_the_caller_excluded_is_not_tried() -> None:
    play = setting(preferred_execution_modes=("semanticUi",))
    play >> refused("unsupported", "not_native") << "result failed none execution_mode_unavailable"


@pytest.mark.requirement("ACT-11.12")
@pytest.mark.parametrize(
    ("detail", "result"),
    [
        ({"held": False, "why": "there is nothing more"}, "result failed none verification_failed"),
        ({"held": True}, "progress verifying, Observe"),
    ],
)
def test_scrolling_the_page_succeeds_only_if_it_moved(detail: dict[str, Any], result: str) -> None:
    play = Playbook(action(request("ui.scroll", name=None, args={"dy": 100})))
    play >> started >> lane_taken >> watching() << "RecordIntent"
    play >> recorded << "Perform scroll" >> read_back(**detail) << result


def test_an_action_that_must_not_happen_twice_is_not_tried_in_another_mode() -> None:
    play = Playbook(action(request("ui.submit")))
    until_checked(play) >> probed() >> lane_taken >> watching() >> recorded << "Perform submit"
    play >> read_back(held=False) << "result failed unknown verification_failed"


@pytest.mark.requirement("ACT-14")
def test_an_action_that_needs_user_activation_reports_it() -> None:
    play = Playbook(action(request("ui.activate")))
    until_checked(play) >> probed() >> lane_taken >> watching() >> recorded << "Perform click"
    play >> read_back(held=False, activation=True) << "result failed unknown user_activation_required"


def test_hovering_succeeds_only_under_the_pointer() -> None:
    play = Playbook(action(request("ui.hover")))
    until_checked(play) >> probed() >> lane_taken >> watching() << "Perform hover"
    play >> read_back() << "progress verifying, Probe el_1"
    play >> probed(hovered=False) << ""
    assert play.alarm is not None


@pytest.mark.requirement("ACT-11.3")
def test_a_highlight_claims_nothing() -> None:
    play = Playbook(action(request("ui.highlight")))
    until_checked(play) >> probed() >> lane_taken >> watching() << "Perform highlight"
    play >> read_back() << "progress verifying, Observe"
    play >> observed(complete=True) << "result succeeded none"
    assert play.result.verification.policy == "none"


@pytest.mark.requirement("ACT-3.4", "ACT-11.5")
def test_a_result_read_back_by_one_gesture_does_not_count_for_later_gestures() -> None:
    """A password is written, then the page is asked whether it holds it: the one must not stand for the other."""
    field = button("Password", role="textbox", state=WebElementState(visible=True, sensitive=True))
    play = Playbook(action(request("ui.enterText", name="Password", args={"text": "x"})))
    (
        until_checked(play, field)
        >> probed(role="textbox", name="Password", editable=True)
        >> lane_taken
        >> watching()
    )
    play << "Perform setText"
    play >> read_back(held=True) << "Perform holds"
    play >> refused("changed") << "result failed unknown verification_failed"
