"""The guard's terms, one by one, against an element as it was just read; and what a probe says of it. Pure."""

from __future__ import annotations

from msgspec import UNSET

from uiap.actions.ops import Guard
from uiap.drivers.driver import ElementFacts, PerformRefused
from uiap.spec.web import ElementNode


def guard_mismatch(element: ElementNode, guard: Guard) -> PerformRefused | None:
    if guard.role is not None and element.role != guard.role:
        return PerformRefused("changed", "role_changed")
    if guard.name is not None and (element.name or "") != guard.name:
        return PerformRefused("changed", "name_changed")
    if guard.record is not None and guard.record != record_of(element):
        return PerformRefused("changed", "record_changed")
    if element.state.visible is not True:
        return PerformRefused("hidden", "hidden")
    if guard.enabled and element.state.enabled is not True:
        return PerformRefused("disabled", "disabled")
    return None


def element_facts(ref: str, element: ElementNode | None, *, obscured: bool = False) -> ElementFacts:
    if element is None:
        return ElementFacts(node=ref, attached=False)
    state = element.state
    written = {"editable": state.editable, "readonly": state.readonly}
    return ElementFacts(
        node=ref,
        attached=True,
        visible=state.visible is True,
        enabled=state.enabled is True,
        in_viewport=state.in_viewport is True,
        obscured=obscured,
        role=element.role,
        name=element.name or None,
        record=record_of(element),
        bbox=element.bbox or None,
        detail={"state": {word: value for word, value in written.items() if value is not UNSET}},
    )


def record_of(element: ElementNode) -> str | None:
    """The row that it stands in, where its driver knows rows."""
    found = element.metadata.get("record") if element.metadata is not UNSET else None
    return found if isinstance(found, str) else None
