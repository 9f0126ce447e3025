"""The effects of gestures on widgets: refusals, the widget's own reaction, and the values that are read back.

It knows the application of `app.py`; the driver owns events and revisions.
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
    """Applies gestures to widgets; `secrets` returns the value of a secret by its name."""

    def __init__(self, secrets: Callable[[str], str] | None) -> None:
        self._secrets = secrets

    def refusal(self, app: App, op: AnyOp) -> PerformRefused | None:
        """Return why the gesture cannot be applied to this widget, or None."""
        if op.guard is None:
            return PerformRefused("invalid", f"`{op.kind}` needs a target") if op.needs_target else None
        return _guard_mismatch(app.find(op.guard.node), op.guard) or self._invalid_op(app, op)

    def _invalid_op(self, app: App, op: AnyOp) -> PerformRefused | None:
        widget = app.find(op.guard.node) if op.guard is not None else None
        if isinstance(op, Select) and widget is not None and not set(op.values) <= set(widget.options):
            return PerformRefused("invalid", "no_such_option")
        if isinstance(op, Drag) and op.to is not None and app.find(op.to.node) is None:
            return PerformRefused("gone", f"`{op.to.node}` is no longer on the page; observe again")
        if isinstance(op, Holds) and widget is not None:
            is_same = widget.state.get("textValue", "") == self._text(op.text)
            return None if is_same else PerformRefused("invalid", "differs")
        text = op.text if isinstance(op, SetText | TypeText) else ""
        if isinstance(text, Secret) and self._secrets is None:
            return PerformRefused("invalid", f"no secret `{text.name}` is known here")
        return None

    def react(self, app: App, op: AnyOp) -> None:
        """Apply the widget's own reaction, then call the handler of the script."""
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
                app.set(widget.key, numericValue=_nearest_value(widget, float(number)))
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


def _guard_mismatch(widget: Widget | None, guard: Guard) -> PerformRefused | None:
    """Return the first guard term that the widget does not match."""
    if widget is None:
        return PerformRefused("gone", f"`{guard.node}` is no longer on the page; observe again")
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


def _nearest_value(widget: Widget, wanted: float) -> float:
    """Return the nearest value that the widget accepts."""
    low, step = widget.state.get("min", 0), widget.state.get("step", 1)
    value = low + round((wanted - low) / step) * step
    return float(min(max(value, low), widget.state.get("max", value)))


def read_back(app: App, op: AnyOp) -> dict[str, Any]:
    """Return the details of a gesture that reads its result back."""
    widget = app.find(op.guard.node) if op.guard is not None else None
    match op:
        case Adjust() if widget is not None:
            value = widget.state.get("textValue" if isinstance(op.value, str) else "numericValue")
            near = value == op.value or (
                not isinstance(op.value, str) and value is not None and abs(value - op.value) <= op.tolerance
            )
            return {"held": near, "value": value, "attempts": 1, "mode": "native", "within_tolerance": near}
        case Select() if widget is not None:
            return {"native": True, "label": widget.state.get("textValue", "")}
        case Scroll():
            return {"held": True}
    return {}
