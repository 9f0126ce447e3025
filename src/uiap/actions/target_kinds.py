"""The kind of thing that a target reference names, as `targetKinds` of an action lists them (CAP-7)."""

from __future__ import annotations

from uiap.spec.capability import CustomRef, RouteRef, ScopeRef, TargetKind, WebTargetRef

SESSION = "session"
"""The value of a custom reference to the session itself."""
ENTITY = "entity:"
"""The prefix of a custom reference to an entity: `entity:video:7`."""


def target_kind(ref: WebTargetRef) -> TargetKind:
    """Return the kind of a reference. A custom reference of no other kind names an element."""
    match ref:
        case ScopeRef():
            return "scope"
        case RouteRef():
            return "route"
        case CustomRef(value=value) if value == SESSION:
            return "session"
        case CustomRef(value=value) if value.startswith(ENTITY):
            return "entity"
    return "element"


def accepts_kind(kinds: tuple[TargetKind, ...], kind: TargetKind) -> bool:
    """Return whether an action takes a target of this kind. The element of an entity is an element, too."""
    return kind in kinds or (kind == "entity" and "element" in kinds)
