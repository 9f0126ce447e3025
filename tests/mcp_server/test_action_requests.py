"""The request of a tool call: verbs and action ids, with the older words for a target."""

from __future__ import annotations

import json
from typing import Any

import pytest

from uiap.client.steps import Step
from uiap.errors import InvalidPayload
from uiap.mcp_server.action_requests import act_request, parse_given_steps, read_request

NO_SESSION: Any = None


async def test_a_verb_and_an_action_id_become_the_same_request():
    verb = await act_request(NO_SESSION, {"do": "fill", "ref": "d2e5", "value": "Hello"})
    by_id = await act_request(NO_SESSION, {"do": "ui.enterText", "ref": "d2e5", "args": {"text": "Hello"}})
    assert verb == by_id


async def test_a_name_is_resolved_by_the_runtime():
    request = await act_request(NO_SESSION, {"do": "click", "target": "Delete", "near": "user-7"})
    value = request["target"]["ref"]["value"]
    assert json.loads(value.removeprefix("words:")) == {"text": "Delete", "near": "user-7"}


async def test_options_and_expected_effects_are_kept():
    toast = {"kind": "toast.contains", "text": "x"}
    given = {
        "do": "click",
        "target": "Save",
        "timeout": 2,
        "key": "k",
        "mode": "semanticUi",
        "expect": [toast],
    }
    request = await act_request(NO_SESSION, given)
    assert (request["timeoutMs"], request["idempotencyKey"]) == (2_000, "k")
    assert request["preferredExecutionModes"] == ["semanticUi"]
    assert request["verification"] == {"policy": "all", "signals": [toast]}


def test_role_and_name_read_an_element():
    request = read_request({"role": "table", "name": "Loans", "what": "rows"})
    assert request["target"] == {"ref": {"by": "semantic", "role": "table", "name": "Loans"}}
    with pytest.raises(InvalidPayload, match="name the element"):
        read_request({"what": "text"})


def test_steps_take_ref_and_name_as_their_target():
    steps = parse_given_steps([{"do": "click", "ref": "d2e5"}, {"do": "fill", "name": "Title", "value": "x"}])
    assert steps == [Step("click", "d2e5"), Step("fill", "Title", "x")]
