"""The kind of a question: what a person allows for the rest of a session, instead of once.

A kind is bounded by origin, verb, scope, target and risk. A question about private data, or about another origin, has
no kind: it is answered once.
"""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.digests import json_digest
from uiap.policy.appraisal import Appraisal
from uiap.policy.control import label_of
from uiap.runtime.surroundings import Surroundings
from uiap.spec.web import ElementNode

_PRIVATE = frozenset({"credential", "secret", "payment", "sensitive", "health"})
_TYPED = frozenset({"text", "value"})
"""Arguments that may differ between actions of one kind."""


class GrantKind(msgspec.Struct, frozen=True, kw_only=True):
    """The terms that two questions of one kind share."""

    action: str
    origin: str
    scope: str
    """The kind of the scope and the name of the form or dialog."""
    role: str
    label: str
    args: str
    side_effect: str
    tags: tuple[str, ...]
    stable_id: str = ""

    @property
    def digest(self) -> str:
        return json_digest(self)

    @property
    def text(self) -> str:
        """The kind in words, for the person who allows it."""
        risk = f" ({', '.join(dict.fromkeys((self.side_effect, *self.tags)))})".replace("_", " ")
        return f"{self.action} on the {self.role} “{self.label}” in {self.scope} of {self.origin}{risk}"


def grant_kind(
    action: str,
    args: dict[str, Any],
    element: ElementNode | None,
    around: Surroundings,
    appraisal: Appraisal,
) -> GrantKind | None:
    """Return the kind of a question, or None if it can only be answered once."""
    label = "" if element is None else label_of(element)
    if element is None or not label or not around.origin or around.carried_from:
        return None
    if not _PRIVATE.isdisjoint(appraisal.data_classes):
        return None
    fixed = {name: value for name, value in args.items() if name not in _TYPED}
    return GrantKind(
        action=action,
        origin=around.origin,
        scope=f"{around.scope_kind or 'page'} “{around.surface}”" if around.surface else "the page",
        role=element.role,
        label=label,
        args=json_digest(fixed),
        side_effect=appraisal.side_effect,
        tags=tuple(sorted(appraisal.tags)),
        stable_id=element.stable_id or "",
    )
