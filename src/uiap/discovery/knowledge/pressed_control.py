"""The control of an action that led to a page, for the rules that compare its effect with that of earlier actions."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from uiap.discovery.knowledge.page_keys import (
    hidden_by_press,
    link_key,
    pressed_key,
    shown_by_press,
    visible_texts,
)
from uiap.discovery.knowledge.states import State
from uiap.discovery.safety.links import part_of_link
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

    def shows_other_part(self, after: GraphStore) -> bool:
        """Whether a link to a part of the page replaced the part before, as a tab does.

        One that only scrolls hides nothing, and one that folds a section shows nothing.
        """
        part = part_of_link(self.element)
        if not part or unquote(urlsplit(after.route.url).fragment) != part:
            return False
        has_shown = bool(visible_texts(after) - visible_texts(self.before))
        return has_shown and bool(hidden_by_press(self.before, after))

    def panel(self, after: GraphStore) -> frozenset[str]:
        """Return the scopes and named controls that the action showed."""
        return shown_by_press(self.before, after, self.element)
