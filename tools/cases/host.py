"""Soak cases of the host: malformed envelopes, a failing store, clock jumps. Their code is in tests/host."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.cases.case import ROOT, Case, Figures, skipped_units

HOSTILE = 100_000


def run_hostile(unit: str) -> Figures:
    from tests.host.hostile_messages import send_hostile_messages

    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        counts = asyncio.run(send_hostile_messages(unit, Path(folder), seed=2026, count=HOSTILE))
        spent = time.monotonic() - begun
    early, late = counts.rss_kib[HOSTILE // 10], counts.rss_kib[HOSTILE]
    return {
        "envelopes": counts.sent,
        "requests answered": counts.answered,
        "answered later than 1 s": counts.late,
        "refused with the code of the reference": counts.refused,
        "valid control messages served": counts.controls,
        "responses without a request": counts.stray,
        "slowest answer ms": round(counts.slowest_ms, 1),
        "slowest answer, ms of our own processor time": round(counts.slowest_cpu_ms, 1),
        "messages per second": round(counts.sent / spent),
        f"RSS MiB after {HOSTILE // 10:,}": round(early / 1024, 1),
        f"RSS MiB after {HOSTILE:,}": round(late / 1024, 1),
        "RSS ratio": round(late / early, 3),
    }


def judge_hostile(all_figures: dict[str, Figures]) -> list[str]:
    wrong = []
    for unit, figures in all_figures.items():
        if figures["RSS ratio"] > 1.05:
            wrong.append(f"{unit}: memory grew by {figures['RSS ratio']}")
        if figures["answered later than 1 s"]:
            wrong.append(f"{unit}: {figures['answered later than 1 s']} answers took more than 1 s")
        if figures["responses without a request"]:
            wrong.append(f"{unit}: events were answered")
        if figures["valid control messages served"] != HOSTILE // 1000:
            wrong.append(f"{unit}: control messages were lost")
    return wrong


WORKFLOW_POINTS = {
    f"workflow fsync {first} to {first + 9}": range(first, first + 10) for first in range(1, 81, 10)
}


def run_store(unit: str) -> Figures:
    if unit in WORKFLOW_POINTS:
        from tests.host.workflows.soak import failing_fsync

        return failing_fsync(WORKFLOW_POINTS[unit])
    with tempfile.TemporaryDirectory() as name:
        return {"fsync": _fail_fsync, "locked": _lock, "full": _fill}[unit](Path(name))


def judge_store(all_figures: dict[str, Figures]) -> list[str]:
    from tests.host.workflows.soak import judge

    return [*skipped_units(all_figures), *judge(all_figures)]


def _fail_fsync(folder: Path) -> Figures:
    from tests.host.store_faults import compile_shim

    shim = compile_shim(folder)
    if shim is None:
        return {"skipped": "needs Linux and a C compiler"}
    command = [sys.executable, "-m", "tests.host.store_faults", str(folder), "20", "0"]
    env = {**os.environ, "LD_PRELOAD": str(shim)}
    child = subprocess.run(
        command, env=env, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    if child.returncode:
        raise SystemExit(
            "an accepted action was not durable; run the same command by hand: " + " ".join(command)
        )
    totals = json.loads(child.stdout)
    return {
        "fsync calls of one run, each failed once and permanently": totals["points"],
        "trials": totals["trials"],
        "accepted, all durable": totals["accepted"],
        "refused, none performed": totals["refused"],
        "stores refused at opening": totals["unopened"],
        "refused but found after a crash (reported as unknown)": totals["undecided"],
    }


def _lock(folder: Path) -> Figures:
    import sqlite3
    import threading

    from tests.host.journal_rows import steps
    from tests.host.store_faults import act
    from uiap.host.records.store import Store, sqlite_url

    file = folder / "s.sqlite3"
    store = Store(sqlite_url(file))  # with the default timeout of five seconds
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("begin immediate")
    threading.Timer(30, lambda: other.execute("rollback")).start()
    trial = asyncio.run(act(store, range(10)))
    trial.check(steps(store))
    assert store.is_intact() and trial.refused and trial.accepted
    store.close()
    other.close()
    return {"locked seconds": 30, "refused": len(trial.refused), "accepted after it": len(trial.accepted)}


def _fill(folder: Path) -> Figures:
    from tests.host.journal_rows import row, steps
    from tests.host.store_faults import act
    from uiap.host.records.store import Store, StoreFailed, sqlite_url

    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode:
        return {"skipped": "mounting a tmpfs needs root"}
    try:
        store = Store(sqlite_url(folder / "s.sqlite3"))
        taken: list[int] = []
        try:
            for number in range(1000, 100_000):
                store.append([row(number, event=b"x" * 2000)])
                taken.append(number)
        except StoreFailed as full:
            reason = full.message
        trial = asyncio.run(act(store, range(50)))
        trial.check(steps(store))
        assert set(taken) <= set(steps(store)) and store.is_intact()
        store.close()
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
    return {
        "rows until full": len(taken),
        "reason": reason,
        "requests on the full disk": 50,
        "accepted, all durable": len(trial.accepted),
    }


LIVES = 200
WAITS = "waits of workflow runs"


def judge_clocks(all_figures: dict[str, Figures]) -> list[str]:
    from tests.host.workflows.soak import judge

    return judge(all_figures)


def run_clocks(unit: str) -> Figures:
    if unit == WAITS:
        from tests.host.workflows.soak import jumping_clock

        return jumping_clock()
    from tests.host.simulated_session import SimulatedSession

    async def live() -> Figures:
        first = int(unit) * LIVES
        steps = sum([await SimulatedSession(seed).run(60) for seed in range(first, first + LIVES)])
        return {"sessions": LIVES, "steps compared with the reference": steps}

    return asyncio.run(live())


CASES: dict[str, Case] = {
    "P3": Case(
        "Malformed envelopes",
        "The host answers every malformed envelope with the right error, without delay and without growing.",
        f"{HOSTILE:,} mutated envelopes in memory and over WebSocket, with a journal; a control message per 1,000",
        ("memory", "websocket"),
        run_hostile,
        judge_hostile,
    ),
    "F10": Case(
        "A store that fails",
        "An accepted action is durable, and a refused action was not performed, when the store fails.",
        "every fsync of 20 actions and of a workflow run of 12 writes fails once and permanently; locked for 30 s; "
        "8 MB disk filled",
        ("fsync", "locked", "full", *WORKFLOW_POINTS),
        run_store,
        judge_store,
    ),
    "F11": Case(
        "Wall clock jumps",
        "Jumps of the wall clock and wrong timestamps of peers change nothing: only monotonic time counts.",
        f"{5 * LIVES:,} seeded sessions with jumps of hours and DST changes; 100 waits of workflow runs",
        (*(str(n) for n in range(5)), WAITS),
        run_clocks,
        judge_clocks,
    ),
}
