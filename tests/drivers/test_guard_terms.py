from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from uiap.actions.ops import Guard
from uiap.drivers.guard_terms import element_facts, guard_mismatch
from uiap.spec.web import ElementNode, WebElementState

ROW = ElementNode(
    instance_id="d1e1",
    document_id="d1",
    role="button",
    name="Delete",
    state=WebElementState(attached=True, visible=True, enabled=True, editable=False),
    affordances=("activate",),
    metadata={"record": "user-0"},
)


def test_unchanged_element_passes():
    assert guard_mismatch(ROW, Guard(node="d1e1", role="button", name="Delete", record="user-0")) is None


@pytest.mark.requirement("ACT-9.5")
@pytest.mark.parametrize(
    ("terms", "reason", "detail"),
    [
        ({"role": "link"}, "changed", "role_changed"),
        ({"name": "Save"}, "changed", "name_changed"),
        ({"record": "user-1"}, "changed", "record_changed"),
    ],
)
def test_each_term_that_does_not_hold_is_refused(terms: dict[str, Any], reason: str, detail: str):
    refused = guard_mismatch(ROW, Guard(node="d1e1", **terms))
    assert refused is not None and (refused.reason, refused.detail) == (reason, detail)


@pytest.mark.parametrize(("member", "reason"), [("visible", "hidden"), ("enabled", "disabled")])
def test_hidden_or_disabled_element_is_refused(member: str, reason: str):
    now = replace(ROW, state=replace(ROW.state, **{member: False}))
    refused = guard_mismatch(now, Guard(node="d1e1"))
    assert refused is not None and refused.reason == reason


def test_facts_include_record_and_editability():
    facts = element_facts("d1e1", ROW, obscured=True)
    assert (facts.attached, facts.obscured, facts.record) == (True, True, "user-0")
    assert facts.detail == {"state": {"editable": False}}
    assert element_facts("d1e9", None).attached is False
