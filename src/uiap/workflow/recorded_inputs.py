"""The recorded inputs of a person, and the actions that they mean. Pure.

A person presses, types and moves. Several inputs may be one action, such as opening a list, searching in it and
pressing an option.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from uiap.spec.authoring import ElementBinding
from uiap.spec.capability import SuccessSignal
from uiap.spec.web import ElementNode

TEXT_ROLES = frozenset({"textbox", "textarea", "searchbox"})
_SET_ROLES = frozenset({"slider", "spinbutton", "datepicker", "timepicker"})
_TOGGLES = frozenset({"checkbox", "switch"})
_STEERING_KEYS = re.compile(r"(Arrow|Page|Home|End)")

InputKind = Literal["press", "double", "secondary", "value", "key", "choice"]


class ObservedMessage(msgspec.Struct, frozen=True):
    """A message that the page showed."""

    kind: Literal["toast", "status"]
    text: str


class RecordedTarget(msgspec.Struct, frozen=True, kw_only=True):
    """The element of an input, as the person saw it."""

    element: ElementNode
    binding: ElementBinding
    record: str = ""
    """The text of the record that the element belongs to, such as the title in its row."""
    label: str = ""
    """Words that name the element for a person, if its own name does not: the text before it."""
    identified: bool = False
    """An attribute of its own tells the element from all others, such as the name of a field in a table of fields."""


class RecordedChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A list that shows another value after an input, and this value."""

    target: RecordedTarget
    label: str


class RecordedEffects(msgspec.Struct, frozen=True, kw_only=True):
    """The effects of an input, until the next one."""

    signals: tuple[SuccessSignal, ...] = ()
    messages: tuple[ObservedMessage, ...] = ()
    appeared: tuple[tuple[str, str], ...] = ()
    """Role and name of the elements that were not there before."""
    wrote: bool = False
    """A request that can change data was sent."""
    choice: RecordedChoice | None = None
    opened_list: str = ""
    """The list that is open then, by its instance id."""
    path_before: str = ""
    """The path of the page before the input."""
    path: str = ""
    """The path of the page then."""


class RecordedInput(msgspec.Struct, frozen=True, kw_only=True):
    """One input of a person."""

    kind: InputKind
    target: RecordedTarget
    value: str | None = None
    """The value of the control after the input; None if it must not be recorded."""
    secret: bool = False
    key: str = ""
    by_key: bool = False
    open_list: str = ""
    """The list that was open, by its instance id. Inputs belong to it until it closes."""
    effects: RecordedEffects = RecordedEffects()


class RecordedAction(msgspec.Struct, frozen=True, kw_only=True):
    """One action of an agent that succeeded."""

    action_id: str
    target: RecordedTarget | None = None
    args: Mapping[str, Any] = {}
    private: bool = False
    """The field is private, so its value must not be recorded."""
    effects: RecordedEffects = RecordedEffects()


Recorded = RecordedInput | RecordedAction


def actions_of(recorded: Sequence[Recorded]) -> list[RecordedAction]:
    """Return the actions that the inputs mean, in order."""
    return [_action(one) for one in _meaningful(recorded)]


def _meaningful(recorded: Sequence[Recorded]) -> list[Recorded]:
    """Return the inputs without those that only prepare, or are part of, another one."""
    kept: list[Recorded] = []
    for one in recorded:
        if isinstance(one, RecordedInput):
            choice = choice_of(one)
            kept = _without_parts(kept, one) if choice is None else _without_list(kept, choice)
            one = choice or one
        kept.append(one)
    return [one for one in kept if not _only_focuses(one)]


