"""A driver that pushes no changes: it is read before an action and polled after it, at the interval of its reads."""

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


def test_the_target_is_searched_on_a_fresh_reading() -> None:
    play = pressed() >> started
    (find,) = [command for command in play.commands if isinstance(command, do.Find)]
    assert find.refresh


@pytest.mark.requirement("ACT-3.4")
def test_one_full_read_shows_the_effect_and_a_quick_read_that_it_lasts() -> None:
    play = until_verifying(pressed())
    (look,) = [command for command in play.commands if isinstance(command, do.Observe)]
    assert not look.quick
    play.at(0.6) >> observed("status text", complete=True) << ""
    play.at(0.66) >> woke << "Observe"
    play >> observed("status text", quick=True) << "result succeeded applied"


def test_a_missing_effect_is_polled_at_the_interval_of_a_read() -> None:
    play = until_verifying(pressed())
    play.at(0.5) >> observed(complete=True) << ""
    assert wakes(play) == [0.5]
    play.at(1.0) >> woke << "Observe"
    play.at(1.5) >> observed("status text", complete=True) << ""
    play.at(1.6) >> woke << "Observe"
    play >> observed("status text", quick=True) << "result succeeded applied"


@pytest.mark.requirement("MDM-7")
def test_the_duration_of_reads_does_not_count_against_the_verification_timeout() -> None:
    play = until_verifying(pressed())
    play.at(5.2) >> observed(complete=True) << ""  # five seconds are over, two reads of half a second are not
    play.at(6.1) >> woke << "result failed unknown verification_failed"
