"""Small web tasks in real Chromium, without a model: solved, and never claimed falsely.

One seed and every third task of the half `tuning` here; `make bench CASE=tasks` runs all of them with twenty seeds.
"""

from __future__ import annotations

import pytest

import uiap
from apps import fixtures
from apps.tasks import TASKS, serving
from bench import widget_table
from bench.tasks import attempt


def test_there_are_120_different_tasks_and_each_draws_its_goal_from_the_seed() -> None:
    assert len(TASKS) + len(fixtures.TASKS) >= 120
    for task in TASKS:
        assert task.draw_goal(3) == task.draw_goal(3)
        assert task.steps_for(task.draw_goal(3))
    assert any(task.draw_goal(1) != task.draw_goal(2) for task in TASKS)


def test_the_table_of_widgets_is_made_from_the_figures_of_all_tasks_on_libraries() -> None:
    figures, page = widget_table.read_figures(), widget_table.PAGE.read_text()
    assert set(figures) == {task.id for task in fixtures.TASKS}
    assert widget_table.with_table(page, widget_table.table(figures, fixtures.TASKS)) == page


@pytest.mark.requirement("ACT-10.3")
async def test_tasks_are_solved_and_success_is_claimed_only_when_the_page_agrees() -> None:
    tuned = [task for task in TASKS if task.half == "tuning"]
    with serving() as origin:
        async with uiap.open(origin) as ui:
            made = [await attempt(ui, origin, task, seed=1) for task in tuned[::3]]
    assert [(one.task.id, one.why) for one in made if not one.honest] == []
    assert [(one.task.id, one.why) for one in made if not one.solved or not one.claimed] == []
