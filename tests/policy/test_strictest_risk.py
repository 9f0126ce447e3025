"""The strictest of several risks."""

from __future__ import annotations

from msgspec import UNSET

from uiap.policy.strictest_risk import strictest_risk
from uiap.spec.capability import RiskDescriptor


def test_the_strictest_level_counts_with_the_tags_of_all() -> None:
    safe = RiskDescriptor(level="safe", tags=("sensitive_data",))
    confirm = RiskDescriptor(level="confirm", tags=("destructive",))
    found = strictest_risk([safe, UNSET, confirm])
    assert found.level == "confirm" and found.tags == ("sensitive_data", "destructive")


def test_without_a_risk_there_is_none() -> None:
    assert strictest_risk([UNSET]) is UNSET
