"""Which workflows start by themselves, and when policy lets them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.workflow.simulated import DONE, ONCE, definition
from uiap.policy.builtin import TRUSTED, policy_set
from uiap.policy.evaluate import PolicySet
from uiap.spec.policy import PolicyMatch, PolicyPrincipal, PolicyRule
from uiap.workflow.automatic import START, due, may_start
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.index import Situation

GRANTS = ("observe", "guide", "draft", "act")
AGENT = PolicyPrincipal(type="agent", id="a", grants=GRANTS)
PERSON = PolicyPrincipal(type="user", id="ada", grants=GRANTS)
HERE = Situation(grants=frozenset(GRANTS), route_id="videos")


def started(mode: str, **members: Any) -> Any:
    return definition({"id": "save", **ONCE}, DONE, startMode=mode, **members)


@pytest.mark.requirement("WF-8")
@pytest.mark.parametrize(
    ("mode", "members", "found"),
    [
        ("manual", {}, False),
        ("suggested", {}, False),
        ("automatic", {}, True),
        ("automatic", {"routeIds": ["team"]}, False),
        ("automatic", {"entryConditions": [{"kind": "role", "role": "editor"}]}, False),
        ("automatic", {"requiredGrants": ["admin"]}, False),
    ],
)
def test_only_an_automatic_workflow_that_can_start_here_is_due(mode: str, members: Any, found: bool) -> None:
    workflow = started(mode, **members)
    assert due([workflow], set(), HERE, ConditionFacts()) == ([workflow] if found else [])
    assert due([workflow], {workflow.id}, HERE, ConditionFacts()) == []


@pytest.mark.requirement("WF-8")
def test_an_automatic_start_needs_a_policy_that_allows_it_without_a_question() -> None:
    acts, guides = started("automatic"), started("automatic", interactionModes=["guide"])
    assert not may_start(acts, AGENT, policy_set("standard"))
    assert may_start(guides, AGENT, policy_set("standard"))
    assert not may_start(acts, PERSON, policy_set("trusted"))  # nobody confirmed anything
    safe = started("automatic", risk={"level": "safe"})
    assert may_start(safe, PERSON, policy_set("trusted"))
    assert not may_start(safe, AGENT, policy_set("observe"))
    rule = PolicyRule(id="no-tours", match=PolicyMatch(action_ids=(START,)), effect="deny")
    denying = msgspec.structs.replace(TRUSTED, rules=(rule,))
    assert not may_start(guides, PERSON, PolicySet((denying,)))
