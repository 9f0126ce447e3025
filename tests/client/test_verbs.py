"""The table of verbs: its rows are actions that exist, and words become the request of an action."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from uiap.actions.registry import ACTIONS
from uiap.client.verbs import VERBS, VerbError, action_request, element_ref, target_reference
from uiap.runtime.args import argument_faults
from uiap.runtime.word_target import PREFIX, WordTarget, parse_word_target
from uiap.spec.action import ActionRequestPayload

VALUES: dict[str, Any] = {"number_or_text": "12", "texts": ["a", "b"], "files": "/tmp/a.txt"}


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_is_a_valid_request_of_an_existing_action(name: str):
    verb = VERBS[name]
    value = VALUES.get(verb.kind, "words") if verb.value != "none" else None
    request = msgspec.convert(action_request(name, "Title", value), ActionRequestPayload)
    action = ACTIONS[request.action_id]
    assert argument_faults(action, dict(request.args or {})) == []
    assert verb.summary.endswith(".")


def test_text_stays_text_even_if_it_looks_like_a_number():
    assert action_request("fill", "Phone", "0321")["args"] == {"text": "0321"}
    assert action_request("fill", "Count", 321)["args"] == {"text": "321"}
    assert action_request("set", "Length", "12")["args"] == {"value": 12}
    assert action_request("set", "Date", "2026-03-01")["args"] == {"value": "2026-03-01"}


@pytest.mark.parametrize(
    ("words", "ref"),
    [
        ("e53", "e53"),
        ("[e53]", "e53"),
        ("@e53", "e53"),
        ("d2e53", "d2e53"),
        ("@d2e5", "d2e5"),
        ("Save", None),
        ("d2", None),
    ],
)
def test_a_ref_is_told_from_a_name(words: str, ref: str | None):
    assert element_ref(words) == ref


def test_a_name_becomes_words_that_the_runtime_reads():
    target = target_reference("Delete “all”", near="user-7", within="Users")
    assert target is not None
    value = target["ref"]["value"]
    assert parse_word_target(value) == WordTarget(text="Delete “all”", near="user-7", within="Users")
    assert json.loads(value.removeprefix(PREFIX))["near"] == "user-7"


def test_a_ref_with_a_role_expects_that_role():
    assert target_reference("d2e53", role="button") == {
        "ref": {"by": "instanceId", "value": "d2e53"},
        "expectedRole": "button",
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("click",), "click needs an element: its name in quotes, or its ref"),
        (("fill", "Title"), "fill needs a text"),
        (("drag", "Card"), "drag needs an element"),
        (("jump", "Title"), "`jump` is not a verb; the verbs are click, "),
    ],
)
def test_missing_words_are_named(given: tuple[str, ...], message: str):
    with pytest.raises(VerbError) as raised:
        action_request(*given)
    assert str(raised.value).startswith(message)
