"""Widgets of the W3C's patterns in real Chromium. `python -m bench patterns` runs all of them."""

from __future__ import annotations

import pytest

import uiap
from apps.patterns import HALVES, PATTERNS, serving
from bench.patterns import PatternTrial, markdown_table, try_task

FIRST_FAILED = (
    ("menubar_b", 1),
    ("menubar_b", 3),
    ("combobox_list_a", 2),
    ("combobox_grid_b", 0),
    ("toolbar_b", 3),
    ("tree_b", 0),
    ("tooltip_a", 0),
)
"""Tasks of the first half that failed before their class was repaired: the page, and the number of the task."""


def test_there_are_thirty_widgets_in_two_markups_and_each_markup_is_in_another_half() -> None:
    widgets = {page.widget for page in PATTERNS}
    assert len(widgets) >= 30 and len(PATTERNS) == 2 * len(widgets)
    for widget in widgets:
        assert {page.half for page in PATTERNS if page.widget == widget} == set(HALVES)
    assert any(task.refused for page in PATTERNS for task in page.tasks)


@pytest.mark.requirement("ACT-10.3")
async def test_the_widgets_are_used_on_the_first_try_and_nothing_is_claimed_falsely() -> None:
    pages = {page.id: page for page in PATTERNS}
    with serving() as origin:
        async with uiap.open(origin) as ui:
            made = [await try_task(ui, origin, pages[id], pages[id].tasks[n]) for id, n in FIRST_FAILED]
    assert [(one.page.id, one.task.say, one.error) for one in made if not one.good] == []


def test_a_claim_that_the_model_denies_is_a_false_success_and_a_refusal_is_expected_where_it_is_due() -> None:
    page = next(page for page in PATTERNS if any(task.refused for task in page.tasks))
    due = next(task for task in page.tasks if task.refused)
    plain = next(task for task in page.tasks if not task.refused)
    assert PatternTrial(page, plain, False, "").false_success
    assert PatternTrial(page, due, False, "refused").good and not PatternTrial(page, plain, False, "no").good
    assert "0 of 1" in markdown_table([PatternTrial(page, plain, False, "")])
