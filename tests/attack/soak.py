"""The repetitions that robustness asks for of P5 to P8 and P14, one function a unit; `tools/soak.py` runs them."""

from __future__ import annotations

import asyncio
import inspect
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.attack import test_grants, test_risks
from tests.host.audit_kills import KEY, kill_once
from tests.host.test_audit import chain, flipped
from tests.policy.test_evaluate import compare
from uiap.host.audit import check
from uiap.host.store import sqlite_url

Figures = dict[str, Any]
FORGERIES, SWAPS, LOWERED, DECISIONS, KILLS, RECORDS = 100, 200, 100, 1_000_000, 1_000, 200
SWAPPED = "test_a_target_swapped_after_it_was_shown_is_not_pressed"


def _trials(module: Any, wanted: Callable[[str], bool]) -> list[tuple[Callable[..., Any], dict[str, Any]]]:
    """The tests of a module with each of their parameters, to be run again and again."""
    found: list[tuple[Callable[..., Any], dict[str, Any]]] = []
    for name, test in vars(module).items():
        if not name.startswith("test_") or not wanted(name):
            continue
        marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
        rows: list[dict[str, Any]] = [{}]
        for mark in marks:
            names = [mark.args[0]] if isinstance(mark.args[0], str) else list(mark.args[0])
            rows = [
                row | dict(zip(names, value if len(names) > 1 else [value], strict=True))
                for row in rows
                for value in mark.args[1]
            ]
        found += [(test, row) for row in rows]
    return found


def _repeat(module: Any, wanted: Callable[[str], bool], times: int) -> Figures:
    trials = _trials(module, wanted)
    for _ in range(times):
        for test, given in trials:
            outcome = test(**given)
            if inspect.iscoroutine(outcome):
                asyncio.run(outcome)
    return {"attacks": len(trials), "times each": times, "executed without a grant": 0}


def forged(_unit: str) -> Figures:
    return _repeat(test_grants, lambda name: name != SWAPPED, FORGERIES // 4)


def swapped(_unit: str) -> Figures:
    return _repeat(test_grants, lambda name: name == SWAPPED, -(-SWAPS // 6))


def lowered(_unit: str) -> Figures:
    return _repeat(test_risks, lambda _name: True, LOWERED // 5)


def decided(unit: str) -> Figures:
    return {"decisions compared with the twin": compare(int(unit), DECISIONS // 10), "differences": 0}


def rewritten(unit: str) -> Figures:
    if unit.startswith("kills"):
        with tempfile.TemporaryDirectory() as folder:
            url = sqlite_url(Path(folder) / "a.sqlite3")
            promised = sum(kill_once(url, 1 + n % 9) for n in range(KILLS // 10))
        return {"kills": KILLS // 10, "records promised, all there": promised}
    links, found = chain(RECORDS), 0
    for n, (seq, body, hash) in enumerate(links):
        for at in range(len(body)):
            found += check([*links[:n], (seq, flipped(body, at), hash), *links[n + 1 :]], KEY).broken == seq
    positions = sum(len(body) for _, body, _ in links)
    assert found == positions
    return {"byte positions flipped": positions, "found": found}
