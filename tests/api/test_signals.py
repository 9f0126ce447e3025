"""The functions of expected effects return the signals of the specification, as they are sent."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from uiap.api import signals
from uiap.spec.capability import SuccessSignal

SAVE = {"by": "semantic", "role": "button", "name": "Save"}


@pytest.mark.parametrize(
    ("signal", "sent"),
    [
        (signals.route_changed("/videos/:id"), {"kind": "route.changed", "pattern": "/videos/:id"}),
        (signals.route_changed(exact="/videos/1"), {"kind": "route.changed", "exact": "/videos/1"}),
        (signals.toast_contains("created"), {"kind": "toast.contains", "text": "created"}),
        (
            signals.text_appeared("Order 7"),
            {"kind": "custom", "name": "text.appeared", "payload": {"text": "Order 7"}},
        ),
        (
            signals.text_disappeared("Order 7", scope="s1"),
            {"kind": "custom", "name": "text.disappeared", "payload": {"text": "Order 7", "scope": "s1"}},
        ),
        (signals.tab_opened(), {"kind": "custom", "name": "tab.opened"}),
        (
            signals.download_completed("*.csv"),
            {"kind": "custom", "name": "download.completed", "payload": {"name": "*.csv"}},
        ),
        (signals.clipboard_written(), {"kind": "custom", "name": "clipboard.written"}),
        (signals.print_requested(), {"kind": "custom", "name": "print.requested"}),
        (signals.status_contains("saved"), {"kind": "status.contains", "text": "saved"}),
        (
            signals.element_appeared(role="button", name="Save"),
            {"kind": "element.appeared", "target": SAVE},
        ),
        (
            signals.element_disappeared(stable_id="save"),
            {"kind": "element.disappeared", "target": {"by": "stableId", "value": "save"}},
        ),
        (
            signals.element_state({"checked": True}, ref="f0e2"),
            {
                "kind": "element.state",
                "target": {"by": "instanceId", "value": "f0e2"},
                "state": {"checked": True},
            },
        ),
        (
            signals.value_equals(7, role="button", name="Save"),
            {"kind": "value.equals", "target": SAVE, "value": 7},
        ),
        (signals.dialog_opened(), {"kind": "dialog.opened"}),
        (
            signals.dialog_closed(role="dialog", scope="s1"),
            {"kind": "dialog.closed", "target": {"by": "semantic", "role": "dialog", "scope": "s1"}},
        ),
        (signals.validation_none("form"), {"kind": "validation.none", "scope": "form"}),
        (
            signals.collection_count("gte", 2, role="button", name="Save"),
            {"kind": "collection.count", "target": SAVE, "op": "gte", "value": 2},
        ),
        (
            signals.entity_created("video", "$.id"),
            {"kind": "entity.created", "entityType": "video", "idPath": "$.id"},
        ),
        (signals.entity_updated("video"), {"kind": "entity.updated", "entityType": "video"}),
        (signals.entity_deleted("video"), {"kind": "entity.deleted", "entityType": "video"}),
        (
            signals.network_response("/api/*", 0),
            {"kind": "network.response", "urlPattern": "/api/*", "status": 0},
        ),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)
def test_a_function_returns_its_signal_as_it_is_sent(signal: SuccessSignal, sent: dict[str, Any]) -> None:
    assert msgspec.to_builtins(signal) == sent
    assert msgspec.convert(sent, SuccessSignal) == signal


def test_every_function_is_listed() -> None:
    functions = {
        name
        for name in dir(signals)
        if getattr(getattr(signals, name), "__module__", "") == signals.__name__ and not name.startswith("_")
    }
    assert functions == set(signals.__all__)


def test_a_target_without_a_ref_a_stable_id_or_a_role_is_refused() -> None:
    with pytest.raises(TypeError, match="a target needs ref=, stable_id= or role="):
        signals.target(name="Save")
