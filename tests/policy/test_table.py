"""The compiled rules of a document: the same rules as testing each one."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.policy.matching import compile_match
from uiap.policy.request import PolicyRequest
from uiap.policy.table import RuleTable
from uiap.spec.policy import PolicyRule


def rule(id: str, match: dict[str, Any], **members: Any) -> PolicyRule:
    return msgspec.convert({"id": id, "match": match, "effect": "allow", **members}, PolicyRule)


RULES = (
    rule("any", {}),
    rule("press", {"actionIds": ["ui.activate"]}),
    rule("drafts", {"stableIds": ["draft.*"]}, priority=5),
    rule("off", {}, enabled=False),
    rule("billing", {"riskTags": ["billing"], "actionIds": ["ui.*"]}),
)
REQUESTS = (
    PolicyRequest(action_id="ui.activate", principal_type="agent", principal_id="bot"),
    PolicyRequest(
        action_id="nav.navigate", principal_type="agent", principal_id="bot", stable_id="draft.save"
    ),
    PolicyRequest(
        action_id="ui.submit", principal_type="user", principal_id="ann", risk_tags=frozenset({"billing"})
    ),
)


def test_the_table_finds_the_rules_that_match_one_by_one() -> None:
    table = RuleTable(RULES)
    for request in REQUESTS:
        found = [one.rule.id for one in table.rules(table.matching(request))]
        wanted = [one.id for one in RULES if one.enabled is not False and compile_match(one.match)(request)]
        assert found == wanted
    assert "off" not in found


def test_a_rule_keeps_its_priority() -> None:
    table = RuleTable(RULES)
    priorities = {one.rule.id: one.priority for one in table.rules(table.matching(REQUESTS[1]))}
    assert priorities == {"any": 0, "drafts": 5}


def test_an_exception_takes_a_rule_out() -> None:
    table = RuleTable((rule("press", {"actionIds": ["ui.*"], "not": {"stableIds": ["safe"]}}),))
    request = PolicyRequest(
        action_id="ui.activate", principal_type="agent", principal_id="bot", stable_id="safe"
    )
    assert table.rules(table.matching(request)) == ()
    assert table.rules(table.matching(msgspec.structs.replace(request, stable_id="other")))
