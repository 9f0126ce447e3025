"""The control of an action that led to a page, for the rules that compare its effect with that of earlier actions."""

from __future__ import annotations

from typing import NamedTuple

from uiap.discovery.knowledge.page_keys import link_key, pressed_key, shown_by_press
from uiap.discovery.knowledge.states import State
from uiap.graph.store import GraphStore
from uiap.spec.web import ElementNode


class PressedControl(NamedTuple):
    """The state and the page before the action, and its element."""

    source: State
    before: GraphStore
    element: ElementNode

    @property
    def control(self) -> str:
        """The key of the control on all pages."""
        return pressed_key(self.before, self.element)

    @property
    def link(self) -> str | None:
        """The key of the link; None for other controls."""
        return link_key(self.before, self.element) if self.element.role == "link" else None

    def panel(self, after: GraphStore) -> frozenset[str]:
        """Return the scopes and named controls that the action showed."""
        return shown_by_press(self.before, after, self.element)
