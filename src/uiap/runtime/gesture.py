"""The risk of planned gestures: their effect on the element they reach, and the labels that they press.

Policy judges the gestures, not the name of the action. Two actions with one gesture get one judgement.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from uiap.actions.ops import (
    Adjust,
    AnyOp,
    Check,
    Click,
    Dismiss,
    Drag,
    Invoke,
    LongPress,
    Pinch,
    Press,
    Select,
    SetFiles,
    SetText,
    Submit,
    TypeText,
)
from uiap.actions.primitive import Primitive
from uiap.policy.control import (
    is_entry,
    is_multiline,
    is_text_entry,
    label_of,
    names_topic,
    option_effect,
    press_effect,
    writes_at_once,
)
from uiap.policy.lexicon import meaning_of
from uiap.policy.routine import (
    changes_view,
    has_ordinary_words,
    is_routine_enter,
    is_routine_press,
    is_routine_submit,
    orders_nothing,
    reads_by_form,
)
from uiap.runtime.surroundings import Surroundings
from uiap.spec.policy import POLICY_EFFECTS, SIDE_EFFECT_RULES, SideEffectClass
from uiap.spec.web import ElementNode

_CARET_KEYS = frozenset(
    {"Home", "End", "PageUp", "PageDown"} | {f"Arrow{way}" for way in ("Up", "Down", "Left", "Right")}
)
_LEAVING_KEYS = frozenset({"Tab", "Escape"})


class GestureRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of gestures on the page, and the labels of all that they press."""

    effect: SideEffectClass = "none"
    presses: bool = False
    """A gesture presses its target, so the label of the target names the effect."""
    labels: tuple[str, ...] = ()
    """Labels of other elements that are pressed: the submit button, the option."""
    routine: bool = False
    """Every gesture that may write is a routine step (`policy.routine`)."""


def gesture_risk(
    primitive: Primitive, element: ElementNode | None, args: Mapping[str, Any], around: Surroundings
) -> GestureRisk:
    """Return the risk of an action's gestures: the strictest effect of them counts."""
    plan = _plan(primitive, element, args)
    if not plan:
        return GestureRisk(effect=primitive.effect(element, args))
    risks = [_risk(op, element, around, primitive, args) for op in plan]
    return GestureRisk(
        effect=strictest_effect(*(risk.effect for risk in risks)),
        presses=any(risk.presses for risk in risks),
        labels=tuple(label for risk in risks for label in risk.labels),
        routine=all(risk.routine or risk.effect not in ("data_write", "unknown") for risk in risks),
    )


def strictest_effect(*effects: SideEffectClass) -> SideEffectClass:
    """Return the effect with the strictest default decision; of those the most severe."""
    return max(effects, key=_strictness)


def _strictness(effect: SideEffectClass) -> tuple[int, int]:
    rule = SIDE_EFFECT_RULES[effect]
    return POLICY_EFFECTS.index(rule.effect), rule.severity


_MOVED_IN_PLACE = frozenset({"separator", "scrollbar", "canvas", "image", "figure", "region", "slider"})
"""Roles that a drag by pixels changes or scrolls in their own place."""


def _plan(primitive: Primitive, element: ElementNode | None, args: Mapping[str, Any]) -> tuple[AnyOp, ...]:
    """Return the gestures, or a press if the arguments are not complete, as in a question in advance."""
    try:
        return primitive.plan(primitive.modes[0], None, element, args)
    except (KeyError, TypeError, AttributeError):
        return (Click(),) if "edit" not in primitive.affordances else (SetText(text=""),)


def _risk(
    op: AnyOp,
    element: ElementNode | None,
    around: Surroundings,
    primitive: Primitive,
    args: Mapping[str, Any],
) -> GestureRisk:
    match op:
        case Invoke():
            return GestureRisk(effect=primitive.effect(element, args), presses=True)
        case Press():
            return _key_risk(op, element, around)
        case _ if element is None:
            return GestureRisk(effect=primitive.effect(element, args))
        case Click(button="left", count=1):
            return _press_risk(element, around)
        case Click() | LongPress():
            routine = is_routine_press(element, around.place)
            return GestureRisk(effect="unknown", presses=True, routine=routine)
        case Pinch():
            return GestureRisk(effect="unknown", presses=True, routine=has_ordinary_words(_text(element)))
        case Drag():
            return _drag_risk(op, element, around)
        case Submit():
            return _submit_risk(element, around)
        case Select() if writes_at_once(element):
            return GestureRisk(effect="unknown", presses=True, labels=option_labels(op, around.options))
        case Select():
            return _select_risk(op, element, around)
        case SetFiles():
            return GestureRisk(effect="external_effect", presses=True)
        case SetText() | TypeText() | Adjust() | Check():
            return GestureRisk(effect="draft") if is_entry(element) else _press_risk(element, around)
        case Dismiss():
            return GestureRisk(effect="ui_state")
    return GestureRisk()


