"""Shows that the tests which cite an obligation fail when it is broken: green as it is, red with each lie.

Usage: python tools/prove.py [name ...]

One warm process has imported everything; each lie is told in a child of it that runs the one test and ends.
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
"""Whatever else is installed is not loaded: that would take longer than the tests."""
QUIET = ("-q", "-x", "-W", "ignore::pytest.PytestAssertRewriteWarning")


class Run(NamedTuple):
    name: str
    tests: Sequence[str]
    lie: str = ""


def main(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in BREAKERS]
    if unknown:
        print(f"there is no lie `{unknown[0]}`; there are {', '.join(BREAKERS)}", file=sys.stderr)
        return 2
    begun = time.monotonic()
    chosen = {name: BREAKERS[name] for name in names or BREAKERS}
    tests = list(dict.fromkeys(breaker.test for breaker in chosen.values()))
    halves = [Run(f"truth {n}", tests[n::WORKERS]) for n in range(WORKERS) if tests[n::WORKERS]]
    for run, code, said in _all(halves):
        if code != 0:
            print(said[-3000:])
            print(f"not all of the tests are green as things are ({run.name}); mend that first")
            return 1
    believed = 0
    for run, code, said in _all([Run(name, [breaker.test], name) for name, breaker in chosen.items()]):
        believed += not _judged(chosen[run.name], run.name, code, said)
    print(f"{len(chosen) - believed} of {len(chosen)} lies found out in {time.monotonic() - begun:.0f} s")
    return 1 if believed else 0


def _judged(breaker: Breaker, name: str, code: int, said: str) -> bool:
    """Only a test that ran and failed finds a lie out: an error of pytest itself, or no test at all, is none."""
    red = code == pytest.ExitCode.TESTS_FAILED
    print(f"{'red  ' if red else 'GREEN'} {breaker.requirement:<10} {name}", flush=True)
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        print(said[-2000:])
    return red


def _all(runs: Sequence[Run]) -> Iterator[tuple[Run, int, str]]:
    """Each in a child of its own, so many at a time; in the order in which they end."""
    waiting, busy = list(reversed(runs)), {}
    with tempfile.TemporaryDirectory() as folder:
        while waiting or busy:
            while waiting and len(busy) < WORKERS:
                run = waiting.pop()
                log = Path(folder) / f"{len(waiting)}.txt"
                busy[_child(run, log)] = (run, log)
            pid, status = os.wait()
            run, log = busy.pop(pid)
            yield run, os.waitstatus_to_exitcode(status), log.read_text("utf-8", errors="replace")


def _child(run: Run, log: Path) -> int:
    sys.stdout.flush()
    if pid := os.fork():
        return pid
    code: int = pytest.ExitCode.INTERNAL_ERROR
    with log.open("w") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
        try:
            if run.lie:
                BREAKERS[run.lie].lie()
            code = pytest.main([*QUIET, *(f"-p{name}" for name in PLUGINS), *run.tests])
        except BaseException:
            traceback.print_exc()
        finally:  # whatever happens, a child never comes back into its parent's code
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(int(code))


if __name__ == "__main__":
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for known in ("hypothesis", "sqlalchemy", *PLUGINS):
        import_module(known)
    sys.exit(main(sys.argv[1:]))
