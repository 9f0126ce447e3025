"""One tap through adb, verified by us; beside it the commands that mobile-debug-mcp 0.29 sends for an unverified one.

Both run in turns against the same stand-in device behind the real adb and adbd, so a busy machine slows both alike. The
peer cannot be installed here (no registry has it), so its commands are replayed in its order and with its own pauses as
its source says them; its own work besides is left out, which favours it. Its tap ends when the input was sent.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import uiap
from bench.table import Claim, show
from tests.support.android_apps import notes
from tests.support.android_bridge import adb, bridge, missing
from tests.support.android_handset import Handset
from uiap.api.signals import element_appeared
from uiap.api.ui import Ui

SUMMARY = "a verified tap through adb beside the commands of mobile-debug-mcp 0.29"
ROUNDS = int(os.environ.get("UIAP_BENCH_ROUNDS", "5"))
LATENCIES = (0.0, 0.3, 0.8)
SETTLE_S = 0.4
"""How long the peer waits before each of its dumps."""
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
        rows, claims = asyncio.run(_measured(handset, serial))
    return show("one tap through adb (median)", rows, claims)


async def _measured(handset: Handset, serial: str) -> tuple[list[tuple[str, ...]], list[Claim]]:
    rows = [("a dump takes", "ours, verified", "reads", "peer, not verified", "reads", "ratio")]
    claims: list[Claim] = []
    async with uiap.open(f"android:org.example.notes@{serial}") as ui:
        for latency in LATENCIES:
            handset.latency = latency
            ours, theirs, counted = [], [], []
            for _ in range(ROUNDS):
                ours.append(await _our_tap(ui, handset, counted))
                theirs.append(await _peer_tap(serial, handset, counted))
            mine, other = statistics.median(ours), statistics.median(theirs)
            reads = [statistics.median(one["uiautomator"] for one in counted[side::2]) for side in (0, 1)]
            rows.append(
                (
                    f"{latency:g} s",
                    f"{mine:.2f} s",
                    f"{reads[0]:g}",
                    f"{other:.2f} s",
                    f"{reads[1]:g}",
                    f"{other / mine:.1f}x",
                )
            )
            if latency == 0.0:
                claims.append(
                    Claim(
                        f"at least {FASTER:g} times as fast where a dump costs nothing",
                        other >= FASTER * mine,
                    )
                )
            claims.append(Claim(f"one reading before and one after at {latency:g} s", reads[0] <= 2))
    return rows, claims


async def _our_tap(ui: Ui, handset: Handset, counted: list[Counter[str]]) -> float:
    handset.app.start("org.example.notes/.Main")  # type: ignore[attr-defined]
    handset.asked.clear()
    begun = time.perf_counter()
    saved = element_appeared(role="label", name="Saved")
    result = await ui.act("ui.activate", role="button", name="Save", expect=[saved], timeout_ms=60_000)
    spent = time.perf_counter() - begun
    assert result.status == "succeeded", result.error
    counted.append(Counter(handset.asked))
    return spent


async def _peer_tap(serial: str, handset: Handset, counted: list[Counter[str]]) -> float:
    """A fingerprint of the screen, the tap, and another fingerprint."""
    handset.app.start("org.example.notes/.Main")  # type: ignore[attr-defined]
    handset.asked.clear()
    begun = time.perf_counter()
    await _fingerprint(serial)
    await _adb(serial, "input", "tap", "200", "260")
    await _fingerprint(serial)
    spent = time.perf_counter() - begun
    counted.append(Counter(handset.asked))
    return spent


async def _fingerprint(serial: str) -> None:
    await asyncio.gather(*(_adb(serial, "getprop", name) for name in PROPERTIES))
    await _adb(serial, "wm", "size")
    await asyncio.sleep(SETTLE_S)
    await _adb(serial, "uiautomator", "dump", "/sdcard/ui.xml")
    await _adb(serial, "cat", "/sdcard/ui.xml")
    await asyncio.gather(*(_adb(serial, "getprop", name) for name in PROPERTIES))
    await _adb(serial, "dumpsys", "activity", "activities")


async def _adb(serial: str, *words: str) -> None:
    """A process for every command, as the peer has it."""
    process = await asyncio.create_subprocess_exec(
        str(adb()), "-s", serial, "shell", *words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert await process.wait() == 0, words
