"""The static rules of one workflow definition."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.workflow.validation import rule_violations, unverified_actions

DONE = {"id": "done", "type": "complete"}


def ask(id: str = "ask", **members: Any) -> dict[str, Any]:
    return {"id": id, "type": "collect", "parameterNames": ["title"], **members}


def codes(*steps: dict[str, Any], **members: Any) -> list[str]:
    parameters = members.pop("parameters", [{"name": "title", "type": "string"}])
    definition = {"initialStepId": steps[0]["id"], "steps": list(steps), "parameters": parameters, **members}
    return [violation.code for violation in rule_violations(definition)]


def test_a_plain_workflow_violates_no_rule() -> None:
    assert codes(ask(next="done"), DONE) == []


@pytest.mark.parametrize(
    ("steps", "members", "code"),
    [
        ((ask(next="nowhere"), DONE), {}, "unknown_step"),
        ((ask(), ask(), DONE), {}, "duplicate_step"),
        ((ask(), {**DONE, "next": "ask"}), {}, "next_after_complete"),
        ((ask(parameterNames=["other"]), DONE), {}, "unknown_parameter"),
        ((ask(), DONE), {"initialStepId": "x"}, "unknown_step"),
        ((ask(), DONE), {"onFailure": {"goto": "x"}}, "unknown_step"),
        ((ask(), DONE), {"parameters": [{"name": "title", "type": "enum"}]}, "enum_without_values"),
        ((ask(), DONE), {"parameters": [{"name": "title", "type": "string"}] * 2}, "duplicate_parameter"),
        (
            (ask(), DONE),
            {"parameters": [{"name": "title", "type": "string", "dataClass": "credential"}]},
            "collects_secret",
        ),
        ((DONE,), {}, "unused_parameter"),
    ],
)
def test_a_violated_rule_is_reported_by_its_code(
    steps: tuple[dict[str, Any], ...], members: dict[str, Any], code: str
) -> None:
    assert code in codes(*steps, **members)


def test_a_cycle_of_steps_that_never_wait_is_endless_and_one_with_a_question_is_not() -> None:
    one, two = ({"id": id, "type": "instruction", "next": next} for id, next in (("a", "b"), ("b", "a")))
    assert any("cycle" in code or "endless" in code for code in codes(one, two, DONE, parameters=[]))
    asking = ask("a", next="b")
    assert not any("cycle" in code or "endless" in code for code in codes(asking, two, DONE))


def test_an_action_without_verification_is_reported_unless_the_next_step_ensures_it() -> None:
    save = {"id": "save", "type": "action", "actionId": "video.create"}
    check = {"id": "check", "type": "ensure", "signals": [{"kind": "route.changed"}]}
    assert [id for _, id in unverified_actions({"steps": [save, DONE]})] == ["video.create"]
    assert list(unverified_actions({"steps": [save, check, DONE]})) == []
