"""A recording as a workflow definition: inputs and actions in, one definition out. Pure.

The host observes a page and describes each input: the element with its binding, the value, and the effects until the
next input. `recorded_inputs` makes actions of them. This module decides which values are parameters, and which effects
prove a step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from uiap.graph.scope_names import slug
from uiap.signals.error_words import reports_failure
from uiap.spec.action import VerificationSpec
from uiap.spec.capability import (
    CustomRef,
    DialogClosed,
    DialogOpened,
    ElementAppeared,
    RouteChanged,
    ScopeRef,
    SemanticRef,
    StableIdRef,
    StatusContains,
    SuccessSignal,
    TargetRef,
    ToastContains,
)
from uiap.spec.web import ElementNode
from uiap.spec.workflow import (
    ActionStep,
    CollectStep,
    CompleteStep,
    WorkflowDefinition,
    WorkflowParameter,
    WorkflowStep,
)
from uiap.workflow.recorded_data import lasting_binding, lasting_route, parameter_in
from uiap.workflow.recorded_inputs import (
    TEXT_ROLES,
    ObservedMessage,
    Recorded,
    RecordedAction,
    RecordedEffects,
    RecordedTarget,
    actions_of,
)
from uiap.workflow.values import EXPECTED_MESSAGES, WORDS

ELEMENTS = "elements"
"""The member of a definition's `metadata` with the bindings of its targets."""
START_URL = "startUrl"
"""The member of a definition's `metadata` with the address where it begins."""
MIN_SHARED = 3
"""Values that are shorter do not show that two fields mean the same."""
MIN_MESSAGE, MAX_MESSAGE = 3, 80
MAX_SIGNALS, MAX_WARNINGS = 3, 1
_TELLING = ("link", "listitem", "row", "cell", "label")
"""Roles of elements that show a record, the most telling first."""
_UNFINISHED = ("…", "...")
_TRIMMED = " \t\n×✕✖·|"
"""Characters around a message that belong to its buttons."""
_NUMBERS = re.compile(r"\d[\d.,:]*")


class RecordingTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The name of the workflow, the address where it begins, and the element that the person picked as proof."""

    id: str
    title: str
    url: str
    picked: ElementNode | None = None


# -- parameters -------------------------------------------------------------------------------------------------

# an entered value proves itself, and what the page shows while a person types is often another input's effect
_VALUE_ARGS = {"ui.enterText": "text", "ui.setValue": "value", "ui.choose": "label", "ui.upload": "files"}


class _Parameters:
    """The parameters of a recording. A value that was entered twice is one parameter."""

    def __init__(self) -> None:
        self.found: dict[str, WorkflowParameter] = {}
        self.values: dict[str, str] = {}
        """The name of the parameter for each text that was entered."""
        self._chosen: dict[str, str] = {}
        """The name of the parameter for each choice. A message may repeat it."""

    def add(self, label: str, action_id: str, value: Any) -> str:
        """Return the name of the parameter for a value."""
        shared = isinstance(value, str) and len(value) >= MIN_SHARED and action_id == "ui.enterText"
        if shared and value in self.values:
            return self.values[value]
        name = self._free(slug(label, 32).replace("-", "_") or "value")
        self.found[name] = _parameter(name, label, action_id, value)
        if shared:
            self.values[value] = name
        elif isinstance(value, str) and len(value) >= MIN_SHARED:
            self._chosen.setdefault(value, name)
        return name

    def _free(self, name: str) -> str:
        wanted = name if not name[0].isdigit() else f"value_{name}"
        taken = (f"{wanted}_{n}" for n in range(2, len(self.found) + 3))
        return wanted if wanted not in self.found else next(one for one in taken if one not in self.found)

    @property
    def texts(self) -> dict[str, str]:
        """The name of the parameter for each text that was entered or chosen."""
        return {**self._chosen, **self.values}

    def insert(self, text: str) -> str:
        return with_parameters(text, self.texts)


def with_parameters(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the entered values replaced by their parameters, the longest first. A part of a word stays."""
    longest_first = sorted(values, key=len, reverse=True)
    if not longest_first:
        return text
    pattern = "|".join(re.escape(value) for value in longest_first)
    return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda found: f"{{{{{values[found[0]]}}}}}", text)


def _parameter(name: str, label: str, action_id: str, value: Any) -> WorkflowParameter:
    title = label or UNSET
    if action_id == "ui.upload":
        return WorkflowParameter(
            name=name, type="array", required=True, title=title, description="Paths of the files."
        )
    if action_id == "ui.choose":  # the choice is optional, because the same one is mostly meant again
        return WorkflowParameter(name=name, type="string", title=title, default=value)
    kind: Literal["number", "string"] = "string" if isinstance(value, str) else "number"
    return WorkflowParameter(name=name, type=kind, required=True, title=title)


# -- the definition ---------------------------------------------------------------------------------------------


