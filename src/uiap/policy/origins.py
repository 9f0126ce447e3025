"""The origins of a session: those it may read, and those it may act on.

They come from what a person named or opened. Acting on another origin, or carrying a text from one origin to another,
is a crossing, and a crossing asks a person. It names both origins.
"""

from __future__ import annotations

from urllib.parse import urljoin

import msgspec

from uiap.origin import OPAQUE, origin_of
from uiap.spec.policy import SideEffectClass


class SessionOrigins(msgspec.Struct, frozen=True, kw_only=True):
    """The origins of a session when an action was requested. Without any, nothing was opened yet."""

    act: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    current_url: str = ""

    @property
    def named(self) -> str:
        return ", ".join(self.act)

    def destination_crossing(self, url: str) -> str:
        """Return the crossing of a navigation, or ""."""
        origin = origin_of(urljoin(self.current_url, url))
        if not self.act or url.startswith("history:") or origin in (*self.act, *self.read):
            return ""
        return f"it goes to {origin}, and this session was opened for {self.named}"

    def action_crossing(self, origin: str | None, effect: SideEffectClass, carried_from: str) -> str:
        """Return the crossing of a gesture on an element of this origin, or ""."""
        if effect == "none" or origin in (None, OPAQUE, ""):
            return ""
        if self.act and origin not in self.act:
            return f"it acts on {origin}, and this session was opened for {self.named}"
        if carried_from:
            return f"it carries a text that was read on {carried_from} into {origin}"
        return ""
