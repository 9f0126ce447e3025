"""Shows that the tests which cite an obligation fail when it is broken: green as it is, red with each lie.

Usage: python tools/prove.py [name ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.broken.breakers import BREAKERS, Breaker  # noqa: E402


def main(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in BREAKERS]
    if unknown:
        print(f"there is no lie `{unknown[0]}`; there are {', '.join(BREAKERS)}", file=sys.stderr)
        return 2
    chosen = {name: BREAKERS[name] for name in names or BREAKERS}
    if _run([breaker.test for breaker in chosen.values()]) != 0:
        print("not all of the tests are green as things are; mend that first")
        return 1
    believed = [name for name, breaker in chosen.items() if not _found_out(name, breaker)]
    print(f"{len(chosen) - len(believed)} of {len(chosen)} lies found out")
    return 1 if believed else 0


def _found_out(name: str, breaker: Breaker) -> bool:
    red = _run([breaker.test], lie=name) == 1
    print(f"{'red  ' if red else 'GREEN'} {breaker.requirement:<10} {name}", flush=True)
    return red


def _run(tests: list[str], lie: str = "") -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "tests.broken.plugin", *dict.fromkeys(tests)]
    environ = {**os.environ, "UIAP_LIE": lie, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        print(done.stdout[-2000:], done.stderr[-2000:])
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