def choice_of(one: RecordedInput) -> RecordedInput | None:
    """Return an input that chose an option of a drawn list as the choice that it made; None for others.

    The parts differ from list to list: a press of an option, or a search and Enter. The list shows the choice.
    """
    choice, pressed = one.effects.choice, one.target.element
    if choice is None or one.kind not in ("press", "key"):
        return None
    is_option = one.kind == "press" and pressed.role == "option"
    if not is_option and one.open_list != choice.target.element.instance_id:
        return None  # something else sets the list, such as a button "Use my address"
    label = pressed.name if is_option else choice.label
    if not isinstance(label, str) or not label:
        return None
    effects = RecordedEffects(wrote=one.effects.wrote)
    return RecordedInput(kind="choice", target=choice.target, value=label, effects=effects)


def _without_list(kept: list[Recorded], choice: RecordedInput) -> list[Recorded]:
    """Return the inputs before a choice, without those that opened its list, searched in it, or moved in it."""
    control = choice.target.element.instance_id
    while kept and isinstance(last := kept[-1], RecordedInput):
        if control not in (last.open_list, last.target.element.instance_id, last.effects.opened_list):
            break
        kept = kept[:-1]
    return kept


def _without_parts(kept: list[Recorded], one: RecordedInput) -> list[Recorded]:
    """Return the inputs before `one`, without its own parts: keys before a press, presses of a double press."""
    while kept and isinstance(last := kept[-1], RecordedInput) and _is_part(last, one):
        kept = kept[:-1]
        if one.kind == "double" and last.kind != "press":
            break
    return kept


def _is_part(last: RecordedInput, one: RecordedInput) -> bool:
    same = last.target.binding.id == one.target.binding.id and last.target.record == one.target.record
    if last.kind == "key":
        return (one.kind == "press" and one.by_key and last.key == "Enter") or (
            same and one.kind in ("value", "press") and _STEERING_KEYS.match(last.key) is not None
        )
    if (
        one.kind == "value"
    ):  # a press into a text field is part of entering a text, whatever the page did meanwhile
        presses = last.kind == "press" and (
            not last.effects.signals or last.target.element.role in TEXT_ROLES
        )
        return same and (last.kind == "value" or presses)
    return one.kind == "double" and same and last.kind == "press"


def _only_focuses(one: Recorded) -> bool:
    """Return whether an input is a press that only moves the focus into a field or opens a native list."""
    if not isinstance(one, RecordedInput) or one.kind != "press" or one.effects.signals:
        return False
    element = one.target.element
    opens = isinstance(element.state.has_popup, str) or element.state.expanded is not UNSET
    return element.role in (*TEXT_ROLES, *_SET_ROLES, "fileinput") or (
        element.role == "combobox" and not opens
    )


def _action(one: Recorded) -> RecordedAction:
    if isinstance(one, RecordedAction):
        return one
    action_id, args = _request_of(one)
    return RecordedAction(
        action_id=action_id, target=one.target, args=args, private=one.secret, effects=one.effects
    )


def _request_of(one: RecordedInput) -> tuple[str, dict[str, Any]]:
    element = one.target.element
    match one.kind:
        case "double":
            return "x.uiap.doubleActivate", {}
        case "secondary":
            return "x.uiap.secondaryActivate", {}
        case "key":
            return "x.uiap.press", {"key": one.key}
        case "choice":
            return "ui.choose", {"label": one.value or ""}
        case "value":
            return _entered(element, one.value or "")
    if element.role in _TOGGLES:
        return "ui.toggle", {"checked": element.state.checked is not True}
    if "activate" not in element.affordances and "choose" in element.affordances:
        return "ui.choose", {}
    return "ui.activate", {}


def _entered(element: ElementNode, value: str) -> tuple[str, dict[str, Any]]:
    if element.role == "fileinput":
        return "ui.upload", {"files": []}
    if element.role in ("slider", "spinbutton"):
        return "ui.setValue", {"value": _number(value)}
    if element.role in _SET_ROLES:
        return "ui.setValue", {"value": value}
    if element.role in ("combobox", "listbox") and "edit" not in element.affordances:
        return "ui.choose", {"label": value}
    return "ui.enterText", {"text": value}


def _number(text: str) -> float | int | str:
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value
