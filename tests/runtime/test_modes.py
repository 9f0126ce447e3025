"""Which mode is chosen, and why the others were not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import Playbook, action, press, probed, refused, until_acting, until_checked
from uiap.actions.registry import ACTIONS
from uiap.runtime.modes import Abilities, choose
from uiap.spec.capability import ExecutionMode

BOTH = Abilities(modes=("semanticUi", "externalDriver"))
PLAIN = Abilities(modes=("semanticUi",))


@pytest.mark.requirement("ACT-7")
@pytest.mark.parametrize(
    ("abilities", "preferred", "without", "mode"),
    [
        (BOTH, None, (), "externalDriver"),
        (PLAIN, None, (), "semanticUi"),
        (BOTH, ("semanticUi",), (), "semanticUi"),
        (BOTH, ("semanticUi", "externalDriver"), (), "semanticUi"),
        (BOTH, ("visionAssist", "semanticUi"), (), "semanticUi"),
        (BOTH, None, ("externalDriver",), "semanticUi"),
        (PLAIN, ("externalDriver",), (), None),
        (BOTH, ("inputSynthesis",), (), None),
    ],
)
def test_the_first_mode_that_action_driver_and_caller_share(
    abilities: Abilities, preferred: tuple[ExecutionMode, ...] | None, without: Any, mode: str | None
) -> None:
    choice = choose(ACTIONS["ui.activate"], abilities, preferred, without)
    assert choice.mode == mode
    considered = preferred or ACTIONS["ui.activate"].modes
    assert len(choice.reasons) == (len(considered) if mode is None else list(considered).index(mode) + 1)  # type: ignore[arg-type]


@pytest.mark.requirement("ACT-7")
def test_the_choice_and_the_skipped_modes_stand_in_the_result() -> None:
    asked = press(preferred_execution_modes=("visionAssist", "externalDriver"))
    play = until_acting(Playbook(asked)) >> refused("invalid", "no")
    assert play.told["modeReasons"] == [
        "visionAssist: not a way to do ui.activate",
        "externalDriver: asked for",
    ]


@pytest.mark.requirement("ACT-7", "ACT-3.2")
def test_a_mode_that_refused_before_dispatch_is_followed_by_the_next_and_no_other_is() -> None:
    play = until_acting(Playbook(press())) >> refused("unsupported", "not by pointer") << "Perform click"
    assert play.action.mode == "semanticUi"
    play >> refused("unsupported", "not so either") << "result failed none execution_mode_unavailable"
    none = until_checked(Playbook(action(abilities=Abilities(modes=("visionAssist",))))) >> probed()
    none << "result failed none execution_mode_unavailable"
