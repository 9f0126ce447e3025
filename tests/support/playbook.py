"""Playbook for the action machine: the conversation is the test.

play = Playbook(press("Save"))
play >> started << "progress resolving_target, Find"
play >> found(button("Save")) << "progress checking_preconditions, Probe el_1"

What a command says is compared in words; a mismatch shows both as a diff. Alarms are not words: `play.alarm`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import UNSET

from uiap.instant import Instant
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action, ActionTerms
from uiap.runtime.check import ProbeFacts
from uiap.runtime.machine import ActionMachine
from uiap.runtime.modes import Abilities
from uiap.runtime.resolve import Candidate, Candidates
from uiap.signals.verdict import Verdict
from uiap.signals.watch import EffectReport
from uiap.spec.action import ActionProgressPayload, ActionRequestPayload, ActionResultPayload, ActionTarget
from uiap.spec.capability import SemanticRef
from uiap.spec.policy import POLICY_GRANTS, PolicyPrincipal
from uiap.spec.web import ElementNode, WebElementState

TS = "2026-03-26T14:00:00.000Z"
ABLE = Abilities(modes=("externalDriver", "semanticUi"), trusted_input=True, attribution="causal")
NOT_SEEN, SEEN = Verdict(False), Verdict(True, attribution="caused")
ALREADY = Verdict(True, already=True)

PERSON = PolicyPrincipal(type="user", id="person", grants=POLICY_GRANTS)

Happening: TypeAlias = Callable[[Instant], when.Event]


class Playbook:
    """Feeds moments to one action and keeps what it wanted done."""

    def __init__(self, action: ActionMachine) -> None:
        self.action = action
        self.now = 1000.0
        self.alarm: float | None = None
        self.commands: list[do.Command] = []
        self.results: list[ActionResultPayload] = []

    def at(self, seconds: float) -> Playbook:
        """So long after the start."""
        self.now = 1000.0 + seconds
        return self

    def __rshift__(self, happening: Happening) -> Playbook:
        self.commands = self.action.handle(happening(Instant(self.now, TS)))
        for command in self.commands:
            if isinstance(command, do.WakeAt):
                self.alarm = round(command.mono - 1000.0, 6)
            if isinstance(command, do.Finish):
                self.results.append(command.result)
        return self

    def __lshift__(self, expected: str) -> Playbook:
        wanted = [part.strip() for part in expected.split(",") if part.strip()]
        got = [word for command in self.commands if (word := words(command))]
        if wanted != got:
            diff = "\n".join(difflib.unified_diff(wanted, got, "expected", "got", lineterm="", n=9))
            raise AssertionError(f"in {self.action.state} at {self.now - 1000:g} s:\n{diff}")
        return self

    @property
    def inside(self) -> Action:
        """The state of the action, which only the machine and its tests read."""
        return self.action._action

    @property
    def result(self) -> ActionResultPayload:
        assert len(self.results) == 1, f"{len(self.results)} results"
        return self.results[0]

    @property
    def told(self) -> dict[str, Any]:
        """The result's metadata."""
        return {} if self.result.metadata is UNSET else self.result.metadata

    @property
    def message(self) -> str:
        return "" if self.result.error is UNSET else self.result.error.message

    @property
    def detail(self) -> dict[str, Any]:
        assert self.result.error is not UNSET
        return {} if self.result.error.detail is UNSET else self.result.error.detail


def words(command: do.Command) -> str:
    match command:
        case do.Emit(payload=ActionProgressPayload() as progress):
            return f"progress {progress.stage}"
        case do.Emit(payload=ActionResultPayload() as result):
            code = "" if result.error is UNSET else f" {result.error.code}"
            return f"result {result.status} {result.side_effect_state}{code}"
        case do.Emit():
            return command.type
        case do.Probe() | do.ScrollTo():
            return f"{type(command).__name__} {command.node}"
        case do.Perform():
            return f"Perform {command.op.kind}"
        case do.Navigate():
            return f"Navigate {command.url}"
        case do.WakeAt() | do.Finish() | do.RecordDecision() | do.UseTarget() | do.HandOff():
            return ""
    return type(command).__name__


# -- actions ------------------------------------------------------------------------------------------------


def button(name: str = "Save", id: str = "el_1", *, record: str | None = None, **members: Any) -> ElementNode:
    return ElementNode(
        instance_id=id,
        document_id="doc_1",
        role=members.pop("role", "button"),
        name=name,
        state=members.pop("state", WebElementState(visible=True)),
        affordances=members.pop("affordances", ("activate", "edit", "toggle", "read", "focus", "choose")),
        metadata={"record": record} if record else UNSET,
        **members,
    )


