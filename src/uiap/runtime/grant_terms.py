"""What a grant is bound to: who, what, on which element of which document, under which rules, until when (P5).

Two bonds are equal in what counts, or the person is asked again. The digest is what a person signs.
"""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.digests import json_digest
from uiap.runtime.resolve import Resolved, Surroundings
from uiap.spec.web import DOMRectLike


class GrantTerms(msgspec.Struct, frozen=True, kw_only=True):
    session: str
    principal: str
    handle: str
    action: str
    args: str
    """A digest: what was typed is nobody's business here."""
    target: tuple[str, ...] = ()
    """Element, stable id, role, name, visible text, record, scope, risk: what a person was shown of it."""
    document: str = ""
    origin: str = ""
    policy: str
    revision: str = ""
    """Of the page when it was asked. A page may go on; what was shown may not change."""
    box: tuple[float, float, float, float] | None = None
    """Where it was: left, top, width, height. It may move a little, as pages do, but not to another place (P6)."""
    asked_at: float = 0.0
    expires: float = 0.0

    @property
    def digest(self) -> str:
        return json_digest(self)

    def covers(self, now: GrantTerms) -> bool:
        """The same in every term but the moment: the page may have gone on around it."""
        return self._terms() == now._terms() and overlap(self.box, now.box)

    def _terms(self) -> GrantTerms:
        return msgspec.structs.replace(self, revision="", box=None, asked_at=0.0, expires=0.0)


Box = tuple[float, float, float, float] | None


def box_of(rect: DOMRectLike | None) -> Box:
    return None if rect is None else (rect.x, rect.y, rect.width, rect.height)


def overlap(shown: Box, now: Box) -> bool:
    """Do they share a point? Where one of them is not known, other terms must do."""
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
    around = (candidate.place if candidate is not None else None) or Surroundings()
    return GrantTerms(
        session=session,
        principal=principal,
        handle=handle,
        action=action,
        args=json_digest(args),
        target=identity(resolved),
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
    stated = (element.instance_id, element.stable_id, element.role, element.name, element.text)
    return (*(one or "" for one in stated), candidate.record or "", element.scope_id or "", risk)
