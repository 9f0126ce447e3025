"""The terms of a grant: who does what, on which element of which document, under which rules, until when.

A grant covers an action only if all terms are equal; otherwise the person is asked again. A person signs the digest.
"""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.digests import json_digest
from uiap.graph.view import beside_text
from uiap.runtime.resolve import Resolved
from uiap.runtime.surroundings import Surroundings
from uiap.spec.web import DOMRectLike


class GrantTerms(msgspec.Struct, frozen=True, kw_only=True):
    session: str
    principal: str
    handle: str
    action: str
    args: str
    """A digest: typed values are not stored here."""
    target: tuple[str, ...] = ()
    """Element, stable id, role, name, visible text, text beside, record, scope and risk, as the person saw them."""
    fields: str = ""
    """A digest of the fields of the form or dialog around it, with the values that the person was shown."""
    writes: int = 0
    """The number of gestures that wrote on the tab when the person was asked. Another one makes the grant invalid."""
    document: str = ""
    origin: str = ""
    policy: str
    revision: str = ""
    """The revision of the page when the person was asked. It may advance."""
    box: tuple[float, float, float, float] | None = None
    """Left, top, width and height. The element may move, as long as the boxes overlap."""
    asked_at: float = 0.0
    expires: float = 0.0

    @property
    def digest(self) -> str:
        return json_digest(self)

    def covers(self, now: GrantTerms) -> bool:
        """Return whether the terms are equal, except for the time and a small move."""
        return self._terms() == now._terms() and overlap(self.box, now.box)

    def _terms(self) -> GrantTerms:
        return msgspec.structs.replace(self, revision="", box=None, asked_at=0.0, expires=0.0)


Box = tuple[float, float, float, float] | None


def box_of(rect: DOMRectLike | None) -> Box:
    return None if rect is None else (rect.x, rect.y, rect.width, rect.height)


def overlap(shown: Box, now: Box) -> bool:
    """Return whether the boxes share a point. An unknown box does not count against it."""
    if shown is None or now is None:
        return True
    return all(shown[n] < now[n] + now[n + 2] and now[n] < shown[n] + shown[n + 2] for n in (0, 1))


def grant_terms(
    *,
    session: str,
    principal: str,
    handle: str,
    action: str,
    args: dict[str, Any],
    resolved: Resolved | None,
    policy: str,
    asked_at: float,
    box: DOMRectLike | None = None,
) -> GrantTerms:
    candidate = None if resolved is None else resolved.winner.candidate
    around = (candidate.surroundings if candidate is not None else None) or Surroundings()
    return GrantTerms(
        session=session,
        principal=principal,
        handle=handle,
        action=action,
        args=json_digest(args),
        target=identity(resolved),
        fields=json_digest(around.fields),
        writes=around.writes,
        document="" if candidate is None else candidate.element.document_id,
        origin=around.origin or "",
        policy=policy,
        revision=around.revision or "",
        box=box_of(box),
        asked_at=asked_at,
    )


def identity(resolved: Resolved | None) -> tuple[str, ...]:
    if resolved is None:
        return ()
    candidate = resolved.winner.candidate
    element = candidate.element
    risk = msgspec.json.encode(element.risk).decode() if element.risk else ""
    stated = (
        element.instance_id,
        element.stable_id,
        element.role,
        element.name,
        element.text,
        beside_text(element),
    )
    return (*(one or "" for one in stated), candidate.record or "", element.scope_id or "", risk)
