"""A start that cannot be is refused with its own code."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workflow.simulated import DONE, definition
from uiap.spec.workflow import WorkflowErrorDescriptor, WorkflowStartPayload
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.index import Situation
from uiap.workflow.run import WorkflowTerms
from uiap.workflow.start import start_terms

ALL = frozenset({"observe", "guide", "draft", "act"})
TITLE = {"name": "title", "type": "string", "required": True}
WORKFLOW = definition(
    DONE,
    parameters=[TITLE],
    interactionModes=["auto", "guide"],
    entryConditions=[{"kind": "role", "role": "editor"}],
)
BROKEN = definition({"id": "a", "type": "instruction", "text": "x", "next": "nowhere"}, id="broken")


def start(grants: frozenset[str] = ALL, role: str = "editor", **asked: Any) -> Any:
    members = {"workflow_id": "video.create-first", "parameters": {"title": "T"}, **asked}
    facts = ConditionFacts(roles=frozenset({role}))
    situation = Situation(grants=grants, roles=frozenset({role}))
    return start_terms([WORKFLOW, BROKEN], WorkflowStartPayload(**members), "wf_1", situation, facts)


@pytest.mark.requirement("WF-9b", "WF-13")
@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"workflow_id": "nothing"}, "unknown_workflow"),
        ({"workflow_id": "broken"}, "unknown_workflow"),
        ({"version": "9.0.0"}, "version_mismatch"),
        ({"mode": "assist"}, "mode_not_allowed"),
        ({"grants": frozenset({"observe"})}, "missing_grant"),
        ({"parameters": {"title": 1}}, "invalid_parameter"),
        ({"parameters": {}}, "invalid_parameter"),
        ({"role": "guest"}, "entry_condition_failed"),
    ],
    ids=str,
)
def test_a_start_that_cannot_be_is_refused(asked: dict[str, Any], code: str) -> None:
    refused = start(**asked)
    assert isinstance(refused, WorkflowErrorDescriptor)
    assert refused.code == code


@pytest.mark.requirement("WF-2")
def test_the_terms_pin_definition_and_mode() -> None:
    begun = start(version="1.0.0")
    assert isinstance(begun, WorkflowTerms)
    assert (begun.mode, begun.definition, begun.parameters) == ("auto", WORKFLOW, {"title": "T"})
    assert start(mode="guide", grants=frozenset({"observe", "guide"})).mode == "guide"


@pytest.mark.requirement("WF-12")
@pytest.mark.parametrize("data_class", ["credential", "secret", "payment"])
def test_a_definition_that_collects_a_secret_does_not_start(data_class: str) -> None:
    asks = {"id": "ask", "type": "collect", "parameterNames": ["password"]}
    secret = {"name": "password", "type": "string", "dataClass": data_class}
    workflow = definition(asks, DONE, parameters=[secret])
    asked = WorkflowStartPayload(workflow_id=workflow.id)
    refused = start_terms([workflow], asked, "wf_1", Situation(grants=ALL))
    assert isinstance(refused, WorkflowErrorDescriptor)
    assert "a person must enter it" in refused.message
