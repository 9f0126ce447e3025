"""The primitives on real builds of frameworks and component libraries: solved, refused where it must be, never a lie.

Builds the fixtures if they are not there (needs Node). The truth is what the library's own state holds.
"""

from __future__ import annotations

import asyncio
import os
import time

from apps.fixtures import SHELF, TASKS, built
from bench.table import Claim, show
from bench.tasks import attempts, by_family

SUMMARY = "the primitives on real builds of frameworks and component libraries"
SEEDS = int(os.environ.get("FIXTURE_SEEDS", "5"))
GOOD = 0.95


def run() -> bool:
    built()
    only = os.environ.get("FIXTURE", "")
    tasks = tuple(task for task in TASKS if only in task.id)
    begun = time.perf_counter()
    made = asyncio.run(attempts(tasks, range(SEEDS), SHELF))
    spent = time.perf_counter() - begun
    rows = by_family(made)
    good, lies = sum(a.good for a in made), sum(not a.honest for a in made)
    claims = [
        Claim(f"{good} of {len(made)} as they should be (at least {GOOD:.0%})", good >= GOOD * len(made)),
        Claim(f"{lies} claimed and not true (none allowed)", lies == 0),
    ]
    return show(f"{len(made)} attempts in {spent:.0f} s", rows, claims)
