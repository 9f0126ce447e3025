"""The corpus of everyday pages: its shape, and a sample of its presses in a real browser."""

from __future__ import annotations

import pytest

import uiap
from apps.everyday import read_cases, serving
from bench.everyday import try_case

CASES = read_cases()
SAMPLE = [
    "1-slot-gone", "1-seats-modal", "1-nothing-lost", "1-block-user", "2-drafts", "3-bulk-archive",
    "4-bank-transfer-de", "4-payroll-batch", "5-api-post-raw", "5-card-cap", "6-cms-publish", "6-invoice-new",
    "6-sms-code",
]  # fmt: skip


def test_half_of_the_cases_of_each_round_succeed_and_no_two_have_one_id() -> None:
    assert len({case.id for case in CASES}) == len(CASES)
    for number in "123456":
        of_round = [case.succeeds for case in CASES if case.id.startswith(f"{number}-")]
        assert sum(of_round) * 2 == len(of_round)


@pytest.mark.browser
@pytest.mark.requirement("ACT-12.1")
async def test_the_report_on_an_everyday_press_is_true() -> None:
    cases = tuple(case for case in CASES if case.id in SAMPLE)
    assert len(cases) == len(SAMPLE)
    with serving(cases) as origin:
        async with uiap.open("about:blank", autonomy="trusted") as ui:
            for case in cases:
                assert (await try_case(ui, origin, case)).verdict == "right", case.id
