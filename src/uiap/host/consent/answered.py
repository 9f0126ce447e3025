"""The answered questions of an audit log: the facts of each question, and whether the person granted it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import UNSET, UnsetType

from uiap.host.records.audit import AuditEntry
from uiap.policy.learning import AnsweredQuestion
from uiap.runtime.grant_kind import GrantKind
from uiap.spec.base import JsonObject

BY_ITSELF = "remembered for this session"
"""The reason of a grant that nobody gave now: an earlier answer was used."""


def question_facts(kind: GrantKind | None) -> JsonObject | UnsetType:
    """Return the facts of a question for the audit log, without the label: it may repeat a private value."""
    if kind is None:
        return UNSET
    question = AnsweredQuestion(
        action=kind.action,
        origin=kind.origin,
        role=kind.role,
        stable_id=kind.stable_id,
        side_effect=kind.side_effect,
        risk_tags=kind.tags,
    )
    facts: JsonObject = {"question": msgspec.to_builtins(question)}
    return facts


def answered_questions(entries: Iterable[AuditEntry]) -> Iterator[tuple[AnsweredQuestion, bool]]:
    """Yield each question that a person answered, with whether they granted it."""
    asked: dict[tuple[str, str], AnsweredQuestion] = {}
    for entry in entries:
        key = (entry.session, entry.handle)
        if entry.kind == "asked" and entry.detail is not UNSET and "question" in entry.detail:
            asked[key] = msgspec.convert(entry.detail["question"], AnsweredQuestion)
        elif entry.kind in ("granted", "denied") and entry.reason != BY_ITSELF and key in asked:
            yield asked.pop(key), entry.kind == "granted"
