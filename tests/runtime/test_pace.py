"""An interface that tells nothing by itself: it is asked before, and asked again at the pace of its reads."""

from __future__ import annotations

import msgspec
import pytest

from tests.support.playbook import (
    ABILITIES,
    Playbook,
    action,
    observed,
    request,
    started,
    until_verifying,
    woke,
)
from uiap.runtime import commands as do

ASKED = msgspec.structs.replace(ABILITIES, attribution="time", read_cost_s=0.5)


def pressed() -> Playbook:
    return Playbook(action(request(name="Save"), abilities=ASKED))


def wakes(play: Playbook) -> list[float]:
    return [round(command.mono - play.now, 3) for command in play.commands if isinstance(command, do.WakeAt)]


def test_the_target_is_looked_for_on_the_screen_of_now() -> None:
    play = pressed() >> started
    (find,) = [command for command in play.commands if isinstance(command, do.Find)]
    assert find.refresh


@pytest.mark.requirement("ACT-3.4")
def test_one_whole_look_shows_the_effect_and_a_glance_that_it_lasts() -> None:
    play = until_verifying(pressed())
    (look,) = [command for command in play.commands if isinstance(command, do.Observe)]
    assert not look.quick
    play.at(0.6) >> observed("status text", complete=True) << ""
    play.at(0.66) >> woke << "Observe"
    play >> observed("status text", quick=True) << "result succeeded applied"


def test_an_effect_that_is_not_there_yet_is_asked_for_again_at_the_pace_of_a_read() -> None:
    play = until_verifying(pressed())
    play.at(0.5) >> observed(complete=True) << ""
    assert wakes(play) == [0.5]
    play.at(1.0) >> woke << "Observe"
    play.at(1.5) >> observed("status text", complete=True) << ""
    play.at(1.6) >> woke << "Observe"
    play >> observed("status text", quick=True) << "result succeeded applied"


@pytest.mark.requirement("MDM-7")
def test_the_time_to_verify_is_not_spent_on_looking() -> None:
    play = until_verifying(pressed())
    play.at(5.2) >> observed(complete=True) << ""  # five seconds are over, two reads of half a second are not
    play.at(6.1) >> woke << "result failed unknown verification_failed"
