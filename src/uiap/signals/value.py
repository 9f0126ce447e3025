"""value.equals: the value of a control, compared as text, number or truth value, as the signal asks."""

from __future__ import annotations

from uiap.graph.store import GraphStore
from uiap.signals.element import TargetReading, judge_end_state
from uiap.signals.log import SignalLog
from uiap.signals.lookup import single_target
from uiap.signals.verdict import Verdict
from uiap.spec.capability import ValueEquals
from uiap.spec.web import ElementNode


def read(signal: ValueEquals, store: GraphStore) -> TargetReading:
    element = single_target(store, signal.target)
    return None if element is None else (element.instance_id, holds(element, signal.value))


def holds(element: ElementNode, wanted: str | int | float | bool) -> bool:
    """Return whether a control has the wanted value."""
    state = element.state
    if isinstance(wanted, bool):
        held = [v for v in (state.checked, state.pressed, state.selected) if isinstance(v, bool)]
        return bool(held) and held[0] is wanted
    if isinstance(wanted, str):
        return isinstance(state.text_value, str) and _lines(state.text_value) == _lines(wanted)
    if isinstance(state.numeric_value, int | float):
        return state.numeric_value == wanted
    return _number(state.text_value) == wanted


def _lines(text: str) -> str:
    """Return the text with `\\n` as its only line end, because text areas convert line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _number(text: object) -> float | None:
    try:
        return float(text) if isinstance(text, str) else None
    except ValueError:
        return None


def judge(_signal: ValueEquals, before: TargetReading, now: TargetReading, log: SignalLog) -> Verdict:
    return judge_end_state(before, now, log)
