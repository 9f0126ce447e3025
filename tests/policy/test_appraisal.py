"""The risk of an action on an element: the strictest of everything that is known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import button
from uiap.policy.appraisal import RiskEvidence, appraise, data_classes_of, strictest_level
from uiap.spec.capability import RiskDescriptor


def evidence(label: str, surroundings: str = "") -> RiskEvidence:
    return RiskEvidence(label=label, surroundings=surroundings, presses=True)


def test_the_strictest_level_counts() -> None:
    assert strictest_level("safe", "blocked", "confirm") == "blocked"
    assert strictest_level("safe") == "safe"


def test_words_of_the_label_raise_the_risk_with_a_reason() -> None:
    risky = appraise(button("delete account"), "data_write", evidence("delete account"))
    assert "destructive" in risky.tags and risky.level != "safe"
    assert any("delete" in reason for reason in risky.because)


def test_the_icon_of_a_control_without_a_name_raises_the_risk_and_lowers_none() -> None:
    pictured = button("", metadata={"icon": "trash"})
    assert "destructive" in appraise(pictured, "unknown", evidence("")).tags
    harmless = appraise(button("delete", metadata={"icon": "close"}), "data_write", evidence("delete"))
    assert "destructive" in harmless.tags


def test_a_harmless_label_takes_the_risk_of_its_dialog_and_an_exit_label_does_not() -> None:
    assert "destructive" in appraise(button("ok"), "data_write", evidence("ok", "delete account")).tags
    assert not appraise(button("cancel"), "data_write", evidence("cancel", "delete account")).tags


def test_a_declaration_of_the_page_lowers_no_inferred_risk_unless_it_is_trusted() -> None:
    element = button("delete", risk=RiskDescriptor(level="safe"))
    doubted = appraise(element, "data_write", evidence("delete"))
    trusted = appraise(element, "data_write", evidence("delete"), trusted_risk=True)
    assert "destructive" in doubted.tags and "destructive" not in trusted.tags


@pytest.mark.parametrize(
    ("name", "members", "classes"),
    [
        ("password", {}, {"credential"}),
        ("nickname", {"data_classes": ("health",)}, {"health"}),
        ("colour", {}, set()),
    ],
)
def test_data_classes_are_declared_or_inferred_from_the_name(
    name: str, members: dict[str, Any], classes: set[str]
) -> None:
    field = button(name, role="textbox", affordances=("read", "edit"), **members)
    assert data_classes_of(field) == classes