def definition_of(recorded: Sequence[Recorded], terms: RecordingTerms) -> WorkflowDefinition:
    """Return the definition that repeats the recording with other data."""
    actions = actions_of(recorded)
    parameters = _Parameters()
    drafts = [_draft(one, parameters) for one in actions]
    steps: list[WorkflowStep] = []
    taken = {"inputs", "done"}
    for action, args in zip(actions, drafts, strict=True):
        proved_alone = action is not actions[-1] and action.action_id in _VALUE_ARGS
        signals = () if proved_alone else _proof(action.effects, parameters)
        steps.append(_step(action, args, parameters, taken, signals))
    if parameters.found:
        steps.insert(0, CollectStep(id="inputs", parameter_names=tuple(parameters.found)))
    steps.append(CompleteStep(id="done"))
    return WorkflowDefinition(
        id=terms.id,
        version="1.0.0",
        title=terms.title,
        category="task",
        start_mode="manual",
        interaction_modes=("auto", "assist", "guide"),
        parameters=tuple(parameters.found.values()) or UNSET,
        success=_success(steps, terms, parameters) or UNSET,
        initial_step_id=steps[0].id,
        steps=tuple(steps),
        metadata={START_URL: terms.url, ELEMENTS: _bindings(actions, steps, parameters)},
    )


def _draft(action: RecordedAction, parameters: _Parameters) -> dict[str, Any]:
    """Return the arguments of a step, with parameters in place of the values that were entered."""
    member = _VALUE_ARGS.get(action.action_id)
    if action.action_id == "ui.choose" and "multiple" in action.args and action.target is not None:
        return {**action.args, "multiple": _several(action, action.target, parameters)}
    if member is None or member not in action.args or action.target is None:
        return dict(action.args)
    label, value = _label(action.target), action.args[member]
    if isinstance(value, dict):  # a secret by its name
        return dict(action.args)
    if action.private:
        return {**action.args, member: {"secret": slug(label, 32).replace("-", "_") or "password"}}
    return {**action.args, member: {"$param": parameters.add(label, action.action_id, value)}}


def _several(action: RecordedAction, target: RecordedTarget, parameters: _Parameters) -> list[Any]:
    """Return a parameter for each option that an agent chose."""
    label = _label(target)
    return [{"$param": parameters.add(label, action.action_id, one)} for one in action.args["multiple"]]


def _label(target: RecordedTarget) -> str:
    element = target.element
    for text in (
        target.label,
        element.name,
        element.state.placeholder,
        (element.metadata or {}).get("htmlName"),
    ):
        if isinstance(text, str) and text.strip():
            return text.strip()
    return ""


def _step(
    action: RecordedAction,
    args: dict[str, Any],
    parameters: _Parameters,
    taken: set[str],
    signals: tuple[SuccessSignal, ...],
) -> ActionStep:
    return ActionStep(
        id=_step_id(action, taken),
        action_id=action.action_id,
        target=UNSET if action.target is None else target_of(action.target, parameters.values),
        args=args or UNSET,
        verification=VerificationSpec(policy="all", signals=signals) if signals else UNSET,
        metadata=_metadata(action, parameters) or UNSET,
    )


def _metadata(action: RecordedAction, parameters: _Parameters) -> dict[str, Any]:
    found: dict[str, Any] = {"repeatable": True} if _is_repeatable(action) else {}
    warnings = _warnings(action.effects.messages, parameters)
    return {**found, EXPECTED_MESSAGES: warnings} if warnings else found


def _step_id(action: RecordedAction, taken: set[str]) -> str:
    label = "" if action.target is None else _label(action.target)
    wanted = slug(label, 32) or action.action_id.rpartition(".")[2].lower()
    choices = (wanted, *(f"{wanted}-{n}" for n in range(2, len(taken) + 3)))
    id = next(one for one in choices if one not in taken)
    taken.add(id)
    return id


def target_of(target: RecordedTarget, values: Mapping[str, str]) -> TargetRef:
    """Return the reference of a target: by its binding, or by words if it belongs to data.

    The next run has other data. So an entered value in a name becomes a parameter, and a control of a record is named
    together with the text of that record. A control that its own attribute identifies keeps its binding.
    """
    element = target.element
    name = element.name if isinstance(element.name, str) else ""
    shown = with_parameters(name, values)
    record = with_parameters(target.record, values)
    is_data = not target.identified or lasting_binding(target.binding, values) != target.binding
    if target.record and (is_data or (shown, record) != (name, target.record)):
        words = {
            "text": shown,
            "role": element.role,
            "near": record,
        }
        return CustomRef(value=WORDS + msgspec.json.encode(words).decode())
    if shown != name:
        return SemanticRef(role=element.role, name=shown)
    return StableIdRef(value=target.binding.id)


def _is_repeatable(action: RecordedAction) -> bool:
    """Return whether a press only opens something, so that it may be done again on a new page."""
    if action.action_id != "ui.activate" or action.effects.wrote or action.target is None:
        return False
    signals, role = action.effects.signals, action.target.element.role
    opens = any(isinstance(one, DialogOpened) for one in signals)
    leads = role == "link" and any(isinstance(one, RouteChanged) for one in signals)
    return opens or leads


# -- proof ------------------------------------------------------------------------------------------------------


