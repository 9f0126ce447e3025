"""Measure how much of Videoland a discovery run finds, how fast, and that it writes nothing.

`python -m bench discovery --apps` measures third-party applications; it installs them first, under .uiap/.
`--diff` compares two principals and two versions of Videoland. `--killed` compares a killed and resumed run with
an undisturbed one.
"""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from typing import Any

from apps.videoland import Settings, serving
from bench.discovery_apps.measuring import SECONDS, measure_apps
from bench.discovery_runs import differences, killed
from bench.videoland_truth import ROUTES, Truth, truth
from uiap.api.discovery import DiscoveryOptions, Principal, discover, environment
from uiap.spec.discovery import DiscoveryPackage

SUMMARY = "discovery of Videoland: recall, states per second, writes"
ROLES = {"a": {"link"}, "summary": {"button", "group"}}


def run(*options: str) -> bool:
    """Run one of the benchmarks.

    `--apps` or `--apps=NAME,NAME` measures third-party applications, with `--mode=sandbox_write` for a run that
    writes and `--seconds=N` for another limit than ten minutes. `--diff` and `--killed` compare runs.
    """
    given = dict(one.removeprefix("--").partition("=")[::2] for one in options)
    if "apps" in given:
        names = tuple(one for one in given["apps"].split(",") if one)
        seconds = int(given.get("seconds", SECONDS))
        return asyncio.run(measure_apps(names, mode=given.get("mode", "safe_explore"), seconds=seconds))  # type: ignore[arg-type]
    if "diff" in given:
        return asyncio.run(differences())
    if "killed" in given:
        return asyncio.run(killed())
    return asyncio.run(_measure_videoland())


async def _measure_videoland() -> bool:
    with serving(Settings(rows=200, truth=True, auto_login=True)) as server:
        known = await truth(server.url)
        who = [Principal(id="admin", url="/?as=admin&lang=en")]
        good = True
        for evidence in (False, True):
            target = environment(server.url, max_states=200, max_runtime_s=300, principals=who)
            watch, busy = ExplorationClock(), time.process_time()
            options = DiscoveryOptions(
                principals=who, ax_trees=evidence, screenshots=evidence, on_progress=watch.on_progress
            )
            package = await discover(target, options=options)
            spent, ours = watch.explored, time.process_time() - busy
            good = _print_result(package, known, spent, ours, evidence) and good
        writes = await asyncio.to_thread(_writes, server.url)
        print(f"writes in the server's own log: {len(writes)}")
        return good and not writes


class ExplorationClock:
    """Measure the time of exploration, without the start of browsers."""

    def __init__(self) -> None:
        self.explored = 0.0
        self._last: float | None = None

    def on_progress(self, _type: str, payload: Any) -> None:
        now = time.monotonic()
        if self._last is not None:
            self.explored += now - self._last
        self._last = None if payload.status == "preparing" else now


def _writes(base: str) -> list[object]:
    with urllib.request.urlopen(f"{base}/__writes", timeout=30) as answer:
        found: list[object] = json.load(answer)["writes"]
    return found


def _print_result(package: DiscoveryPackage, known: Truth, spent: float, ours: float, evidence: bool) -> bool:
    states = len(package.transition_graph.states)
    found = recall(package, known)
    print(f"{'with' if evidence else 'without'} pictures and accessibility trees: {states} states")
    print(f"  {states / spent:.2f} states a second; {ours / states * 1000:.0f} ms of our processor time each")
    for name, (share, missing) in found.items():
        print(
            f"  {name:9} {share:6.1%}" + (f"  missing: {', '.join(sorted(missing)[:12])}" if missing else "")
        )
    return found["routes"][0] == 1 and min(share for share, _ in found.values()) >= 0.98


def recall(package: DiscoveryPackage, known: Truth) -> dict[str, tuple[float, set[str]]]:
    routes = {one.route_id for one in package.route_catalog.routes}
    scopes = {one.scope_id for one in package.scope_catalog.scopes}
    elements = {one.semantic_key for one in package.element_catalog.elements}
    named = {name.strip().lower() for one in package.element_catalog.elements for name in one.names or ()}
    missing = {one for one in known.elements if one not in elements and one.partition(" ")[2] not in named}
    return {
        "routes": _share(set(ROUTES), set(ROUTES) - routes),
        "scopes": _share(set(known.scopes), set(known.scopes) - scopes),
        "elements": _share(set(known.elements), missing),
    }


def _share(whole: set[str], missing: set[str]) -> tuple[float, set[str]]:
    return (1 - len(missing) / len(whole) if whole else 1.0), missing
