"""The thirteen kinds of conditions, each true, false and undecidable."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.graph.pages import Page
from uiap.graph.store import GraphStore
from uiap.spec.workflow import WORKFLOW_CONDITION_KINDS, StepResult, WorkflowCondition
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.conditions.registry import CONDITIONS, judge, judge_groups


def page() -> GraphStore:
    page = Page("/videos/7")
    page.element("button", "Save", state={"enabled": True})
    page.element("button", "Delete", state={"enabled": False})
    page.element("button", "Edit")
    page.element("button", "Edit")
    page.element("button", "Gone", state={"visible": False})
    return GraphStore(page.graph())


FACTS = ConditionFacts(
    page=page(),
    parameters={"title": "Intro", "count": 3, "on": True},
    results={"create": StepResult(status="succeeded", return_value={"id": 7, "tags": ["a"]})},
    grants=frozenset({"act"}),
    roles=frozenset({"editor"}),
    actions=frozenset({"video.create"}),
    custom={"weekday": lambda params: params.get("day") == "monday", "unsure": lambda _params: None},
)


def button(name: str) -> dict[str, Any]:
    return {"by": "semantic", "role": "button", "name": name}


def appeared(name: str) -> dict[str, Any]:
    return {"kind": "signal", "signal": {"kind": "element.appeared", "target": button(name)}}


def parameter(name: str, op: str, value: Any = None) -> dict[str, Any]:
    return {"kind": "parameter", "name": name, "op": op, "value": value}


YES, NO = {"kind": "role", "role": "editor"}, {"kind": "role", "role": "admin"}
UNKNOWN = {"kind": "custom", "name": "nobody"}
CASES: list[tuple[dict[str, Any], bool | None]] = [
    ({"kind": "route", "pattern": "/videos/:id"}, True),
    ({"kind": "route", "pattern": "/users/:id"}, False),
    ({"kind": "route", "routeId": "videos"}, False),
    ({"kind": "route"}, None),
    ({"kind": "element", "target": button("Save")}, True),
    ({"kind": "element", "target": button("Gone")}, False),
    ({"kind": "element", "target": button("Nothing like it"), "exists": False}, True),
    ({"kind": "element", "target": button("Edit")}, None),
    ({"kind": "state", "target": button("Save"), "state": {"enabled": True}}, True),
    ({"kind": "state", "target": button("Delete"), "state": {"enabled": True}}, False),
    ({"kind": "state", "target": button("Edit"), "state": {"enabled": True}}, None),
    (appeared("Save"), True),
    (appeared("Gone"), False),
    ({"kind": "signal", "signal": {"kind": "toast.contains", "text": "saved"}}, None),
    (parameter("title", "exists"), True),
    (parameter("nothing", "exists"), False),
    (parameter("title", "eq", "Intro"), True),
    (parameter("on", "eq", 1), False),
    (parameter("title", "neq", "Intro"), False),
    (parameter("title", "in", ["Intro", "Other"]), True),
    (parameter("count", "gt", 2), True),
    (parameter("count", "gte", 4), False),
    (parameter("count", "lt", 4), True),
    (parameter("count", "lte", 2), False),
    (parameter("title", "gt", 2), None),
    (parameter("title", "matches", "^In"), True),
    (parameter("title", "matches", "("), None),
    (parameter("nothing", "neq", "x"), False),
    ({"kind": "grant", "grant": "act"}, True),
    ({"kind": "grant", "grant": "admin"}, False),
    (YES, True),
    (NO, False),
    ({"kind": "capability", "actionId": "video.create"}, True),
    ({"kind": "capability", "actionId": "video.delete"}, False),
    ({"kind": "result", "stepId": "create", "path": "id", "op": "eq", "value": 7}, True),
    ({"kind": "result", "stepId": "create", "path": "tags.0", "op": "neq", "value": "a"}, False),
    ({"kind": "result", "stepId": "create", "op": "exists"}, True),
    ({"kind": "result", "stepId": "later", "op": "exists"}, False),
    ({"kind": "all", "conditions": [YES, YES]}, True),
    ({"kind": "all", "conditions": [YES, UNKNOWN]}, None),
    ({"kind": "all", "conditions": [NO, UNKNOWN]}, False),
    ({"kind": "any", "conditions": [NO, YES]}, True),
    ({"kind": "any", "conditions": [UNKNOWN, NO]}, None),
    ({"kind": "any", "conditions": []}, False),
    ({"kind": "not", "condition": NO}, True),
    ({"kind": "not", "condition": YES}, False),
    ({"kind": "not", "condition": UNKNOWN}, None),
    ({"kind": "custom", "name": "weekday", "params": {"day": "monday"}}, True),
    ({"kind": "custom", "name": "weekday"}, False),
    ({"kind": "custom", "name": "unsure"}, None),
]


def condition(plain: dict[str, Any]) -> WorkflowCondition:
    return msgspec.convert(plain, WorkflowCondition)  # type: ignore[call-overload, no-any-return]


@pytest.mark.requirement("WF-5b")
@pytest.mark.parametrize(("plain", "holds"), CASES, ids=str)
def test_each_kind_is_judged_on_the_live_state(plain: dict[str, Any], holds: bool | None) -> None:
    verdict = judge(condition(plain), FACTS)
    assert verdict.holds is holds
    assert bool(verdict.why) is (holds is None)


@pytest.mark.requirement("WF-5b")
def test_all_thirteen_kinds_are_there_and_tested() -> None:
    assert set(CONDITIONS) == set(WORKFLOW_CONDITION_KINDS) == {plain["kind"] for plain, _ in CASES}


@pytest.mark.requirement("WF-5b")
@pytest.mark.parametrize("plain", [plain for plain, holds in CASES if holds is None], ids=str)
def test_an_undecidable_condition_is_false_and_warned_about(plain: dict[str, Any]) -> None:
    negated = {"kind": "not", "condition": plain}
    holds, warnings = judge_groups([[condition(plain)], [condition(negated)], []], FACTS)
    assert holds == (False, False, True)
    assert len(warnings) == 2


def test_without_a_page_its_conditions_cannot_be_decided() -> None:
    for plain, _ in CASES[:12]:
        assert judge(condition(plain), ConditionFacts()).holds is None
