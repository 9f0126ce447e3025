"""Show that the tests which cite a requirement fail when it is broken.

Usage: python tools/prove.py [name ...]

All tests must pass unchanged, and each must fail with its breaker. One process imports everything first. Each
breaker is then applied in a fork of it that runs one test and ends.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.broken.breakers import BREAKERS, Breaker  # noqa: E402

WORKERS = 2
PLUGINS = ("pytest_asyncio.plugin", "pytest_timeout")
"""Other installed plugins are not loaded: that would take longer than the tests."""
QUIET = ("-q", "-x", "-W", "ignore::pytest.PytestAssertRewriteWarning")


class Run(NamedTuple):
    name: str
    tests: Sequence[str]
    breaker: str = ""


def main(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in BREAKERS]
    if unknown:
        print(f"there is no breaker `{unknown[0]}`; use one of {', '.join(BREAKERS)}", file=sys.stderr)
        return 2
    begun = time.monotonic()
    chosen = {name: BREAKERS[name] for name in names or BREAKERS}
    tests = list(dict.fromkeys(breaker.test for breaker in chosen.values()))
    halves = [Run(f"unbroken {n}", tests[n::WORKERS]) for n in range(WORKERS) if tests[n::WORKERS]]
    for run, code, output in _run_all(halves):
        if code != 0:
            print(output[-3000:])
            print(f"some tests fail without a breaker ({run.name}); fix them first")
            return 1
    unnoticed = 0
    for run, code, output in _run_all([Run(name, [breaker.test], name) for name, breaker in chosen.items()]):
        unnoticed += not _is_noticed(chosen[run.name], run.name, code, output)
    print(f"{len(chosen) - unnoticed} of {len(chosen)} breakers noticed in {time.monotonic() - begun:.0f} s")
    return 1 if unnoticed else 0


def _is_noticed(breaker: Breaker, name: str, code: int, output: str) -> bool:
    """Return whether the test ran and failed. An error of pytest itself, or a test that did not run, is no proof."""
    red = code == pytest.ExitCode.TESTS_FAILED
    print(f"{'red  ' if red else 'GREEN'} {breaker.requirement:<10} {name}", flush=True)
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        print(output[-2000:])
    return red


def _run_all(runs: Sequence[Run]) -> Iterator[tuple[Run, int, str]]:
    """Run each in its own child, `WORKERS` at a time, and yield them in the order in which they end."""
    waiting: list[Run] = list(reversed(runs))
    busy: dict[int, tuple[Run, Path]] = {}
    with tempfile.TemporaryDirectory() as folder:
        while waiting or busy:
            while waiting and len(busy) < WORKERS:
                run = waiting.pop()
                log = Path(folder) / f"{len(waiting)}.txt"
                busy[_start_child(run, log)] = (run, log)
            pid, status = os.wait()
            run, log = busy.pop(pid)
            yield run, os.waitstatus_to_exitcode(status), log.read_text("utf-8", errors="replace")


def _start_child(run: Run, log: Path) -> int:
    sys.stdout.flush()
    if pid := os.fork():
        return pid
    code: int = pytest.ExitCode.INTERNAL_ERROR
    with log.open("w") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
        try:
            if run.breaker:
                BREAKERS[run.breaker].apply()
            code = pytest.main([*QUIET, *(f"-p{name}" for name in PLUGINS), *run.tests])
        except BaseException:
            traceback.print_exc()
        finally:  # a child must never return into the code of its parent
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(int(code))


if __name__ == "__main__":
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for name in ("hypothesis", "sqlalchemy", *PLUGINS):
        import_module(name)
    sys.exit(main(sys.argv[1:]))
