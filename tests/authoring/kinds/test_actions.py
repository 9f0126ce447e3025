"""The lints of action descriptors."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.authoring.kinds.actions import KIND
from uiap.authoring.kinds.kind import FactCollector

SIGNAL = {"kind": "route.changed"}
HANDLER = {"kind": "sdkHandler", "ref": "createVideo"}


def codes(**members: Any) -> list[str]:
    action = {
        "id": "video.create",
        "kind": "domain",
        "risk": {"level": "safe"},
        "success": [SIGNAL],
        "implementation": HANDLER,
        **members,
    }
    facts = FactCollector()
    KIND.inspect({"actions": [action]}, facts)
    return [lint.code for lint in facts.facts({}, ()).lints]


def test_a_complete_action_has_no_lints() -> None:
    assert codes() == []


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"success": []}, "no_success_signal"),
        ({"risk": {"level": "confirm"}}, "one_success_signal"),
        ({"risk": {"level": "safe", "tags": ["destructive"]}}, "risk_laxer_than_evidence"),
        ({"kind": "primitive", "id": "ui.fly"}, "unknown_primitive"),
        ({"implementation": None}, "no_implementation"),
        ({"implementation": {"kind": "sdkHandler"}}, "implementation_ref"),
    ],
)
def test_a_fault_is_reported_by_its_code(members: dict[str, Any], code: str) -> None:
    assert codes(**members) == [code]
