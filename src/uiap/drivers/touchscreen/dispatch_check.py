"""Decide whether a gesture may be sent, from the last snapshot: guard terms, dialogs and the keyboard. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from uiap.actions.ops import AnyOp, Guard
from uiap.drivers.driver import ElementFacts, PerformRefused
from uiap.drivers.guard_terms import element_facts, guard_mismatch
from uiap.drivers.touchscreen.elements import ScreenElement, ScreenLayout
from uiap.spec.web import ElementNode

KEYBOARD_TOP = 0.55
"""The fraction of the screen height below which the keyboard covers the screen."""


@dataclass(frozen=True, slots=True)
class TouchDispatchCheck:
    """One snapshot as it was published, and the check of gestures against it."""

    nodes: Mapping[str, ElementNode]
    """The elements of the graph, by id."""
    elements: Mapping[str, ScreenElement]
    """The same elements as they were read from the screen, by id."""
    layout: ScreenLayout
    is_recent: Callable[[str], bool]
    """Whether an element id was on one of the last screens."""
    modal: bool = False
    keyboard_shown: bool = False

    def refusal(self, op: AnyOp) -> PerformRefused | None:
        """Return why the gesture must not be sent, or None."""
        if op.guard is None:
            return PerformRefused("invalid", f"`{op.kind}` needs a target") if op.needs_target else None
        return self._guard_mismatch(op.guard) or self._covered_by_keyboard(op.guard.node)

    def _guard_mismatch(self, guard: Guard) -> PerformRefused | None:
        node = self.nodes.get(guard.node)
        return self._missing(guard.node) if node is None else guard_mismatch(node, guard)

    def _missing(self, id: str) -> PerformRefused:
        if self.modal and self.is_recent(id):  # a dump contains the front window only
            return PerformRefused("obscured", "a dialog covers the screen of the element; answer it first")
        return PerformRefused("gone", f"`{id}` is no longer on the screen; observe again")

    def _covered_by_keyboard(self, id: str) -> PerformRefused | None:
        element = self.elements[id]
        if not self.keyboard_shown or element.node.has("focused"):
            return None
        if self.layout.visible_bounds(element.node).center[1] < KEYBOARD_TOP * self.layout.screen[1]:
            return None
        return PerformRefused("obscured", "the keyboard covers the element; press `GoBack` to close it")

    def facts_of(self, ref: str) -> ElementFacts:
        return element_facts(ref, self.nodes.get(ref))
