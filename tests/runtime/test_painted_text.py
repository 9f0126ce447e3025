"""Painted text: when vision is used, how much it counts, and how it is reported (ACT-10.5)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import (
    Playbook,
    action,
    button,
    found,
    lane_taken,
    probed,
    recorded,
    refused,
    request,
    started,
    watching,
)
from uiap.actions.ops import Click
from uiap.actions.registry import ACTIONS
from uiap.graph.store import GraphStore
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.modes import Abilities, choose_mode
from uiap.runtime.painted_text import RegionText, Word, match_painted_text, still_there
from uiap.runtime.resolve import Candidates
from uiap.spec.action import ActionTarget
from uiap.spec.capability import SemanticRef
from uiap.spec.web import DOMRectLike

VISION = Abilities(modes=("externalDriver", "semanticUi", "visionAssist"), attribution="causal")
ALLOWED = ("externalDriver", "semanticUi", "visionAssist")
CANVAS = button("Editor", "el_9", role="canvas", affordances=("read",))
EXPORT = Word("Export", 0.99, 700, 350, 60, 20)


def read(*words: Word, name: str = "Export") -> Any:
    target = ActionTarget(ref=SemanticRef(role="button", name=name))
    view = RegionText(CANVAS, DOMRectLike(x=10, y=20, width=880, height=420), words)
    return lambda at: when.Found(at=at, candidates=match_painted_text(GraphStore(), target, [view]))


def with_vision(modes: Any = ALLOWED, abilities: Abilities = VISION, name: str = "Export") -> Playbook:
    asked = request(name=name, preferred_execution_modes=modes) if modes else request(name=name)
    return Playbook(action(asked, abilities=abilities)) >> started


@pytest.mark.requirement("ACT-10.5")
def test_vision_is_used_only_if_nothing_in_the_graph_fits_and_the_caller_allows_it() -> None:
    play = with_vision() >> found()
    play << "Find"
    (look,) = play.commands
    assert isinstance(look, do.Find) and look.vision
    there = with_vision() >> found(button("Export"))
    assert not any(isinstance(c, do.Find) for c in there.commands)
    never = with_vision(None) >> found()
    assert not any(isinstance(c, do.Find) for c in never.commands)
    assert choose_mode(ACTIONS["ui.activate"], VISION, ("visionAssist",)).mode is None
    assert choose_mode(ACTIONS["ui.activate"], VISION, ALLOWED, painted=True).mode == "visionAssist"
    assert choose_mode(ACTIONS["ui.activate"], VISION, None, painted=True).mode is None


@pytest.mark.requirement("ACT-10.5", "ACT-7")
def test_the_result_has_point_mode_and_reason_and_a_press_alone_is_no_success() -> None:
    play = with_vision() >> found() >> read(EXPORT) << "progress checking_preconditions, Probe el_9"
    play >> probed(role="canvas", name="Editor") >> lane_taken >> watching() >> recorded
    (perform,) = play.commands
    assert isinstance(perform, do.Perform) and isinstance(perform.op, Click) and perform.op.guard is not None
    assert perform.op.spot == (730, 360) and perform.op.mode == "visionAssist"
    assert (perform.op.guard.role, perform.op.guard.name) == ("canvas", "Editor"), (
        "the page can confirm its canvas"
    )
    play >> refused("invalid", "no") << "result failed none target_not_interactable"
    vision = play.metadata["resolution"]["vision"]
    assert vision == {"text": "Export", "score": 0.99, "on": "el_9", "spot": [730, 360], "point": [740, 380]}
    assert play.metadata["resolution"]["confidence"] <= 0.6
    assert play.metadata["recovery"] == ["read painted text: nothing in the graph fits"]
    assert play.metadata["modeReasons"][-1] == "visionAssist: asked for"
    assert "only paint" in play.metadata["modeReasons"][0]


@pytest.mark.requirement("ACT-10.5", "MDM-R4b")
def test_an_illegible_partial_or_repeated_word_is_not_pressed() -> None:
    for words, code in (
        ((Word("Export all", 0.99, 1, 1, 9, 9),), "target_ambiguous"),
        ((Word("Export", 0.7, 1, 1, 9, 9),), "target_ambiguous"),
        ((EXPORT, Word("Export", 0.99, 100, 350, 60, 20)), "target_ambiguous"),
    ):
        with_vision() >> found() >> read(*words) << f"result failed none {code}"
    late = with_vision().at(3) >> found() >> read(Word("Trim", 0.99, 1, 1, 9, 9))
    late << "progress recovering"
    late.at(6) >> (lambda at: when.Woke(at=at)) >> found()
    late >> (lambda at: when.Found(at=at, candidates=Candidates(painted=True))) << "progress recovering"


@pytest.mark.requirement("ACT-10.5", "ACT-13.2")
def test_a_destructive_action_never_uses_vision() -> None:
    play = with_vision(name="Delete account") >> found()
    play >> read(Word("Delete account", 1.0, 1, 1, 9, 9), name="Delete account")
    play >> probed(role="canvas", name="Editor")
    assert play.result.error and play.result.error.code == "execution_mode_unavailable", play.result


@pytest.mark.requirement("ACT-10.5", "ACT-15")
def test_without_text_recognition_the_error_names_the_missing_extra() -> None:
    able = Abilities(modes=("externalDriver", "semanticUi"))
    with_vision(("visionAssist",), able) >> found() << "result failed none execution_mode_unavailable"


def test_a_word_is_still_there_only_if_the_same_word_is_at_the_same_point() -> None:
    seen = read(EXPORT)(None).candidates.candidates[0].painted
    assert still_there(seen, [Word("Export", 0.9, 698, 351, 61, 19)])
    assert not still_there(seen, [Word("Delete", 0.9, 698, 351, 61, 19)])
    assert not still_there(seen, [Word("Export", 0.9, 100, 351, 61, 19)])
