"""Parameters: each rule refuses what it should, with a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workflow.simulated import DONE, definition
from uiap.spec.workflow import WorkflowParameter
from uiap.workflow.parameters import never_collected, problem, problems

CASES: list[tuple[dict[str, Any], Any, str | None]] = [
    ({"type": "string"}, "x", None),
    ({"type": "string"}, 1, "`p` must be of type string"),
    ({"type": "number"}, 1.5, None),
    ({"type": "number"}, True, "`p` must be of type number"),
    ({"type": "boolean"}, 0, "`p` must be of type boolean"),
    ({"type": "object"}, {}, None),
    ({"type": "object"}, [], "`p` must be of type object"),
    ({"type": "array"}, [1], None),
    ({"type": "array", "max": 1}, [1, 2], "`p` must be at most 1 entries"),
    ({"type": "enum", "enum": ("a", "b")}, "a", None),
    ({"type": "enum", "enum": ("a", "b")}, "c", "`p` must be one of `a`, `b`"),
    ({"type": "string", "pattern": "^[a-z]+$"}, "abc", None),
    ({"type": "string", "pattern": "^[a-z]+$"}, "ABC", "`p` must match `^[a-z]+$`"),
    ({"type": "string", "min": 2}, "a", "`p` must be at least 2 characters"),
    ({"type": "number", "min": 2}, 1, "`p` must be at least 2"),
    ({"type": "number", "max": 2}, 3, "`p` must be at most 2"),
    ({"type": "number", "min": 2}, float("nan"), "`p` must be at least 2"),
    (
        {"type": "string", "data_class": "credential"},
        "hunter2",
        "`p` is credential; a person enters it in the application",
    ),
]


@pytest.mark.requirement("WF-5", "WF-12")
@pytest.mark.parametrize(("members", "value", "why"), CASES, ids=str)
def test_a_value_is_checked(members: dict[str, Any], value: Any, why: str | None) -> None:
    assert problem(WorkflowParameter(name="p", **members), value) == why


def test_a_required_value_that_no_step_asks_for_must_be_given() -> None:
    title = {"name": "title", "type": "string", "required": True}
    secret = {"name": "password", "type": "string", "required": True, "dataClass": "secret"}
    alone = definition(DONE, parameters=[title, secret])
    assert never_collected(alone, {}) == ["parameter `title` is required; pass a value"]
    assert never_collected(alone, {"title": "x"}) == []
    asked = definition({"id": "a", "type": "collect", "parameterNames": ["title"]}, DONE, parameters=[title])
    assert never_collected(asked, {}) == []


def test_an_undeclared_parameter_is_a_problem() -> None:
    assert problems(definition(DONE), {"x": 1}) == ["there is no parameter `x`; the workflow has none"]
