"""May this gesture go out, by what was just read: the guard's terms, dialogs and the keyboard. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from uiap.actions.ops import AnyOp, Guard
from uiap.drivers.driver import ElementFacts, PerformRefused
from uiap.drivers.guard_terms import element_facts, guard_mismatch
from uiap.drivers.touchscreen.elements import ScreenElement, ScreenLayout
from uiap.spec.web import ElementNode

KEYBOARD_TOP = 0.55
"""Below this part of the screen a keyboard lies, where one is shown."""


@dataclass(frozen=True, slots=True)
class TouchDispatchCheck:
    """One reading, as it was told."""

    elements: Mapping[str, ElementNode]
    shown: Mapping[str, ScreenElement]
    drawing: ScreenLayout
    remembers: Callable[[str], bool]
    """Whether an element stood on one of the last screens."""
    modal: bool = False
    keyboard: bool = False

    def refusal(self, op: AnyOp) -> PerformRefused | None:
        if op.guard is None:
            return PerformRefused("invalid", f"`{op.kind}` needs a target") if op.needs_target else None
        return self._mismatch(op.guard) or self._under_keyboard(op.guard.node)

    def _mismatch(self, guard: Guard) -> PerformRefused | None:
        element = self.elements.get(guard.node)
        return self._missing(guard.node) if element is None else guard_mismatch(element, guard)

    def _missing(self, node: str) -> PerformRefused:
        if self.modal and self.remembers(node):  # a dump shows the window in front alone
            return PerformRefused("obscured", "a dialog stands before the screen it was on")
        return PerformRefused("gone", f"`{node}` is not on the screen any more; observe again")

    def _under_keyboard(self, node: str) -> PerformRefused | None:
        shown = self.shown[node]
        if not self.keyboard or shown.node.has("focused"):
            return None
        if self.drawing.seen(shown.node).middle[1] < KEYBOARD_TOP * self.drawing.screen[1]:
            return None
        return PerformRefused("obscured", "the keyboard lies over it; press `GoBack` to put it away")

    def facts_of(self, ref: str) -> ElementFacts:
        return element_facts(ref, self.elements.get(ref))
