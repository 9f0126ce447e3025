"""Answered questions of an audit log."""

from __future__ import annotations

from msgspec import UNSET

from uiap.host.consent.answered import BY_ITSELF, answered_questions, question_facts
from uiap.host.records.audit import AuditEntry
from uiap.policy.learning import AnsweredQuestion
from uiap.runtime.grant_kind import GrantKind

KIND = GrantKind(
    action="ui.activate",
    origin="https://a.example",
    scope="the page",
    role="button",
    label="Invite Ann",
    args="",
    side_effect="external_effect",
    tags=("external_effect",),
)


def test_a_question_is_paired_with_the_answer_of_a_person() -> None:
    facts = question_facts(KIND)
    assert "Ann" not in str(facts)
    entries = [
        AuditEntry(kind="asked", ts="", session="s", handle="h1", detail=facts),
        AuditEntry(kind="asked", ts="", session="s", handle="h2", detail=facts),
        AuditEntry(kind="granted", ts="", session="s", handle="h2"),
        AuditEntry(kind="denied", ts="", session="s", handle="h1"),
        AuditEntry(kind="asked", ts="", session="s", handle="h3", detail=facts),
        AuditEntry(kind="granted", ts="", session="s", handle="h3", reason=BY_ITSELF),
        AuditEntry(kind="asked", ts="", session="s", handle="h4"),
        AuditEntry(kind="granted", ts="", session="s", handle="h4"),
    ]
    found = list(answered_questions(entries))
    assert [granted for _, granted in found] == [True, False]
    assert found[0][0] == AnsweredQuestion(
        action="ui.activate",
        origin="https://a.example",
        role="button",
        side_effect="external_effect",
        risk_tags=("external_effect",),
    )


def test_a_question_without_a_kind_has_no_facts() -> None:
    assert question_facts(None) is UNSET
