"""The question to a person: the action in plain words, and arguments without private values."""

from __future__ import annotations

from typing import Any

from tests.support.playbook import button
from uiap.policy.appraisal import Appraisal
from uiap.policy.evaluate import Ruling
from uiap.runtime.confirmation import MASK, Question, masked_args, pose, summary
from uiap.runtime.resolve import Candidate, Resolved, ScoredCandidate


def resolved(name: str = "Delete", **members: Any) -> Resolved:
    record = members.pop("record", None)
    candidate = Candidate(element=button(name, **members), by="semantic", record=record)
    return Resolved(ScoredCandidate(candidate, 100.0, ()))


def test_the_summary_names_action_element_and_record() -> None:
    assert summary("ui.activate", {}, resolved(record="video:7")) == "activate the button “Delete” of video:7"
    assert summary("x.uiap.longPress", {}, resolved()) == "long press the button “Delete”"
    assert summary("ui.enterText", {}, resolved()) == "enter text into the button “Delete”"
    assert summary("nav.navigate", {"url": "/billing"}, None) == "navigate /billing"


def test_visible_text_that_differs_from_the_name_is_shown_too() -> None:
    assert "shown as “Delete all”" in summary("ui.activate", {}, resolved("Save", text="Delete all"))


def test_private_arguments_are_masked_and_a_named_secret_stays_a_name() -> None:
    args = {"text": "hunter2", "secret": {"secret": "crm"}, "checked": True}
    assert masked_args(args, masked=True) == {"text": MASK, "secret": {"secret": "crm"}, "checked": True}
    assert masked_args(args, masked=False) == args


def test_the_question_gives_the_deciding_rule_and_every_reason() -> None:
    ruling = Ruling(effect="confirm", reason="rule", decided_by="team/publishing")
    appraisal = Appraisal(level="confirm", tags=frozenset({"billing"}), because=("“pay” suggests billing",))
    posed = pose("act_1", Question(action_id="ui.activate", args={}, resolved=resolved()), ruling, appraisal)
    assert posed.summary == "activate the button “Delete”"
    assert posed.risk.tags == ("billing",)
    assert "team/publishing" in str(posed.risk.reason) and "suggests billing" in str(posed.risk.reason)


def test_arguments_of_private_fields_are_masked_in_the_question() -> None:
    ruling = Ruling(effect="confirm", reason="rule", decided_by="r")
    private = Appraisal(data_classes=frozenset({"credential"}))
    question = Question(action_id="ui.enterText", args={"text": "hunter2"}, resolved=resolved())
    payload = pose("act_1", question, ruling, private).payload()
    assert "hunter2" not in str(payload)
