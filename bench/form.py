"""Measure what a form of six fields costs in one call, as a multiple of one field: in the shell and in Python.

Each field is typed with keys and read back; after the last one all of them are checked again.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time

import uiap
from bench.table import Claim, show

SUMMARY = "a form of six fields in one call, as a multiple of one field"
ROUNDS = int(os.environ.get("UIAP_BENCH_ROUNDS", "15"))
FIELDS = 6
SHARE = 2.0
"""The cost of six fields that we may reach, in fields."""
PAGE = "data:text/html,<title>form</title>" + "".join(
    f"<p><label>Field {number} <input></label>" for number in range(FIELDS)
)
ENTRY = ["-c", "import sys; from uiap.cli.main import main; sys.exit(main())"]


def steps(count: int, text: str) -> str:
    return "; ".join(f"fill Field {number}={text}" for number in range(count))


def in_shell() -> dict[int, list[float]]:
    spent: dict[int, list[float]] = {1: [], FIELDS: []}
    with tempfile.TemporaryDirectory(prefix="uiap-") as home:
        environ = {**os.environ, "UIAP_HOME": home}

        def uiap_command(*words: str) -> float:
            begun = time.perf_counter()
            command = [sys.executable, *ENTRY, *words]
            subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL)
            return (time.perf_counter() - begun) * 1000

        uiap_command("open", PAGE, "--trusted")
        try:
            for turn in range(ROUNDS + 1):
                for count, times in spent.items():
                    times.append(uiap_command("do", steps(count, f"text {turn} {count}")))
        finally:
            uiap_command("close")
    return spent


async def in_python() -> dict[int, list[float]]:
    spent: dict[int, list[float]] = {1: [], FIELDS: []}
    async with uiap.open(PAGE, autonomy="trusted") as ui:
        for turn in range(ROUNDS + 1):
            for count, times in spent.items():
                begun = time.perf_counter()
                await ui.do(steps(count, f"text {turn} {count}"))
                times.append((time.perf_counter() - begun) * 1000)
    return spent


def run() -> bool:
    rows = [("", "one field ms", "six fields ms", "times")]
    claims = []
    for name, spent in (("uiap do", in_shell()), ("ui.do", asyncio.run(in_python()))):
        one, six = (statistics.median(times[1:]) for times in spent.values())
        rows.append((name, f"{one:.0f}", f"{six:.0f}", f"{six / one:.1f}"))
        claims.append(
            Claim(f"{name}: six fields cost {six / one:.1f} fields, at most {SHARE:g}", six <= SHARE * one)
        )
    return show(f"a form in one call, {ROUNDS} rounds", rows, claims)
