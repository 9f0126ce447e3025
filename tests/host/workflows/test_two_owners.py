"""F9: two workers continue the same run, and one of them comes back after a stop. `make soak CASE=F9` runs 50."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("dbos", reason="install uiap[workflows]")

from tests.host.workflows.killed_worker import STEPS
from tests.host.workflows.two_owners import resume_twice
from tests.support.postgres import Postgres


@pytest.mark.postgres
@pytest.mark.requirement("WF-6b")
def test_two_workers_that_continue_one_run_write_nothing_twice(postgres: Postgres) -> None:
    postgres.clear()
    found = resume_twice(postgres.url, random.Random(7), stop=True)
    assert found == {"runs": 1, "writes": STEPS, "written twice": 0, "runs lost": 0}
