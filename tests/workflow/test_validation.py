"""Static validation: each rule, with its sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workflow.simulated import DONE, ONCE
from uiap.workflow.validation import rule_violations, unverified_actions


def plain(*steps: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"initialStepId": steps[0]["id"], "steps": list(steps), **members}


SHOW: dict[str, Any] = {"id": "a", "type": "instruction", "text": "x"}
TITLE: dict[str, Any] = {"name": "title", "type": "string"}
LATER = {"kind": "result", "stepId": "nothing", "op": "exists"}
CASES: list[tuple[dict[str, Any], str, str]] = [
    (plain(SHOW, SHOW, DONE), "duplicate_step", "step `a` occurs twice"),
    (plain(SHOW, DONE, initialStepId="z"), "unknown_step", "there is no step `z`"),
    (plain({**SHOW, "next": "z"}, DONE), "unknown_step", "there is no step `z`"),
    (plain({**SHOW, "onFailure": {"goto": "z"}}, DONE), "unknown_step", "there is no step `z`"),
    (plain(SHOW, {**DONE, "next": "a"}), "next_after_complete", "a `complete` step ends the workflow"),
    (plain(SHOW), "no_complete", "no `complete` step can be reached"),
    (
        plain({**SHOW, "next": "done"}, {"id": "b", **ONCE}, DONE),
        "unreachable_step",
        "step `b` is never reached",
    ),
    (plain(DONE, SHOW), "unreachable_step", "step `a` is never reached"),
    (
        plain({**SHOW, "next": "b"}, {"id": "b", **ONCE, "next": "a", "onFailure": {"goto": "done"}}, DONE),
        "endless_cycle",
        "the steps around `a` can repeat without ever waiting",
    ),
    (
        plain({"id": "b", **ONCE, "args": {"x": {"$param": "p"}}}, DONE),
        "unknown_parameter",
        "there is no parameter `p`",
    ),
    (plain({**SHOW, "text": "{{p}}"}, DONE), "unknown_parameter", "there is no parameter `p`"),
    (plain(SHOW, DONE, parameters=[TITLE, TITLE]), "duplicate_parameter", "parameter `title` occurs twice"),
    (plain(SHOW, DONE, parameters=[TITLE]), "unused_parameter", "parameter `title` is never used"),
    (
        plain(SHOW, DONE, parameters=[{**TITLE, "pattern": "("}]),
        "bad_pattern",
        "the pattern of `title` is no regular expression",
    ),
    (
        plain(
            {"id": "c", "type": "collect", "parameterNames": ["title"]},
            DONE,
            parameters=[{**TITLE, "dataClass": "secret"}],
        ),
        "collects_secret",
        "`title` is secret; a person must enter it (use `handoff`)",
    ),
    (
        plain({"id": "b", **ONCE, "args": {"x": {"$result": "nothing.id"}}}, DONE),
        "unknown_result",
        "`b` uses the result of `nothing`, which is not a step",
    ),
    (
        plain({**SHOW, "when": [{"kind": "not", "condition": LATER}]}, DONE),
        "unknown_result",
        "`a` uses the result of `nothing`, which is not a step",
    ),
]


@pytest.mark.requirement("WF-13")
@pytest.mark.parametrize(("definition", "code", "message"), CASES, ids=[code for _, code, _ in CASES])
def test_a_violated_rule_is_named(definition: dict[str, Any], code: str, message: str) -> None:
    assert (code, message) in [(one.code, one.message) for one in rule_violations(definition)]


def test_a_good_definition_violates_nothing() -> None:
    loop = {"id": "more", "type": "branch", "branches": [{"when": [], "next": "a"}], "otherwise": "done"}
    assert rule_violations(plain(SHOW, {"id": "b", **ONCE}, loop, DONE)) == []


def test_an_action_that_nothing_verifies_is_found() -> None:
    ensure = {"id": "e", "type": "ensure", "signals": []}
    assert [*unverified_actions(plain({"id": "b", **ONCE}, DONE))] == [(0, "video.create")]
    assert [*unverified_actions(plain({"id": "b", **ONCE}, ensure, DONE))] == []
