"""A test helper for the action machine: events go in with `>>`, expected commands follow with `<<`.

play = Playbook(press("Save"))
play >> started << "Find"
play >> found(button("Save")) << "progress checking_preconditions, Probe el_1"

Commands are compared as short texts, and a mismatch is shown as a diff. Alarms are not part of it: see `play.alarm`.
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
from uiap.signals.effect_report import EffectReport
from uiap.signals.verdict import Verdict
from uiap.spec.action import ActionProgressPayload, ActionRequestPayload, ActionResultPayload, ActionTarget
from uiap.spec.capability import SemanticRef
from uiap.spec.policy import POLICY_GRANTS, PolicyPrincipal
from uiap.spec.web import ElementNode, WebElementState

TS = "2026-03-26T14:00:00.000Z"
ABILITIES = Abilities(modes=("externalDriver", "semanticUi"), trusted_input=True, attribution="causal")
UNMET, CAUSED = Verdict(False), Verdict(True, attribution="caused")
ALREADY = Verdict(True, already=True)

PERSON = PolicyPrincipal(type="user", id="person", grants=POLICY_GRANTS)

EventFactory: TypeAlias = Callable[[Instant], when.Event]


class Playbook:
    """Feed events to one action and keep its commands."""

    def __init__(self, action: ActionMachine) -> None:
        self.action = action
        self.now = 1000.0
        self.alarm: float | None = None
        self.commands: list[do.Command] = []
        self.results: list[ActionResultPayload] = []

    def at(self, seconds: float) -> Playbook:
        """Set the clock to `seconds` after the start."""
        self.now = 1000.0 + seconds
        return self

    def __rshift__(self, event: EventFactory) -> Playbook:
        self.commands = self.action.handle(event(Instant(self.now, TS)))
        for command in self.commands:
            if isinstance(command, do.WakeAt):
                self.alarm = round(command.mono - 1000.0, 6)
            if isinstance(command, do.Finish):
                self.results.append(command.result)
        return self

    def __lshift__(self, expected: str) -> Playbook:
        wanted = [part.strip() for part in expected.split(",") if part.strip()]
        got = [text for command in self.commands if (text := describe(command))]
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
    def metadata(self) -> dict[str, Any]:
        """The metadata of the result."""
        return {} if self.result.metadata is UNSET else self.result.metadata

    @property
    def message(self) -> str:
        return "" if self.result.error is UNSET else self.result.error.message

    @property
    def detail(self) -> dict[str, Any]:
        assert self.result.error is not UNSET
        return {} if self.result.error.detail is UNSET else self.result.error.detail


def describe(command: do.Command) -> str:
    match command:
        case do.Emit(payload=ActionProgressPayload(stage="resolving_target")):
            return ""  # it comes with the target, so with the next move; test_duties tests it
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
        metadata=members.pop("metadata", {"record": record} if record else UNSET),
        **members,
    )


def request(action: str = "ui.activate", name: str | None = "Save", **members: Any) -> ActionRequestPayload:
    target = UNSET if name is None else ActionTarget(ref=SemanticRef(role="button", name=name))
    return ActionRequestPayload(action_id=action, **{"target": target, **members})


def action(requested: ActionRequestPayload | None = None, **terms: Any) -> ActionMachine:
    given = {"abilities": ABILITIES, "rules": "trusted", "principal": PERSON, **terms}
    return ActionMachine(ActionTerms(handle="act_1", request=requested or request(), **given))


def press(name: str = "Save", **members: Any) -> ActionMachine:
    return action(request(name=name, **members))


# -- events -------------------------------------------------------------------------------------------------


def started(at: Instant) -> when.Event:
    return when.Started(at=at)


def woke(at: Instant) -> when.Event:
    return when.Woke(at=at)


def lane_taken(at: Instant) -> when.Event:
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


def found(*elements: ElementNode, level: float = 1.0, opaque: str | None = None) -> EventFactory:
    def record(element: ElementNode) -> str | None:
        return element.metadata["record"] if element.metadata is not UNSET else None

    candidates = tuple(Candidate(e, "semantic", level, False, record(e), opaque) for e in elements)
    return lambda at: when.Found(at=at, candidates=Candidates(candidates, None if elements else opaque))


def probed(**facts: Any) -> EventFactory:
    facts = {"attached": True, "role": "button", "name": "Save", **facts}
    return lambda at: when.Probed(at=at, facts=ProbeFacts(**facts))


def watching(*verdicts: Verdict) -> EventFactory:
    return lambda at: when.WatchOpened(at=at, verdicts=verdicts)


def not_recorded(reason: str = "the disk is full") -> EventFactory:
    return lambda at: when.IntentNotRecorded(at=at, reason=reason)


def refused(reason: str, detail: str = "") -> EventFactory:
    return lambda at: when.Refused(at=at, reason=reason, detail=detail)


def dispatched(interrupted_by: Any = None, dialog: str | None = None) -> EventFactory:
    return lambda at: when.Dispatched(at=at, seq=1, interrupted_by=interrupted_by, dialog=dialog)


def lost(cause: str = "timeout") -> EventFactory:
    return lambda at: when.OutcomeLost(at=at, cause=cause)


def answered(accepted: bool) -> EventFactory:
    return lambda at: when.DialogAnswered(at=at, accepted=accepted)


def read(**value: Any) -> EventFactory:
    return lambda at: when.ElementRead(at=at, value=value)


def observed(
    change: str | None = None, *verdicts: Verdict, attribution: Any = "caused", **members: Any
) -> EventFactory:
    extra = {
        name: members.pop(name)
        for name in (
            "busy",
            "complaint",
            "latest",
            "work",
            "work_changed_at",
            "work_ended_at",
            "contradiction",
            "beside_field",
            "content",
            "invalid_fields",
            "may_have_written",
            "limiting",
        )
        if name in members
    }
    report = EffectReport(
        verdicts,
        change,
        attribution if change else None,
        members.pop("revision", "rev_2"),
        members.pop("advanced", True),
        **extra,
    )
    return lambda at: when.Observed(at=at, report=report, **members)


# -- paths to each state ------------------------------------------------------------------------------------


def until_checked(play: Playbook, element: ElementNode | None = None) -> Playbook:
    return play >> started >> found(element or button())


def until_acting(play: Playbook, element: ElementNode | None = None, *verdicts: Verdict) -> Playbook:
    """Take the lane, the baseline and the intent record; the action has then emitted `Perform`."""
    node = element or button()
    name = node.name if isinstance(node.name, str) else None
    until_checked(play, node) >> probed(role=node.role, name=name) >> lane_taken >> watching(*verdicts)
    return play >> recorded if not any(isinstance(c, do.Perform) for c in play.commands) else play


def until_verifying(play: Playbook, element: ElementNode | None = None, *verdicts: Verdict) -> Playbook:
    return until_acting(play, element, *verdicts) >> dispatched()