def _press_risk(element: ElementNode, around: Surroundings) -> GestureRisk:
    """Return the risk of a press. The label of a field names its value, that of a text its topic, not an effect."""
    effect = press_effect(element, around.place)
    if effect == "unknown" and reads_by_form(element, around.place):
        effect = "navigation"
    no_order = names_topic(element, effect) or changes_view(element, around.place)
    return GestureRisk(
        effect=effect,
        presses=not is_entry(element) and not no_order,
        routine=is_routine_press(element, around.place),
    )


def _drag_risk(op: Drag, element: ElementNode, around: Surroundings) -> GestureRisk:
    """Return the risk of a drag: the element that it ends on counts as much as the one that is moved.

    A drag by pixels ends on an unknown element. It is routine only for controls that stay in their place.
    """
    drop = around.drop_label
    stays = is_entry(element) or element.role in _MOVED_IN_PLACE
    ordinary = has_ordinary_words(_text(element)) and has_ordinary_words(drop or "-")
    routine = ordinary and (op.to is not None or stays)
    return GestureRisk(effect="unknown", presses=True, labels=_nonempty(drop), routine=routine)


def _submit_risk(element: ElementNode, around: Surroundings) -> GestureRisk:
    pressed = _press_risk(element, around)
    label = around.submit_label or label_of(element)
    reads = around.reading_form and is_routine_submit(label, around.place) and not meaning_of(label).asks
    return GestureRisk(
        effect=strictest_effect("navigation" if reads else "data_write", pressed.effect),
        presses=True,
        labels=_nonempty(around.submit_label),
        routine=is_routine_submit(label, around.place),
    )


def _text(element: ElementNode) -> str:
    return label_of(element) or "-"


def _select_risk(op: Select, element: ElementNode, around: Surroundings) -> GestureRisk:
    """Return the risk of choosing: the press that opens the list, and the press on the option."""
    opened = _press_risk(element, around) if not is_entry(element) else GestureRisk()
    container = opened if op.opens else GestureRisk()
    pressed = option_effect(element, around.place)
    effect = strictest_effect(container.effect, pressed, "draft")
    labels = option_labels(op, around.options)
    if any(meaning_of(label).asks for label in labels):
        effect = strictest_effect(effect, "data_write")
    safe = container.routine or container.effect not in ("data_write", "unknown")
    listed = (around.in_form and pressed == "draft") or all(has_ordinary_words(label) for label in labels)
    return GestureRisk(
        effect=effect, presses=container.presses, labels=labels, routine=bool(safe and listed and labels)
    )


def option_labels(op: Select, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels of the options that may be chosen. A value may stand for any option that orders something."""
    labels: list[str] = []
    for value in op.values:
        if op.by == "index" and value.isdecimal() and int(value) < len(known):
            labels.append(known[int(value)])
        elif op.by in ("value", "index"):
            labels += [one for one in known if meaning_of(one).orders or meaning_of(one).asks]
        labels += [value] if op.by != "index" else []
    return tuple(labels)


def _key_risk(op: Press, element: ElementNode | None, around: Surroundings) -> GestureRisk:
    """Return the risk of a key on the element that has the focus."""
    plain = set(op.modifiers) <= {"Shift"}
    if plain and op.key in _LEAVING_KEYS:
        return GestureRisk(effect="ui_state")
    if element is None:
        return GestureRisk(effect="ui_state" if plain and op.key in _CARET_KEYS else "unknown", presses=True)
    if not plain:
        return GestureRisk(effect="unknown", presses=True)
    if op.key in _CARET_KEYS:
        holds_value = is_entry(element) or element.role in ("radio", "option")
        return GestureRisk(effect="draft" if holds_value else "ui_state")
    if op.key in ("Enter", "Return"):
        return _enter_risk(element, around)
    if is_text_entry(element) and (len(op.key) == 1 or op.key in ("Backspace", "Delete")):
        return GestureRisk(effect="draft")
    if op.key == " " or op.key == "Space":
        return _press_risk(element, around)
    return GestureRisk(effect="unknown", presses=True)


def _enter_risk(element: ElementNode, around: Surroundings) -> GestureRisk:
    if is_text_entry(element) and is_multiline(element):  # a line break, or the key that sends a message
        return GestureRisk(effect="unknown")
    if not is_entry(element):
        return _press_risk(element, around)
    if around.in_form:  # Enter in a field submits its form
        routine = is_routine_submit(around.submit_label, around.place) and orders_nothing(label_of(element))
        reads = routine and around.reading_form and not meaning_of(around.submit_label).asks
        effect: SideEffectClass = "navigation" if reads else "data_write"
        return GestureRisk(effect=effect, labels=_nonempty(around.submit_label), routine=routine)
    return GestureRisk(effect="unknown", routine=is_routine_enter(element))


def _nonempty(label: str) -> tuple[str, ...]:
    return (label,) if label else ()
