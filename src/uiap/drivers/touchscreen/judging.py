"""May this gesture go out, by what was just read? The guard's terms, one by one, and what a probe says. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from msgspec import UNSET

from uiap.actions.ops import AnyOp, Guard
from uiap.drivers.driver import ElementFacts, Refused
from uiap.drivers.touchscreen.drawing import Drawing, Shown
from uiap.spec.web import ElementNode

KEYBOARD = 0.55
"""Below this part of the screen a keyboard lies, where one is shown."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One reading, as it was told."""

    elements: Mapping[str, ElementNode]
    shown: Mapping[str, Shown]
    drawing: Drawing
    remembers: Callable[[str], bool]
    """Whether an element stood on one of the last screens."""
    modal: bool = False
    keyboard: bool = False

    def refusal(self, op: AnyOp) -> Refused | None:
        if op.guard is None:
            return Refused("invalid", f"`{op.kind}` needs a target") if op.needs_target else None
        return self._mismatch(op.guard) or self._under_keyboard(op.guard.node)

    def _mismatch(self, guard: Guard) -> Refused | None:
        element = self.elements.get(guard.node)
        if element is None:
            return self._missing(guard.node)
        if guard.role is not None and element.role != guard.role:
            return Refused("changed", "role_changed")
        if guard.name is not None and (element.name or "") != guard.name:
            return Refused("changed", "name_changed")
        if guard.record is not None and guard.record != _record(element):
            return Refused("changed", "record_changed")
        if element.state.visible is not True:
            return Refused("hidden", "hidden")
        if guard.enabled and element.state.enabled is not True:
            return Refused("disabled", "disabled")
        return None

    def _missing(self, node: str) -> Refused:
        if self.modal and self.remembers(node):  # a dump shows the window in front alone
            return Refused("obscured", "a dialog stands before the screen it was on")
        return Refused("gone", f"`{node}` is not on the screen any more; observe again")

    def _under_keyboard(self, node: str) -> Refused | None:
        shown = self.shown[node]
        if not self.keyboard or shown.node.has("focused"):
            return None
        if self.drawing.seen(shown.node).middle[1] < KEYBOARD * self.drawing.screen[1]:
            return None
        return Refused("obscured", "the keyboard lies over it; press `GoBack` to put it away")

    def facts_of(self, ref: str) -> ElementFacts:
        element = self.elements.get(ref)
        if element is None:
            return ElementFacts(node=ref, attached=False)
        state = element.state
        written = {"editable": state.editable, "readonly": state.readonly}
        return ElementFacts(
            node=ref,
            attached=True,
            visible=state.visible is True,
            enabled=state.enabled is True,
            in_viewport=state.in_viewport is True,
            role=element.role,
            name=element.name or None,
            record=_record(element),
            bbox=element.bbox or None,
            detail={"state": {word: value for word, value in written.items() if value is not UNSET}},
        )


def _record(element: ElementNode) -> str | None:
    found = element.metadata.get("record") if element.metadata is not UNSET else None
    return found if isinstance(found, str) else None
