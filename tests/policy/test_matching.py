"""The test that is compiled from the `match` of a rule."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from uiap.policy.matching import compile_match, fact_tests
from uiap.policy.request import PolicyRequest
from uiap.spec.policy import PolicyMatch


def matches(match: dict[str, Any], **facts: Any) -> bool:
    request = PolicyRequest(
        **{"action_id": "ui.activate", "principal_type": "agent", "principal_id": "bot", **facts}
    )
    return compile_match(msgspec.convert(match, PolicyMatch))(request)


def test_an_empty_match_matches_everything() -> None:
    assert matches({})
    assert fact_tests(PolicyMatch()) == []


@pytest.mark.parametrize(
    ("match", "facts", "expected"),
    [
        ({"actionIds": ["ui.*"]}, {}, True),
        ({"actionIds": ["nav.*"]}, {}, False),
        ({"actionIds": ["nav.*", "ui.activate"]}, {}, True),
        ({"stableIds": ["draft.*"]}, {"stable_id": "draft.save"}, True),
        ({"stableIds": ["draft.*"]}, {"stable_id": "draft.item.save"}, False),
        ({"stableIds": ["draft.**"]}, {"stable_id": "draft.item.save"}, True),
        ({"stableIds": ["draft.*"]}, {}, False),
        ({"riskTags": ["billing", "identity"]}, {"risk_tags": frozenset({"identity"})}, True),
        ({"riskTags": ["billing"]}, {"risk_tags": frozenset({"identity"})}, False),
        ({"actionIds": ["ui.*"], "stableIds": ["x"]}, {"stable_id": "y"}, False),
    ],
)
def test_all_members_must_match_and_any_entry_of_a_list(
    match: dict[str, Any], facts: dict[str, Any], expected: bool
) -> None:
    assert matches(match, **facts) is expected
