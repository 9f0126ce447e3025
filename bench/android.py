"""Compare a verified tap through adb with the commands of mobile-debug-mcp 0.29 for a tap and for the same job.

All sides run in turns against the same simulated device behind the real adb and adbd, so that a busy machine
slows all of them equally.

The peer cannot be installed here, because no registry has it. Its commands are replayed in the order and with the
pauses of its source code. Its own processing is left out, which favours it. Its tap ends when the input was sent.

The same job is `tap_element`, which reads its target again, and `expect_element_visible`, which needs two equal
readings. Finding the element first is left out for the peer and included for uiap.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import uiap
from bench.table import Claim, show
from tests.support.android_apps import notes
from tests.support.android_bridge import adb, bridge, missing
from tests.support.android_handset import Handset
from uiap.api.signals import element_appeared
from uiap.api.ui import Ui

SUMMARY = "a verified tap through adb, compared with mobile-debug-mcp 0.29"
ROUNDS = int(os.environ.get("UIAP_BENCH_ROUNDS", "3"))
LATENCIES = (0.0, 0.3, 0.8)
SETTLE_S = 0.4
"""The pause of the peer before each dump."""
POLL_S = 0.3
"""The pause of the peer before it reads an expected element again."""
PROPERTIES = ("ro.build.version.release", "ro.product.model", "ro.kernel.qemu")
FASTER = 2.0


def run() -> bool:
    if reason := missing():
        print(f"  skipped: {reason}")
        return True
    made = tempfile.TemporaryDirectory(prefix="uiap-bench-", ignore_cleanup_errors=True)
    with made as folder, bridge(Path(folder)) as opened:
        handset = Handset(notes())
        serial = opened.add(handset)
        os.environ.update(opened.environ)
        rows, claims = asyncio.run(_measure(handset, serial))
    return show("one tap through adb (median)", rows, claims)


async def _measure(handset: Handset, serial: str) -> tuple[list[tuple[str, ...]], list[Claim]]:
    rows: list[tuple[str, ...]] = [
        (
            "a dump takes",
            "ours, verified",
            "reads",
            "its tap",
            "reads",
            "ratio",
            "its verified",
            "reads",
            "ratio",
        )
    ]
    claims: list[Claim] = []
    async with uiap.open(f"android:org.example.notes@{serial}") as ui:
        for latency in LATENCIES:
            handset.latency = latency
            sides: tuple[list[tuple[float, int]], ...] = ([], [], [])
            for number in range(ROUNDS):
                sides[0].append(await _timed(handset, _our_tap(ui)))
                sides[1].append(await _timed(handset, _peer_tap(serial)))
                if number == 0:  # once only: it takes long, mostly in pauses
                    sides[2].append(await _timed(handset, _peer_job(serial)))
            (mine, reads), tap, job = (
                (statistics.median(spent for spent, _ in side), statistics.median(count for _, count in side))
                for side in sides
            )
            cells = [f"{latency:g} s", f"{mine:.2f} s", f"{reads:g}"]
            for other, count in (tap, job):
                cells += [f"{other:.2f} s", f"{count:g}", f"{other / mine:.1f}x"]
            rows.append(tuple(cells))
            where = f"at {latency:g} s"
            claims.append(
                Claim(f"at least {FASTER:g} times as fast for the same job {where}", job[0] >= FASTER * mine)
            )
            claims.append(Claim(f"one reading before and one after {where}", reads <= 2))
            if latency == 0.0:
                unverified = (
                    f"at least {FASTER:g} times as fast as its unverified tap where a dump costs nothing"
                )
                claims.append(Claim(unverified, tap[0] >= FASTER * mine))
    return rows, claims


async def _timed(handset: Handset, job: Coroutine[Any, Any, None]) -> tuple[float, int]:
    """Return the time and the number of dumps; the application restarts before each job."""
    handset.app.start("org.example.notes/.Main")  # type: ignore[attr-defined]
    handset.commands.clear()
    begun = time.perf_counter()
    await job
    return time.perf_counter() - begun, handset.commands["uiautomator"]


async def _our_tap(ui: Ui) -> None:
    saved = element_appeared(role="label", name="Saved")
    result = await ui.act("ui.activate", role="button", name="Save", expect=[saved], timeout_ms=60_000)
    assert result.status == "succeeded", result.error


async def _peer_tap(serial: str) -> None:
    """Send a fingerprint of the screen, the tap, and another fingerprint."""
    await _fingerprint(serial)
    await _adb(serial, "input", "tap", "200", "260")
    await _fingerprint(serial)


async def _peer_job(serial: str) -> None:
    """Send `tap_element` for a known element, then `expect_element_visible` for one that appears at once."""
    await _fingerprint(serial)
    await _tree(serial)
    await _adb(serial, "input", "tap", "200", "260")
    await _fingerprint(serial)
    await _tree(serial)
    await asyncio.sleep(POLL_S)
    await _tree(serial)


async def _fingerprint(serial: str) -> None:
    await _tree(serial)
    await asyncio.gather(*(_adb(serial, "getprop", name) for name in PROPERTIES))
    await _adb(serial, "dumpsys", "activity", "activities")


async def _tree(serial: str) -> None:
    await asyncio.gather(*(_adb(serial, "getprop", name) for name in PROPERTIES))
    await _adb(serial, "wm", "size")
    await asyncio.sleep(SETTLE_S)
    await _adb(serial, "uiautomator", "dump", "/sdcard/ui.xml")
    await _adb(serial, "cat", "/sdcard/ui.xml")


async def _adb(serial: str, *words: str) -> None:
    """Run a process for every command, as the peer does."""
    process = await asyncio.create_subprocess_exec(
        str(adb()), "-s", serial, "shell", *words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert await process.wait() == 0, words
