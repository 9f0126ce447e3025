"""The origins of a session: those it may read, and those it may act on.

They come from what a person named or opened. Acting on another origin, or carrying a text from one origin to another,
is a crossing, and a crossing asks a person. It names both origins.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import msgspec

from uiap.origin import OPAQUE
from uiap.spec.policy import SideEffectClass


class SessionOrigins(msgspec.Struct, frozen=True, kw_only=True):
    """The origins of a session when an action was requested. Without any, nothing was opened yet."""

    act: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    """Hosts that a person named: the session may act on all of their origins."""

    @property
    def named(self) -> str:
        return ", ".join((*self.act, *self.hosts))

    def _may_act_on(self, origin: str) -> bool:
        return origin in self.act or urlsplit(origin).hostname in self.hosts

    def action_crossing(self, origin: str | None, effect: SideEffectClass, carried_from: str) -> str:
        """Return the crossing of a gesture on an element of this origin, or ""."""
        if effect == "none" or origin is None or origin == "":
            return ""
        if origin == OPAQUE:
            sandboxed = f"it acts on a page without an origin, and this session was opened for {self.named}"
            return sandboxed if self.act else ""
        if self.act and not self._may_act_on(origin):
            return f"it acts on {origin}, and this session was opened for {self.named}"
        if carried_from:
            return f"it carries a text that was read on {carried_from} into {origin}"
        return ""
