"""The primitives on real builds of frameworks and component libraries: one seed, and every fourth tuned task.

The builds come from `make fixtures`; without them the test is skipped with that reason. `python -m bench
fixtures` runs all tasks with several seeds.
"""

from __future__ import annotations

import shutil

import pytest

import uiap
from apps.fixtures import SITE, TASKS, missing_reason
from apps.fixtures.catalogue import SOURCES, scripts
from apps.tasks import FILES, serving
from bench.tasks import attempt

FAMILIES = sorted({task.family for task in TASKS})
_MISSING = missing_reason() if shutil.which("node") else "the fixtures need Node, which is not here"
needs_builds = pytest.mark.skipif(_MISSING is not None, reason=_MISSING or "")


def test_every_framework_and_library_has_pages_and_every_script_of_a_page_has_a_source() -> None:
    assert {"React", "Vue", "Svelte", "Angular", "MUI", "Ant Design", "Radix", "react-select"} <= set(
        FAMILIES
    )
    sources = {path.stem for path in (SOURCES / "src").glob("*.js*") if not path.name.startswith("_")}
    assert {name.removesuffix(".js") for name in scripts()} == sources


def test_every_framework_has_a_field_that_refuses_and_a_field_that_reformats() -> None:
    for framework in ("react", "vue", "svelte", "angular"):
        named = {task.id: task for task in TASKS}
        assert named[f"{framework}_reject"].refused
        assert not named[f"{framework}_reformat"].refused


def test_the_lock_file_contains_no_registry_address() -> None:
    assert '"resolved"' not in (SOURCES / "package-lock.json").read_text()


@needs_builds
@pytest.mark.browser
@pytest.mark.requirement("ACT-10.3")
async def test_a_claimed_success_matches_the_state_of_the_library() -> None:
    tuned = [task for task in TASKS if task.half == "tuning"]
    with serving(site=SITE) as origin:
        async with uiap.open(origin, uploads=FILES) as ui:
            made = [await attempt(ui, origin, task, seed=1) for task in tuned[::4]]
    assert [(one.task.id, one.why) for one in made if not one.honest] == []
    assert [(one.task.id, one.why) for one in made if not one.good] == []
