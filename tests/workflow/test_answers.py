"""The event by which a waiting run goes on depends on what it waits for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workflow.simulated import AT, DONE, SimulatedHost, definition, terms
from uiap.workflow import events as when
from uiap.workflow.answers import go_on

COLLECT: dict[str, Any] = {"id": "a", "type": "collect", "parameterNames": ["title"]}
TITLE: dict[str, Any] = {"parameters": [{"name": "title", "type": "string", "required": True}]}


@pytest.mark.parametrize(
    ("step", "members", "mode", "expected"),
    [
        (COLLECT, TITLE, "auto", when.InputProvided(at=AT, values={"title": "x"})),
        (
            {"id": "a", "type": "action", "actionId": "video.create"},
            {},
            "assist",
            when.Granted(at=AT, by="ann"),
        ),
        (
            {"id": "a", "type": "instruction", "text": "read", "acknowledge": "user"},
            {},
            "auto",
            when.Acknowledged(at=AT, by="ann"),
        ),
        (
            {"id": "a", "type": "handoff", "handoff": {"reason": "other"}},
            {},
            "auto",
            when.HandedBack(at=AT, done=True, by="ann"),
        ),
    ],
)
def test_the_answer_fits_what_the_run_waits_for(
    step: dict[str, Any], members: dict[str, Any], mode: str, expected: when.Event
) -> None:
    waits = dict.fromkeys(("AskInput", "AskConfirmation", "Show", "HandOff"))
    host = SimulatedHost(terms(definition(step, DONE, **members), mode=mode), **waits).run()
    assert go_on(host.machine, AT, "ann", {"title": "x"}) == expected


def test_a_paused_run_is_resumed() -> None:
    host = SimulatedHost(terms(definition(COLLECT, DONE, **TITLE)), AskInput=None).run()
    host.machine.handle(when.Paused(at=AT))
    assert go_on(host.machine, AT, "ann", {}) == when.Resumed(at=AT, parameters={})
