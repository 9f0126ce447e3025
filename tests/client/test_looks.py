"""Looks between the steps of one call: the message they send, and the result they become."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from uiap.client.looks import look_of, look_result
from uiap.client.steps import Step, lasting_query, parse_steps, value_read
from uiap.spec.action import ActionResultPayload
from uiap.spec.messages import MESSAGES

SAVED = {"kind": "custom", "name": "text.appeared", "payload": {"text": "Saved 7"}}


@pytest.mark.parametrize(
    ("line", "message", "members"),
    [
        ("observe", "outline", {"budget": 400}),
        ("observe Cart", "outline", {"scope": "Cart", "budget": 400}),
        ("find Delete --near Dune", "find", {"text": "Delete", "near": "Dune", "limit": 5}),
        ("wait idle", "wait", {"idle": True, "timeoutMs": 10_000}),
        ("wait text Saved 7", "expect", {"signals": [SAVED], "timeoutMs": 10_000}),
        ('wait text "Saved 7"', "expect", {"signals": [SAVED], "timeoutMs": 10_000}),
        ("expect text.appeared:Saved 7", "expect", {"signals": [SAVED], "timeoutMs": 5_000}),
    ],
)
def test_a_look_is_one_message(line: str, message: str, members: dict[str, Any]):
    look = parse_steps(line)[0].look
    assert look is not None
    assert (look.message, dict(look.members)) == (f"x.uiap.tools.{message}", members)
    msgspec.convert(look.members, MESSAGES[look.message].payload)


def test_json_names_the_signals_of_a_look():
    look = parse_steps([{"do": "expect", "expect": ["toast.contains:saved"]}])[0].look
    assert look is not None
    assert look.members["signals"] == [{"kind": "toast.contains", "text": "saved"}]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("find", "step 1: find needs the text"),
        ("expect", "step 1: expect needs a signal"),
        ("wait saved", "step 1: `saved` is not an expectation"),
    ],
)
def test_a_look_without_its_words_is_named(line: str, says: str):
    with pytest.raises(ValueError, match=says):
        parse_steps(line)


FOUND = {
    "element": {"instanceId": "e7", "role": "button", "name": "Delete"},
    "confidence": 0.9,
    "reason": "name",
    "record": "Dune",
}


@pytest.mark.parametrize(
    ("line", "reply", "read"),
    [
        ("observe", {"text": "[e1] button"}, "[e1] button"),
        ("find Delete", {"matches": [FOUND]}, '[e7] button "Delete"  0.90 name  in Dune'),
        ("find Delete", {"matches": []}, "no element matches `Delete`; try fewer words"),
        ("wait idle", {"done": True}, None),
        ("wait idle", {"done": False, "reason": "still busy"}, "it is not idle: still busy"),
        ("wait text Saved", {"passed": True, "verdicts": []}, None),
        (
            "wait text Saved 7",
            {"passed": False, "verdicts": [{"signal": SAVED, "holds": False}]},
            "not observed: text.appeared `Saved 7`",
        ),
    ],
)
def test_a_reply_becomes_a_result(line: str, reply: dict[str, Any], read: str | None):
    step = parse_steps(line)[0]
    assert step.look is not None
    result = look_result(step.look, reply)
    msgspec.convert(result, ActionResultPayload)
    if result["status"] == "succeeded":
        assert value_read(step, result["returnValue"]) == read
    else:
        assert result["error"]["message"] == read


def test_a_verb_is_no_look_and_reads_its_own_member():
    assert Step("click", "Save").look is None
    assert value_read(Step("text", "Save"), {"text": "Save"}) == "Save"
    assert value_read(Step("click", "Save"), None) is None


def test_drafts_are_checked_with_one_question_unless_one_has_no_proof():
    proof = {"kind": "value.equals", "target": {"by": "instanceId", "value": "e1"}, "value": "x"}
    assert lasting_query([[proof], [proof]]) == {"signals": [proof, proof], "timeoutMs": 300}
    assert lasting_query([[proof], []]) is None


def test_an_observed_part_may_be_named_by_hand():
    assert look_of("observe", "Cart").word == "observe"
