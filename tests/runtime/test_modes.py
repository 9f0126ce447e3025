"""The choice of the execution mode, and the reasons against the other modes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import (
    Playbook,
    action,
    button,
    dispatched,
    found,
    lane_taken,
    press,
    probed,
    recorded,
    refused,
    request,
    started,
    until_acting,
    until_checked,
    watching,
    woke,
)
from uiap.actions.registry import ACTIONS
from uiap.policy.appraisal import RiskEvidence, appraise
from uiap.runtime.modes import Abilities, choose_mode, script_gate
from uiap.spec.capability import ExecutionMode, RiskDescriptor
from uiap.spec.web import WebElementState

ALL = Abilities(modes=("semanticUi", "externalDriver", "inputSynthesis"))
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
    choice = choose_mode(ACTIONS["ui.activate"], abilities, preferred, without)
    assert choice.mode == mode
    considered = preferred or ACTIONS["ui.activate"].modes
    assert len(choice.reasons) == (len(considered) if mode is None else list(considered).index(mode) + 1)  # type: ignore[arg-type]


@pytest.mark.requirement("ACT-7")
def test_the_result_names_the_chosen_and_the_skipped_modes() -> None:
    asked = press(preferred_execution_modes=("visionAssist", "externalDriver"))
    play = until_acting(Playbook(asked)) >> refused("invalid", "no")
    assert play.metadata["modeReasons"] == [
        "visionAssist: never where there is an element to act on",
        "externalDriver: asked for",
    ]


@pytest.mark.requirement("ACT-7", "ACT-3.2")
def test_only_a_mode_that_refused_before_dispatch_is_followed_by_the_next() -> None:
    play = until_acting(Playbook(press())) >> refused("unsupported", "not by pointer") << "Perform click"
    assert play.inside.mode == "semanticUi"
    play >> refused("unsupported", "not so either") << "result failed none execution_mode_unavailable"
    none = until_checked(Playbook(action(abilities=Abilities(modes=("visionAssist",))))) >> probed()
    none << "result failed none execution_mode_unavailable"


@pytest.mark.requirement("ACT-10.2b", "ACT-7")
def test_synthetic_events_are_used_only_on_request() -> None:
    for primitive in ACTIONS.values():
        assert "inputSynthesis" not in primitive.modes
    assert choose_mode(ACTIONS["ui.activate"], ALL, None).mode == "externalDriver"
    assert choose_mode(ACTIONS["ui.activate"], ALL, None, ("externalDriver", "semanticUi")).mode is None
    assert choose_mode(ACTIONS["ui.activate"], ALL, ("inputSynthesis",)).mode == "inputSynthesis"
    assert choose_mode(ACTIONS["ui.submit"], ALL, ("inputSynthesis",)).mode is None


@pytest.mark.requirement("ACT-10.4")
@pytest.mark.parametrize(
    "members",
    [
        {"risk": RiskDescriptor(level="safe", tags=("security",))},
        {"risk": RiskDescriptor(level="safe", tags=("billing",))},
        {"name": "Delete account"},
        {"state": WebElementState(sensitive=True)},
        {"affordances": ("activate", "upload")},
    ],
)
def test_synthetic_events_are_refused_for_critical_and_gated_actions(members: dict[str, Any]) -> None:
    made = button(**members)
    declared = made.risk if isinstance(made.risk, RiskDescriptor) else None
    evidence = RiskEvidence(label=str(made.name or "").casefold(), presses=True)
    why = script_gate(made, appraise(made, "unknown", evidence, declared=declared))
    assert why is not None
    choice = choose_mode(ACTIONS["ui.activate"], ALL, ("inputSynthesis",), gated=why)
    assert choice.mode is None and choice.reasons == (f"inputSynthesis: {why}",)
    assert (
        choose_mode(ACTIONS["ui.activate"], ALL, ("inputSynthesis", "semanticUi"), gated=why).mode
        == "semanticUi"
    )


@pytest.mark.requirement("ACT-10.4")
def test_a_critical_action_never_uses_synthetic_events_even_on_request() -> None:
    asked = request(preferred_execution_modes=("inputSynthesis",))
    plain = until_checked(Playbook(action(asked, abilities=ALL))) >> probed()
    assert plain.inside.mode == "inputSynthesis"
    risky = button(risk=RiskDescriptor(level="safe", tags=("security",)))
    play = until_checked(Playbook(action(asked, abilities=ALL)), risky) >> probed()
    play << "result failed none execution_mode_unavailable"


@pytest.mark.requirement("ACT-10.3", "ACT-3.4")
@pytest.mark.parametrize("mode", ["externalDriver", "semanticUi"])
def test_every_mode_has_the_same_lifecycle_and_proof(mode: ExecutionMode) -> None:
    play = Playbook(press(preferred_execution_modes=(mode,)))
    play >> started << "Find"
    play >> found(button()) << "progress checking_preconditions, Probe el_1"
    play >> probed() << "progress executing, TakeLane"
    play >> lane_taken << "OpenWatch"
    play >> watching() << "RecordIntent"
    play >> recorded << "Perform click"
    play >> dispatched() << "progress verifying, Observe"
    play.at(9) >> woke << "result failed unknown verification_failed"
    assert play.result.chosen_execution_mode == mode