def request(action: str = "ui.activate", name: str | None = "Save", **members: Any) -> ActionRequestPayload:
    target = UNSET if name is None else ActionTarget(ref=SemanticRef(role="button", name=name))
    return ActionRequestPayload(action_id=action, **{"target": target, **members})


def action(asked: ActionRequestPayload | None = None, **terms: Any) -> ActionMachine:
    given = {"abilities": ABLE, "rules": "trusted", "principal": PERSON, **terms}
    return ActionMachine(ActionTerms(handle="act_1", request=asked or request(), **given))


def press(name: str = "Save", **members: Any) -> ActionMachine:
    return action(request(name=name, **members))


# -- events -------------------------------------------------------------------------------------------------


def started(at: Instant) -> when.Event:
    return when.Started(at=at)


def woke(at: Instant) -> when.Event:
    return when.Woke(at=at)


def lane(at: Instant) -> when.Event:
    return when.LaneTaken(at=at)


def recorded(at: Instant) -> when.Event:
    return when.IntentRecorded(at=at)


def page_changed(at: Instant) -> when.Event:
    return when.PageChanged(at=at)


def granted(at: Instant) -> when.Event:
    return when.Granted(at=at, by="ada")


def denied(at: Instant) -> when.Event:
    return when.Denied(at=at, by="ada")


def cancelled(at: Instant) -> when.Event:
    return when.Cancelled(at=at)


def page_lost(at: Instant) -> when.Event:
    return when.PageLost(at=at, cause="the tab crashed")


def found(*elements: ElementNode, level: float = 1.0, opaque: str | None = None) -> Happening:
    def record(element: ElementNode) -> str | None:
        return element.metadata["record"] if element.metadata is not UNSET else None

    candidates = tuple(Candidate(e, "semantic", level, False, record(e), opaque) for e in elements)
    return lambda at: when.Found(at=at, candidates=Candidates(candidates, None if elements else opaque))


def probed(**facts: Any) -> Happening:
    facts = {"attached": True, "role": "button", "name": "Save", **facts}
    return lambda at: when.Probed(at=at, facts=ProbeFacts(**facts))


def watching(*verdicts: Verdict) -> Happening:
    return lambda at: when.WatchOpened(at=at, verdicts=verdicts)


def not_recorded(reason: str = "the disk is full") -> Happening:
    return lambda at: when.IntentNotRecorded(at=at, reason=reason)


def refused(reason: str, detail: str = "") -> Happening:
    return lambda at: when.Refused(at=at, reason=reason, detail=detail)


def dispatched(interrupted_by: Any = None, dialog: str | None = None) -> Happening:
    return lambda at: when.Dispatched(at=at, seq=1, interrupted_by=interrupted_by, dialog=dialog)


def lost(cause: str = "timeout") -> Happening:
    return lambda at: when.OutcomeLost(at=at, cause=cause)


def answered(accepted: bool) -> Happening:
    return lambda at: when.DialogAnswered(at=at, accepted=accepted)


def read(**value: Any) -> Happening:
    return lambda at: when.ElementRead(at=at, value=value)


def observed(
    change: str | None = None, *verdicts: Verdict, attribution: Any = "caused", **members: Any
) -> Happening:
    seen = {name: members.pop(name) for name in ("busy", "complaint", "latest") if name in members}
    report = EffectReport(
        verdicts,
        change,
        attribution if change else None,
        members.pop("revision", "rev_2"),
        members.pop("advanced", True),
        **seen,
    )
    return lambda at: when.Observed(at=at, report=report, **members)


# -- the way to each state ----------------------------------------------------------------------------------


def until_checked(play: Playbook, element: ElementNode | None = None) -> Playbook:
    return play >> started >> found(element or button())


def until_acting(play: Playbook, element: ElementNode | None = None, *verdicts: Verdict) -> Playbook:
    """The lane is taken, the baseline stands, the intent is on disk: `Perform` is out."""
    node = element or button()
    name = node.name if isinstance(node.name, str) else None
    until_checked(play, node) >> probed(role=node.role, name=name) >> lane >> watching(*verdicts)
    return play >> recorded if not any(isinstance(c, do.Perform) for c in play.commands) else play


def until_verifying(play: Playbook, element: ElementNode | None = None, *verdicts: Verdict) -> Playbook:
    return until_acting(play, element, *verdicts) >> dispatched()
