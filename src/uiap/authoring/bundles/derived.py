"""Derive the capability document of a bundle from its bindings and actions, if none was authored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.spec.authoring import AuthoredAction, UIAPCompiledBundle
from uiap.spec.capability import (
    RISK_LEVELS,
    UI_AFFORDANCES,
    UI_STATE_KEYS,
    ActionDescriptor,
    CapabilityDocument,
    ElementState,
    SuccessSignal,
)

DEFAULT_STATE_KEYS = ("visible", "enabled", "focused")
# Affordances of each role; every other role can be read.
AFFORDANCES: Mapping[str, str] = {
    "button": "read focus activate",
    "link": "read focus activate navigate",
    "textbox": "read focus edit",
    "searchbox": "read focus edit submit",
    "textarea": "read focus edit",
    "combobox": "read focus choose expand collapse",
    "listbox": "read focus choose",
    "option": "read choose",
    "checkbox": "read focus toggle",
    "radio": "read focus choose",
    "switch": "read focus toggle",
    "slider": "read focus edit",
    "spinbutton": "read focus edit",
    "datepicker": "read focus edit",
    "timepicker": "read focus edit",
    "fileinput": "read focus upload",
    "form": "read submit",
    "dialog": "read close dismiss",
    "menu": "read focus activate",
    "menuitem": "read focus activate",
    "tab": "read focus activate choose",
    "region": "read scroll",
}


def capability_document(bundle: UIAPCompiledBundle) -> CapabilityDocument:
    """Return the authored capability document, else one derived from the rest of the bundle."""
    if bundle.capabilities is not UNSET:
        return bundle.capabilities
    signals = tuple(_signals(bundle))
    elements = () if bundle.bindings is UNSET else bundle.bindings.elements or ()
    roles = sorted({element.role for element in elements if element.role is not UNSET})
    offered = {word for role in roles for word in AFFORDANCES.get(role, "read").split()}
    used = {*DEFAULT_STATE_KEYS, *_state_keys(signals)}
    return CapabilityDocument(
        model_version="0.1",
        profile=bundle.profile,
        roles=tuple(roles),
        state_keys=tuple(key for key in UI_STATE_KEYS if key in used),
        affordances=tuple(word for word in UI_AFFORDANCES if word in offered),
        actions=tuple(action_descriptor(action) for action in bundle.actions or ()),
        risk_levels=RISK_LEVELS,
        success_signal_kinds=tuple(sorted({str(signal.__struct_config__.tag) for signal in signals})),
    )


def _signals(bundle: UIAPCompiledBundle) -> Iterator[SuccessSignal]:
    bindings = bundle.bindings
    if bindings is not UNSET:
        for route in bindings.routes or ():
            yield from route.success_signals or ()
        for element in bindings.elements or ():
            yield from element.success or ()
    for action in bundle.actions or ():
        yield from action.success or ()


def _state_keys(signals: Iterable[SuccessSignal]) -> set[str]:
    states = (msgspec.to_builtins(s.state) for s in signals if isinstance(s, ElementState))
    return {key for state in states for key in state}


def action_descriptor(action: AuthoredAction) -> ActionDescriptor:
    """Return the action without the members that only the build and the SDK need."""
    members: dict[str, Any] = msgspec.structs.asdict(action)
    return ActionDescriptor(**{k: v for k, v in members.items() if k not in ("implementation", "selectors")})
