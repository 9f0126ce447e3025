"""Run the primitives on real builds of frameworks and component libraries, and count false results.

Builds the fixtures first if they are missing (needs Node). The state of the library itself is the truth.
"""

from __future__ import annotations

import asyncio
import os
import time

from apps.fixtures import SITE, TASKS, ensure_built
from bench.table import Claim, show
from bench.tasks import attempts, by_family

SUMMARY = "primitives on real builds of frameworks and component libraries"
SEEDS = int(os.environ.get("FIXTURE_SEEDS", "5"))
GOOD = 0.95


def run() -> bool:
    ensure_built()
    only = os.environ.get("FIXTURE", "")
    tasks = tuple(task for task in TASKS if only in task.id)
    begun = time.perf_counter()
    made = asyncio.run(attempts(tasks, range(SEEDS), SITE))
    spent = time.perf_counter() - begun
    rows = by_family(made)
    good, false_claims = sum(a.good for a in made), sum(not a.honest for a in made)
    claims = [
        Claim(f"{good} of {len(made)} as expected (at least {GOOD:.0%})", good >= GOOD * len(made)),
        Claim(f"{false_claims} claimed although not true (none allowed)", false_claims == 0),
    ]
    return show(f"{len(made)} attempts in {spent:.0f} s", rows, claims)
