"""One to-do script on a few framework builds: each report agrees with the model of the page.

The builds come from `make fixtures`; without them the tests are skipped with that reason. `python -m bench frameworks`
runs the script on all builds.
"""

from __future__ import annotations

import shutil

import pytest

from apps.frameworks import FRAMEWORKS, ORDER_TASKS, missing_reason
from apps.frameworks.builds import SOURCES
from apps.frameworks.todo_pages import TodoList, fragment
from bench.framework_orders import trials
from bench.frameworks import STEPS, StepReport, turns

_MISSING = missing_reason() if shutil.which("node") else "the framework builds need Node, which is not here"
needs_builds = pytest.mark.skipif(_MISSING is not None, reason=_MISSING or "")


def test_seventeen_ways_to_build_a_page_are_covered() -> None:
    assert len(FRAMEWORKS) >= 17
    assert {"react", "vue2", "vue3", "svelte4", "svelte5", "angular", "lit", "htmx"} <= set(FRAMEWORKS)


def test_the_lock_file_of_the_frameworks_contains_no_registry_address() -> None:
    assert '"resolved"' not in (SOURCES / "package-lock.json").read_text()


def test_the_server_of_the_htmx_list_renders_only_the_filtered_todos() -> None:
    todos = TodoList()
    todos.add("Buy milk")
    todos.add("Call Ada")
    todos.toggle(1)
    todos.filter = "active"
    assert "Call Ada" in fragment(todos)
    assert "Buy milk" not in fragment(todos)
    todos.clear()
    assert todos.plain() == [{"title": "Call Ada", "completed": False}]


@needs_builds
@pytest.mark.browser
@pytest.mark.requirement("ACT-10.3")
async def test_no_step_is_claimed_that_the_model_does_not_show() -> None:
    made: list[StepReport] = []
    await turns(("lit", "vue3"), range(1), lambda _name, _seed, steps: made.extend(steps))
    assert [step for step in made if not step.good] == []
    assert len(made) == 2 * STEPS


def test_half_of_the_order_tasks_succeed_and_both_halves_have_every_framework() -> None:
    assert len(ORDER_TASKS) >= 60
    assert abs(2 * sum(task.scenario.succeeds for task in ORDER_TASKS) - len(ORDER_TASKS)) <= 10
    for half in ("tune", "measure"):
        assert len({task.framework for task in ORDER_TASKS if task.half == half}) == 8


@needs_builds
@pytest.mark.browser
@pytest.mark.requirement("ACT-12.1")
async def test_results_agree_with_the_server_on_a_few_order_forms() -> None:
    chosen = (
        "angular-format",
        "vue3-rollback",
        "vue3-saved",
        "socket-paid",
        "ujs-rejected",
        "angular-letters",
    )
    made = await trials(tuple(task for task in ORDER_TASKS if task.id in chosen), 1)
    assert [(one.task.id, one.error) for one in made if one.claimed != one.happened] == []
