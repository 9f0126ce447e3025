"""Compare the claim of a tool with the truth of the page and of the server."""

from __future__ import annotations

from typing import Any, Literal

from apps.grammar.cases import Case

Verdict = Literal["right", "false success", "false failure", "missed", "wrong effect"]
VERDICTS: tuple[Verdict, ...] = ("right", "false success", "false failure", "missed", "wrong effect")
"""`false failure`: done, and reported as failed. `missed`: not carried out, and reported as failed."""


def judge(case: Case, claimed: bool, page: dict[str, Any], records: list[str]) -> Verdict:
    """Return the verdict. `page` is the page's `__truth`, `records` are the server's records of the trial."""
    if is_as_constructed(case, page, records):
        if claimed == case.truth.succeeds:
            return "right"
        return "false success" if claimed else "false failure"
    if is_untouched(page, records):
        return "false success" if claimed else "missed"
    return "wrong effect"


def is_as_constructed(case: Case, page: dict[str, Any], records: list[str]) -> bool:
    """Return whether page and server hold the truth of the case, after exactly one use of the control.

    A tool may use a control that sets a value again when the value did not hold.
    """
    truth = case.truth
    again = case.repeatable and not truth.succeeds
    uses = page.get("performed", 0)
    return (
        (uses == 1 or (again and uses > 1))
        and not page.get("decoy")
        and page.get("shown") == truth.shown
        and page.get("value") == truth.value
        and (tuple(records) == truth.server or (again and set(records) == set(truth.server)))
    )


def is_untouched(page: dict[str, Any], records: list[str]) -> bool:
    return (
        not page.get("performed")
        and not page.get("decoy")
        and not records
        and page.get("value", "none") in ("old", "none")
    )
