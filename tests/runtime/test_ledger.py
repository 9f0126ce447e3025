"""The rule of idempotency keys, row by row."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.runtime.ledger import (
    Admission,
    Fresh,
    InProgress,
    KeyConflict,
    LedgerEntry,
    Replay,
    ReportedPage,
    UnknownOutcome,
    UnknownOutcomes,
    admit,
    claim,
    digest,
    replay_result,
)
from uiap.spec.action import ActionRequestPayload, ActionResultPayload, VerificationOutcome


def result(status: Any = "succeeded", effect: Any = "applied") -> ActionResultPayload:
    return ActionResultPayload(
        action_handle="act_1",
        action_id="ui.activate",
        status=status,
        verification=VerificationOutcome(passed=status == "succeeded", policy="all", observed=()),
        side_effect_state=effect,
        metadata={"outcome": "success"},
    )


TAKEN, MEANT = LedgerEntry("claim", "act_1", "d"), LedgerEntry("intent", "act_1", "d")
DONE = result()


def ended(*replayed: Any) -> LedgerEntry:
    return LedgerEntry("outcome", "act_1", "d", result(*replayed))


@pytest.mark.requirement("ACT-13.3", "ACT-3.2", "ACT-15")
@pytest.mark.parametrize(
    ("entries", "live", "answer"),
    [
        ((), (), Fresh),
        ((TAKEN,), (), Fresh),
        ((TAKEN,), ("act_1",), InProgress),
        ((TAKEN, MEANT), ("act_1",), InProgress),
        ((TAKEN, MEANT), (), UnknownOutcome),
        ((TAKEN, MEANT, ended()), (), Replay),
        ((TAKEN, ended("failed", "none")), (), Replay),
        ((TAKEN, MEANT, ended("failed", "unknown")), (), UnknownOutcome),
        ((TAKEN, MEANT, ended("cancelled", "unknown")), (), UnknownOutcome),
        ((LedgerEntry("claim", "act_0", "other"),), (), KeyConflict),
        ((LedgerEntry("claim", "act_0", "other"), ended()), ("act_0",), KeyConflict),
    ],
)
def test_a_key_is_replayed_refused_or_admitted(
    entries: tuple[LedgerEntry, ...], live: tuple[str, ...], answer: type[Admission]
) -> None:
    assert isinstance(admit(entries, "d", live, ()), answer)


def test_a_key_that_was_claimed_and_never_used_is_admitted() -> None:
    assert admit((TAKEN,), "d", (), ()) == Fresh(claimed=True)


DRAFT = LedgerEntry("page_outcome", "act_1", "d", result())


@pytest.mark.parametrize(
    ("entries", "here", "answer"),
    [
        ((TAKEN, DRAFT), ("act_1",), Replay),
        ((TAKEN, DRAFT), (), Fresh),
        ((TAKEN, MEANT, DRAFT), ("act_1",), Replay),
        ((TAKEN, MEANT, DRAFT), (), UnknownOutcome),
        ((TAKEN, MEANT, DRAFT), ("act_9",), UnknownOutcome),
        ((TAKEN, DRAFT, LedgerEntry("page_outcome", "act_2", "d", result())), ("act_1",), Replay),
    ],
)
def test_an_effect_in_a_page_is_replayed_only_for_that_page(
    entries: tuple[LedgerEntry, ...], here: tuple[str, ...], answer: type[Admission]
) -> None:
    assert isinstance(admit(entries, "d", (), here), answer)


def test_a_replayed_result_has_the_new_handle_and_names_the_original() -> None:
    replayed = replay_result(DONE, "act_2")
    assert replayed.action_handle == "act_2"
    assert replayed.metadata == {"outcome": "success", "replayed": True, "originalHandle": "act_1"}


def test_the_digest_does_not_cover_key_presentation_and_metadata() -> None:
    def asked(**members: Any) -> str:
        return digest(ActionRequestPayload(action_id="ui.activate", **members))

    assert asked(idempotency_key="a") == asked(idempotency_key="b", metadata={"trace": True})
    assert asked(args={"a": 1, "b": 2}) == asked(args={"b": 2, "a": 1})
    assert asked(args={"a": 1}) != asked(args={"a": 2})
    assert asked() != asked(timeout_ms=5)


def test_a_key_belongs_to_one_app_and_one_principal() -> None:
    mine = claim("http://a", "ann", "k")
    assert (
        len(
            {
                mine,
                claim("http://b", "ann", "k"),
                claim("http://a", "bob", "k"),
                claim("http://a", "ann", "l"),
            }
        )
        == 4
    )


@pytest.mark.requirement("ACT-13.3")
def test_without_a_key_the_same_request_is_refused_until_a_later_revision_was_reported() -> None:
    unknown = UnknownOutcomes()
    assert unknown.refusal("ann", "d", ReportedPage("rev_1", 1)) is None
    unknown.record("ann", "d", False, ReportedPage("rev_1", 1))
    assert "observe the page" in str(unknown.refusal("ann", "d", ReportedPage("rev_1", 1)))
    assert unknown.refusal("ann", "d", ReportedPage("rev_1", 2)) is not None, (
        "a second snapshot of the old revision shows nothing new"
    )
    assert unknown.refusal("ann", "d", ReportedPage("rev_2", 2)) is None
    assert unknown.refusal("ann", "other", ReportedPage("rev_1", 1)) is None
    assert unknown.refusal("bob", "d", ReportedPage("rev_1", 1)) is None


def test_a_caller_who_entered_a_value_since_does_not_repeat_a_request() -> None:
    unknown = UnknownOutcomes()
    unknown.record("ann", "d", False, ReportedPage("rev_1", 1))
    unknown.record("bob", "text", True, ReportedPage("rev_1", 1), entered=True)
    assert unknown.refusal("ann", "d", ReportedPage("rev_1", 1)) is not None
    unknown.record("ann", "text", True, ReportedPage("rev_1", 1), entered=True)
    assert unknown.refusal("ann", "d", ReportedPage("rev_1", 1)) is None
