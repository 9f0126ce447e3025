"""The preconditions of a target (ACT-9.1 to ACT-9.3): one function from probe facts to a readiness."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from uiap.actions.primitive import Checks
from uiap.spec.web import DOMRectLike

EDITABLE_ROLES = frozenset(
    {"textbox", "textarea", "searchbox", "combobox", "spinbutton", "datepicker", "timepicker"}
)


class ProbeFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of one probe of the target."""

    attached: bool
    visible: bool = True
    enabled: bool = True
    editable: bool | None = None
    readonly: bool = False
    focusable: bool | None = None
    """False: neither the element nor a part of it can take the focus. None if the driver cannot tell."""
    blocked: bool = False
    busy: bool = False
    """The element says that it is being updated."""
    stable: bool = True
    obscured: bool = False
    covering: str | None = None
    in_viewport: bool = True
    hovered: bool = False
    role: str | None = None
    name: str | None = None
    record: str | None = None
    bbox: DOMRectLike | None = None


class Ready(msgspec.Struct, frozen=True):
    pass


class StaleTarget(msgspec.Struct, frozen=True):
    """It is gone, or no longer the element that was resolved (ACT-8.3)."""

    why: str


class OutOfView(msgspec.Struct, frozen=True):
    """It is outside the viewport, or covered; scrolling may help (ACT-13.1)."""

    why: str


class NotReadyYet(msgspec.Struct, frozen=True):
    """It may become ready; the wait for it is bounded."""

    why: str


class StillBusy(msgspec.Struct, frozen=True):
    """It is ready but being updated; the wait for that is short, and then it is acted on (ACT-13.1c)."""

    why: str


class NeverReady(msgspec.Struct, frozen=True):
    """It cannot become ready."""

    why: str


Readiness: TypeAlias = Ready | StaleTarget | OutOfView | NotReadyYet | StillBusy | NeverReady
Expected: TypeAlias = tuple[str | None, str | None, str | None]


def check(checks: Checks, seen: ProbeFacts, expected: Expected) -> Readiness:
    """Return the readiness of a target. `expected` is the role, name and record it was resolved with."""
    if not seen.attached:
        return StaleTarget("it left the page")
    changed = _changed(seen, expected)
    if changed is not None:
        return StaleTarget(changed)
    if checks in ("none", "present"):
        return Ready()
    readiness = _readiness(checks, seen)
    return StillBusy("it is busy") if seen.busy and isinstance(readiness, Ready) else readiness


def _readiness(checks: Checks, seen: ProbeFacts) -> Readiness:
    if not seen.visible:
        return NotReadyYet("it is not visible")
    if not seen.enabled:
        return NotReadyYet("it is disabled")
    if seen.blocked:
        return NotReadyYet("a modal surface covers the page around it")
    if checks in ("text", "value") and seen.focusable is False:
        return NeverReady("it cannot take the focus")
    if checks == "text":
        return _text(seen)
    if not seen.in_viewport:
        return OutOfView("it is out of view")
    if not seen.stable:
        return NotReadyYet("it is moving")
    if seen.obscured:
        return OutOfView(f"{seen.covering or 'something'} covers it")
    return Ready()


def _text(seen: ProbeFacts) -> Readiness:
    if seen.readonly:
        return NeverReady("it is read-only")
    if seen.editable is False or (seen.editable is None and seen.role not in EDITABLE_ROLES):
        return NeverReady(f"the {seen.role or 'element'} takes no text")
    return Ready()


Term: TypeAlias = Literal["role", "name", "record"]


def _changed(seen: ProbeFacts, expected: Expected) -> str | None:
    """Return what changed since the element was observed. Upper case does not count: a style sheet may add it."""
    terms: tuple[Term, ...] = ("role", "name", "record")
    for term, wanted, got in zip(terms, expected, (seen.role, seen.name, seen.record), strict=True):
        if wanted is not None and got is not None and wanted.casefold() != got.casefold():
            return f"its {term} was `{wanted}` and is `{got}`"
        if term == "record" and wanted is not None and got is None:
            return f"it no longer belongs to `{wanted}`"
    return None
