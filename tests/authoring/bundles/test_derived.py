"""The capability document derived from a bundle."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.authoring.folders import action, built, manifest, messages, package
from uiap.authoring.bundles.derived import capability_document
from uiap.spec.capability import CapabilityDocument

ELEMENTS: list[dict[str, Any]] = [
    {"id": "send", "role": "button", "match": [{"by": "text", "text": "Send"}]},
    {
        "id": "agree",
        "role": "checkbox",
        "match": [{"by": "text", "text": "Agree"}],
        "success": [
            {
                "kind": "element.state",
                "target": {"by": "stableId", "value": "agree"},
                "state": {"checked": True},
            }
        ],
    },
]


def derived(*more: dict[str, Any]) -> CapabilityDocument:
    result = built(
        package(
            manifest("Bindings", "b", {"elements": ELEMENTS}),
            manifest("Actions", "a", {"actions": [action("save")]}),
            *more,
        )
    )
    assert result.bundle is not None, messages(result)
    return capability_document(result.bundle)


@pytest.mark.requirement("AUTH-5.2c")
@pytest.mark.requirement("AUTH-5.2")
def test_capabilities_are_derived_from_bindings_and_actions() -> None:
    document = derived()
    assert document.roles == ("button", "checkbox")
    assert set(document.state_keys) == {"visible", "enabled", "focused", "checked"}
    assert set(document.affordances) == {"read", "focus", "activate", "toggle"}
    assert document.success_signal_kinds == ("element.state", "status.contains", "toast.contains")
    (described,) = document.actions
    assert described.id == "save"
    assert not {"implementation", "selectors"} & msgspec.to_builtins(described).keys()


@pytest.mark.requirement("AUTH-5.2")
def test_an_authored_capability_document_is_not_changed() -> None:
    authored = msgspec.to_builtins(msgspec.structs.replace(derived(), roles=("link",)))
    capabilities = manifest("Capabilities", "c", {"document": authored})
    assert derived(capabilities).roles == ("link",)