def _proof(effects: RecordedEffects, parameters: _Parameters) -> tuple[SuccessSignal, ...]:
    """Return the effects that prove a step again with other data, the most telling first."""
    named = _appeared(effects.appeared, parameters)
    spoken = _messages(effects.messages, parameters)
    found = [*_lasting(effects, parameters), *named, *spoken]
    return tuple(dict.fromkeys(found))[:MAX_SIGNALS]


def _lasting(effects: RecordedEffects, parameters: _Parameters) -> list[SuccessSignal]:
    """Return the signals that do not depend on the data of this recording. New parts count if nothing else does."""
    kinds: list[SuccessSignal] = []
    for one in effects.signals:
        if isinstance(one, RouteChanged):
            kinds.append(_lasting_route(one, effects, parameters))
        elif isinstance(one, DialogOpened | DialogClosed):
            kinds.append(msgspec.structs.replace(one, target=UNSET) if _has_data(one, parameters) else one)
    parts = (one for one in effects.signals if isinstance(one, ElementAppeared))
    return kinds or list(islice((one for one in parts if not _has_data(one, parameters)), 1))


def _lasting_route(one: RouteChanged, effects: RecordedEffects, parameters: _Parameters) -> RouteChanged:
    if not isinstance(one.pattern, str) or not effects.path:
        return one
    found = lasting_route(
        one.pattern, effects.path_before, effects.path, parameters.texts, wrote=effects.wrote
    )
    return RouteChanged(pattern=found)


def _has_data(one: DialogOpened | DialogClosed | ElementAppeared, parameters: _Parameters) -> bool:
    """Return whether a signal names a part of the page after an entered value."""
    named = one.target.value if isinstance(one.target, ScopeRef | StableIdRef) else ""
    return bool(parameter_in(named, parameters.texts))


def _appeared(found: Iterable[tuple[str, str]], parameters: _Parameters) -> list[SuccessSignal]:
    """Return that an element appeared whose name is a value that was entered."""
    fitting = [one for one in found if one[1] in parameters.values and one[0] not in TEXT_ROLES]
    if not fitting:
        return []
    role, name = min(fitting, key=lambda one: _TELLING.index(one[0]) if one[0] in _TELLING else len(_TELLING))
    reference = SemanticRef(role=role, name=f"{{{{{parameters.values[name]}}}}}")  # type: ignore[arg-type]
    return [ElementAppeared(target=reference)]


def _messages(found: Sequence[ObservedMessage], parameters: _Parameters) -> list[SuccessSignal]:
    """Return the last message, which tells the outcome; earlier ones often tell that the work began."""
    outcomes = [one for one in found if not reports_failure(one.text)] or found
    texts = [(one.kind, stable_message(one.text, parameters.insert)) for one in outcomes]
    done = [(kind, text) for kind, text in texts if text and not text.endswith(_UNFINISHED)]
    toasts = [text for kind, text in done if kind == "toast"]
    if toasts:
        return [ToastContains(text=toasts[-1])]
    return [StatusContains(text=done[-1][1])] if done else []


def _warnings(found: Sequence[ObservedMessage], parameters: _Parameters) -> list[str]:
    """Return the messages of failure that came with one of success, so that a run does not fail because of them."""
    failing = [one.text for one in found if one.kind == "toast" and reports_failure(one.text)]
    if not failing or all(reports_failure(one.text) for one in found):
        return []
    texts = (stable_message(text, parameters.insert) for text in dict.fromkeys(failing))
    return [text for text in texts if text][:MAX_WARNINGS]


def stable_message(text: str, insert: Callable[[str], str]) -> str:
    """Return the longest part of a message without a number. Entered values become parameters."""
    longest = max((part.strip(_TRIMMED) for part in _NUMBERS.split(insert(text))), key=len)
    return longest[:MAX_MESSAGE] if len(longest) >= MIN_MESSAGE else ""


def _success(
    steps: Sequence[WorkflowStep], terms: RecordingTerms, parameters: _Parameters
) -> tuple[SuccessSignal, ...]:
    """Return the proof of the whole: the element that the person picked, else the proof of the last step with one."""
    if terms.picked is not None:
        name = terms.picked.name or terms.picked.text or UNSET
        shown = UNSET if name is UNSET else parameters.insert(name)
        return (ElementAppeared(target=SemanticRef(role=terms.picked.role, name=shown)),)
    proofs = (one.verification for one in reversed(steps) if isinstance(one, ActionStep))
    return next((tuple(one.signals or ()) for one in proofs if one is not UNSET), ())


def _bindings(
    actions: Sequence[RecordedAction], steps: Sequence[WorkflowStep], parameters: _Parameters
) -> list[Any]:
    """Return the bindings of the targets, each once."""
    used = {
        step.target.value
        for step in steps
        if isinstance(step, ActionStep) and isinstance(step.target, StableIdRef)
    }
    found = {one.target.binding.id: one.target.binding for one in actions if one.target is not None}
    lasting = (lasting_binding(one, parameters.values) for id, one in found.items() if id in used)
    return [msgspec.to_builtins(one) for one in lasting]
