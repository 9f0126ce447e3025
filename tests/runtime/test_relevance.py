"""The facts that a trace lists, and those it only counts."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.runtime.relevance import SHOWN, TraceFact, cause, relevance


def happening(kind: Any, **members: Any) -> TraceFact:
    return TraceFact(kind=kind, **{"after": True, **members})


@pytest.mark.requirement("MDM-R7")
@pytest.mark.parametrize(
    ("what", "is_", "listed"),
    [
        (happening("request", ours=True), "caused", True),
        (happening("request"), "coincident", True),
        (happening("request", background=True), "background", False),
        (happening("request", background=True, failed=True), "background", False),
        (happening("request", after=False, ours=True), "background", False),
        (happening("asset"), "coincident", False),
        (happening("asset", ours=True), "caused", True),
        (happening("console", level="log"), "coincident", True),
        (happening("console", level="log", app=False), "coincident", False),
        (happening("console", level="error"), "coincident", True),
        (happening("console", level="error", background=True), "background", False),
        (happening("error", failed=True), "coincident", True),
        (happening("signal", ours=True), "caused", True),
        (happening("minor_signal"), "coincident", False),
        (happening("dialog", ours=True), "caused", True),
    ],
)
def test_each_fact_is_classified_and_scored(what: TraceFact, is_: str, listed: bool) -> None:
    assert cause(what) == is_
    assert (relevance(what) >= SHOWN) is listed


@pytest.mark.requirement("MDM-R7")
def test_caused_facts_rank_before_coincident_ones_and_failures_before_both() -> None:
    caused, beside = relevance(happening("request", ours=True)), relevance(happening("request"))
    failed = relevance(happening("request", ours=True, failed=True))
    assert beside < caused < failed <= 1.0
