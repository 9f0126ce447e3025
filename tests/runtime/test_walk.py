"""Random walks over the machine: its invariants are true for any order of events (cases B2 and P4)."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.support.playbook import (
    ABILITIES,
    CAUSED,
    UNMET,
    EventFactory,
    Playbook,
    action,
    answered,
    button,
    cancelled,
    denied,
    dispatched,
    found,
    granted,
    lane_taken,
    lost,
    not_recorded,
    observed,
    page_changed,
    page_lost,
    probed,
    read,
    recorded,
    refused,
    request,
    started,
    watching,
    woke,
)
from uiap.instant import Instant
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.events import Event
from uiap.runtime.expectation import watched_signals
from uiap.runtime.lifecycle import MOVES
from uiap.runtime.resolve import Candidate, Candidates, PaintedText
from uiap.signals.verdict import Verdict
from uiap.spec.action import VerificationSpec
from uiap.spec.capability import RiskDescriptor, ToastContains

EXAMPLES = int(os.environ.get("UIAP_SOAK_N", "1")) * 200


def watched(at: Instant) -> Event:
    """Filled in by the walk: as many verdicts as signals are expected."""
    return watching()(at)


def seen(*verdicts: Verdict, **members: Any) -> EventFactory:
    return observed("text" if CAUSED in verdicts else None, *verdicts, **members)


SEEING = replace(ABILITIES, modes=(*ABILITIES.modes, "visionAssist"))


def painted(at: Instant) -> Event:
    """Read on a picture, where that was asked for."""
    host = button("Board", "el_9", role="canvas")
    seen = PaintedText(host, "Save", 0.99, (5, 5))
    found = Candidate(replace(host, name="Save"), "runtimeHint", 1.0, painted=seen)
    return when.Found(at=at, candidates=Candidates((found,), painted=True))


ON_THE_WAY: dict[str, list[EventFactory]] = {
    "RECEIVED": [started],
    "RESOLVING_TARGET": [*[found(button())] * 8, found(button(id="el_2")), found(), painted],
    "RECOVERING": [page_changed, woke],
    "CHECKING_PRECONDITIONS": [
        probed(),
        probed(attached=False),
        probed(visible=False),
        probed(in_viewport=False),
    ],
    "AWAITING_CONFIRMATION": [granted, denied, woke],
    "WAITING_FOR_USER": [answered(True), woke],
    "VERIFYING": [
        lambda at: seen(CAUSED, complete=True)(at),
        lambda at: seen(UNMET)(at),
        lambda at: seen(CAUSED, requests_open=1)(at),
        lambda at: seen(UNMET, request_failed="500")(at),
        woke,
    ],
}
ACTED = [dispatched(), dispatched("dialog", "confirm `?`"), dispatched("navigation")]
ANSWERS: dict[type[do.Command], list[EventFactory]] = {
    do.TakeLane: [lane_taken],
    do.OpenWatch: [watched],
    do.ReadElement: [read(text="x")],
    do.RecordIntent: [*[recorded] * 8, not_recorded()],
    do.Perform: [*ACTED * 4, refused("changed"), refused("obscured"), lost()],
}
ANYWHERE: list[EventFactory] = [
    cancelled, page_lost, woke, started, granted, denied, lane_taken, recorded, *ACTED,
    found(button()), found(button(), button(id="b")), probed(), read(text="x"), answered(False),
    page_changed, refused("gone"), lost(),
]  # fmt: skip
STEPS = st.tuples(
    st.integers(0, 19), st.integers(0, 19), st.sampled_from([0.0, 0.0, 0.0, 0.06, 0.5, 2.1, 130.0])
)
TOAST = VerificationSpec(policy="all", signals=(ToastContains(text="Saved"),))
DRAFTS = ("ui.enterText", "ui.toggle")  # nothing of it is left in the page, and nothing else was touched


class Walk:
    """Steps through one action and holds it to its promises."""

    def __init__(self, action_id: str, risky: bool, verified: bool, vision: bool = False) -> None:
        args = {"text": "x"} if action_id == "ui.enterText" else {}
        members: dict[str, Any] = {"verification": TOAST} if verified else {}
        if vision:
            members["preferred_execution_modes"] = SEEING.modes
        asked = request(action_id, args=args, **members)
        able = SEEING if vision else ABILITIES
        self.play = Playbook(action(asked, rules="standard" if risky else "trusted", abilities=able))
        self.risky = risky
        self.idempotent = self.play.inside.primitive.idempotency(args) == "idempotent"
        self.granted = self.dispatched = self.outstanding = False
        self.answers: list[EventFactory] = ANYWHERE

    def step(self, which: int, other: int, passed: float) -> None:
        state = self.play.action.state
        on_the_way = self.answers if state == "EXECUTING" else ON_THE_WAY.get(state, ANYWHERE)
        choices = on_the_way if which < 19 else ANYWHERE
        happening = choices[other % len(choices)]
        self.play.now += passed
        waiting = state == "AWAITING_CONFIRMATION"
        self.play >> self._fitting(happening)
        self._judge(state, happening)
        if waiting and self.play.action.state == "CHECKING_PRECONDITIONS":
            self.granted = True
        if self.play.action.state == "AWAITING_CONFIRMATION":
            self.granted = False

    def _fitting(self, happening: EventFactory) -> EventFactory:
        """Hosts answer with as many verdicts as signals were asked for, and the element says how risky it is."""
        expected = len(watched_signals(self.play.inside.expectation))

        def fit(at: Instant) -> Event:
            event = happening(at)
            if self.risky and isinstance(event, when.Found):
                return replace(event, candidates=_risky(event.candidates))
            if isinstance(event, when.WatchOpened):
                return when.WatchOpened(at=at, verdicts=(UNMET,) * expected)
            if isinstance(event, when.Observed):
                verdicts = (event.report.verdicts * expected)[:expected]
                return replace(event, report=replace(event.report, verdicts=verdicts))
            return event

        return fit

    def _judge(self, before: str, happening: EventFactory) -> None:
        self._legal(before)
        if before in ("SUCCEEDED", "FAILED", "CANCELLED"):
            assert self.play.commands == []
        if before == "EXECUTING" and self.outstanding and happening in ACTED:
            self.dispatched = True
        for command in self.play.commands:
            self.answers = ANSWERS.get(type(command), self.answers)
            if isinstance(command, do.Perform | do.Navigate):
                self._may_act()
        if self.play.action.state in ("RESOLVING_TARGET", "CHECKING_PRECONDITIONS"):
            self.outstanding = False
        assert len(self.play.results) <= 1

    def _may_act(self) -> None:
        assert not self.risky or self.granted, "performed without a grant"
        assert not self.outstanding or self.idempotent, "performed while an input was out"
        assert not self.dispatched, "performed a second time"
        self.outstanding = True

    def _legal(self, state: str) -> None:
        for command in self.play.commands:
            stage = getattr(getattr(command, "payload", None), "stage", None)
            if stage is not None and stage.upper() != state:
                assert stage.upper() in MOVES[state], f"{state} -> {stage}"  # type: ignore[index]
                state = stage.upper()
        now = self.play.action.state
        assert now == state or now in MOVES[state]  # type: ignore[index]

    def end(self) -> None:
        self.play >> started >> cancelled
        result = self.play.result
        assert result.side_effect_state in ("none", "applied", "unknown")
        if self.dispatched and result.status != "succeeded":
            assert result.side_effect_state != "none" or result.action_id in DRAFTS
        assert (result.status == "succeeded") == result.verification.passed
        assert (result.status == "failed") == (result.status != "cancelled" and bool(result.error))


def _risky(gathered: Candidates) -> Candidates:
    level = RiskDescriptor(level="confirm")
    risky = tuple(replace(c, element=replace(c.element, risk=level)) for c in gathered.candidates)
    return replace(gathered, candidates=risky)


@pytest.mark.requirement("ACT-3.1", "ACT-3.2", "ACT-4", "ACT-5.4", "ACT-13.2", "ACT-13.3")
@settings(max_examples=EXAMPLES, derandomize=EXAMPLES == 200, deadline=None)
@given(
    action_id=st.sampled_from(["ui.activate", "ui.enterText", "ui.read", "ui.toggle"]),
    risky=st.booleans(),
    verified=st.booleans(),
    vision=st.booleans(),
    steps=st.lists(STEPS, max_size=40),
)
def test_the_invariants_are_true_for_any_order_of_events(
    action_id: str, risky: bool, verified: bool, vision: bool, steps: list[tuple[int, int, float]]
) -> None:
    walk = Walk(action_id, risky, verified, vision)
    for step in steps:
        walk.step(*step)
    walk.end()
