"""The counts that `uiap conformance requirements` prints."""

from __future__ import annotations

from uiap.cli.conformance import _counts, _line
from uiap.conformance.ledger import Requirement, RequirementLedger


def test_a_requirement_is_proved_or_cited_or_missing() -> None:
    ids = ("A-1", "A-2", "A-3")
    book = RequirementLedger(
        requirements={id: Requirement(id=id, level="MUST", text="") for id in ids},
        specs={"A": list(ids)},
        citations={"A-1": ["x"], "A-2": ["y"]},
        broken=frozenset({"A-1", "A-3"}),
    )
    counts = _counts(book, set(ids))
    assert counts == {"total": 3, "covered": 2, "proved": 1, "cited": 1, "missing": 1}
    assert _line("A", counts) == "A       1 proved,   1 cited,   1 missing of   3"
