"""What a gesture does to a widget: whether it can be made at all, the widget's own reaction, and what it reads back.

It knows the application of `app.py`; events and revisions are the driver's matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from uiap.actions.ops import (
    Adjust,
    AnyOp,
    Check,
    Dismiss,
    Drag,
    Focus,
    Guard,
    Holds,
    Hover,
    Scroll,
    Secret,
    Select,
    SetText,
    TypeText,
)
from uiap.drivers.driver import PerformRefused
from uiap.drivers.scripted.app import App, Widget


class ScriptedGestures:
    """Makes gestures; `secrets` are what may be written by name alone."""

    def __init__(self, secrets: Callable[[str], str] | None) -> None:
        self._secrets = secrets

    def refusal(self, app: App, op: AnyOp) -> PerformRefused | None:
        """Why it cannot be made on this widget, if it cannot."""
        if op.guard is None:
            return PerformRefused("invalid", f"`{op.kind}` needs a target") if op.needs_target else None
        return _mismatch(app.find(op.guard.node), op.guard) or self._senseless(app, op)

    def _senseless(self, app: App, op: AnyOp) -> PerformRefused | None:
        widget = app.find(op.guard.node) if op.guard is not None else None
        if isinstance(op, Select) and widget is not None and not set(op.values) <= set(widget.options):
            return PerformRefused("invalid", "no_such_option")
        if isinstance(op, Drag) and op.to is not None and app.find(op.to.node) is None:
            return PerformRefused("gone", f"`{op.to.node}` has left the page")
        if isinstance(op, Holds) and widget is not None:
            held = widget.state.get("textValue", "") == self._text(op.text)
            return None if held else PerformRefused("invalid", "differs")
        text = op.text if isinstance(op, SetText | TypeText) else ""
        if isinstance(text, Secret) and self._secrets is None:
            return PerformRefused("invalid", f"no secret `{text.name}` is known here")
        return None

    def react(self, app: App, op: AnyOp) -> None:
        """The widget's own reaction, then the script's."""
        widget = app.find(op.guard.node) if op.guard is not None else app.widgets.get(app.focus or "")
        if widget is None:
            return
        match op:
            case SetText():
                app.set(widget.key, textValue=self._text(op.text))
            case TypeText():
                app.set(widget.key, textValue=widget.state.get("textValue", "") + self._text(op.text))
            case Check():
                app.set(widget.key, checked=op.checked)
            case Select():
                app.set(widget.key, textValue=", ".join(op.values))
            case Adjust(value=str(text)):
                app.set(widget.key, textValue=text)
            case Adjust(value=number):
                app.set(widget.key, numericValue=_on_grid(widget, float(number)))
            case Dismiss():
                app.remove(widget.key)
                return
            case Hover():
                app.hovered = widget.key
            case Focus():
                pass
        if op.kind in ("click", "focus", "setText", "typeText", "check", "select", "press"):
            app.focus = widget.key
        if handler := widget.on.get(op.kind):
            handler(app)

    def _text(self, text: str | Secret) -> str:
        if isinstance(text, Secret):
            assert self._secrets is not None
            return self._secrets(text.name)
        return text


def _mismatch(widget: Widget | None, guard: Guard) -> PerformRefused | None:
    """The guard's terms, one by one."""
    if widget is None:
        return PerformRefused("gone", f"`{guard.node}` has left the page")
    if guard.role is not None and widget.role != guard.role:
        return PerformRefused("changed", "role_changed")
    if guard.name is not None and (widget.name or "") != guard.name:
        return PerformRefused("changed", "name_changed")
    if guard.record is not None and (widget.record or "") != guard.record:
        return PerformRefused("changed", "record_changed")
    if not widget.state.get("visible", True):
        return PerformRefused("hidden", "hidden")
    if guard.enabled and not widget.state.get("enabled", True):
        return PerformRefused("disabled", "disabled")
    return PerformRefused("obscured", "other_target") if widget.state.get("obscured") else None


def _on_grid(widget: Widget, wanted: float) -> float:
    """The nearest value it can hold."""
    low, step = widget.state.get("min", 0), widget.state.get("step", 1)
    held = low + round((wanted - low) / step) * step
    return float(min(max(held, low), widget.state.get("max", held)))


def read_back(app: App, op: AnyOp) -> dict[str, Any]:
    """What a gesture that reads back its work says of it."""
    widget = app.find(op.guard.node) if op.guard is not None else None
    match op:
        case Adjust() if widget is not None:
            held = widget.state.get("textValue" if isinstance(op.value, str) else "numericValue")
            near = held == op.value or (
                not isinstance(op.value, str) and held is not None and abs(held - op.value) <= op.tolerance
            )
            return {"held": near, "value": held, "attempts": 1, "mode": "native", "within_tolerance": near}
        case Select() if widget is not None:
            return {"native": True, "label": widget.state.get("textValue", "")}
        case Scroll():
            return {"held": True}
    return {}
