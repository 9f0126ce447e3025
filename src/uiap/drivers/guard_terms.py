"""Check the terms of a guard against an element that was just read, and build its probe facts. Pure."""

from __future__ import annotations

from msgspec import UNSET

from uiap.actions.ops import Guard
from uiap.drivers.driver import ElementFacts, PerformRefused
from uiap.graph.identity import enclosing_record_key
from uiap.spec.web import ElementNode


def guard_mismatch(element: ElementNode, guard: Guard) -> PerformRefused | None:
    """Return the refusal for the first guard term that does not hold; None if all hold."""
    if guard.role is not None and element.role != guard.role:
        return PerformRefused("changed", "role_changed")
    if guard.name is not None and (element.name or "") != guard.name:
        return PerformRefused("changed", "name_changed")
    if guard.record is not None and guard.record != enclosing_record_key(element):
        return PerformRefused("changed", "record_changed")
    if element.state.visible is not True:
        return PerformRefused("hidden", "hidden")
    if guard.enabled and element.state.enabled is not True:
        return PerformRefused("disabled", "disabled")
    return None


def element_facts(ref: str, element: ElementNode | None, *, obscured: bool = False) -> ElementFacts:
    """Return the probe facts of an element; None means that it is gone."""
    if element is None:
        return ElementFacts(node=ref, attached=False)
    state = element.state
    editing = {"editable": state.editable, "readonly": state.readonly}
    return ElementFacts(
        node=ref,
        attached=True,
        visible=state.visible is True,
        enabled=state.enabled is True,
        in_viewport=state.in_viewport is True,
        obscured=obscured,
        role=element.role,
        name=element.name or None,
        record=enclosing_record_key(element),
        bbox=element.bbox or None,
        detail={"state": {name: value for name, value in editing.items() if value is not UNSET}},
    )
