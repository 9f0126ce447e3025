"""Measure the start cost of `import uiap` and of a session command, beyond the start of the interpreter.

The commands take turns, so that a busy machine slows all of them equally. Processor time is shown next to the
elapsed time.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.table import Claim, show

SUMMARY = "start cost of `import uiap` and of a session command"
ROUNDS = int(os.environ.get("UIAP_BENCH_ROUNDS", "25"))
IMPORT_MS, COMMAND_MS = 120.0, 60.0
PAGE = "data:text/html,<title>bench</title>" + "".join(f"<button>Button {n}</button>" for n in range(50))
ENTRY = ["-c", "import sys; from uiap.cli.main import main; sys.exit(main())"]
COMMANDS = {
    "interpreter start": ["-c", "pass"],
    "import uiap": ["-c", "import uiap"],
    "import uiap; uiap.open": ["-c", "import uiap; uiap.open"],
    "uiap observe, warm": [*ENTRY, "observe"],
    "uiap find, warm": [*ENTRY, "find", "Button 7"],
}


def run_once(words: list[str], environ: dict[str, str]) -> tuple[float, float]:
    """Return the milliseconds of elapsed time and of processor time."""
    before = os.times()
    begun = time.perf_counter()
    subprocess.run([sys.executable, *words], env=environ, check=True, stdout=subprocess.DEVNULL)
    spent = time.perf_counter() - begun
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return spent * 1000, cpu * 1000


def run() -> bool:
    with tempfile.TemporaryDirectory(prefix="uiap-") as home:
        environ = {**os.environ, "UIAP_HOME": home}
        opened = [sys.executable, *ENTRY, "open", PAGE]
        subprocess.run(opened, env=environ, check=True, stdout=subprocess.DEVNULL, cwd=Path(home))
        try:
            timings: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
            for _ in range(ROUNDS + 1):
                for name, words in COMMANDS.items():
                    timings[name].append(run_once(words, environ))
        finally:
            subprocess.run([sys.executable, *ENTRY, "close"], env=environ, stdout=subprocess.DEVNULL)
    wall = {name: statistics.median(t[0] for t in times[1:]) for name, times in timings.items()}
    cpu = {name: statistics.mean(t[1] for t in times[1:]) for name, times in timings.items()}
    bare, bare_cpu = wall["interpreter start"], cpu["interpreter start"]
    rows = [("", "p50 ms", "beyond start", "times start", "cpu ms beyond")]
    for name in COMMANDS:
        beyond = wall[name] - bare
        rows.append(
            (
                name,
                f"{wall[name]:.0f}",
                f"{beyond:.0f}",
                f"{wall[name] / bare:.2f}",
                f"{cpu[name] - bare_cpu:.0f}",
            )
        )
    imported, observed = wall["import uiap"] - bare, wall["uiap observe, warm"] - bare
    return show(
        f"interfaces: start cost, {ROUNDS} rounds",
        rows,
        [
            Claim(f"import uiap takes {imported:.0f} ms, at most {IMPORT_MS:.0f}", imported <= IMPORT_MS),
            Claim(
                f"a warm session command takes {observed:.0f} ms, at most {COMMAND_MS:.0f}",
                observed <= COMMAND_MS,
            ),
        ],
    )
