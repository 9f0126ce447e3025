"""`make soak [CASE=F10]`: the repetitions that robustness asks for, and a report of each under docs/reports/.

A case is a list of units; each runs in a process of its own and its figures are kept under .uiap/soak/, so that
a run that was stopped goes on where it was. `--fresh` forgets what is kept. What a case does lives with its tests.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / ".uiap" / "soak"
REPORTS = ROOT / "docs" / "reports"
sys.path.insert(0, str(ROOT))

Figures = dict[str, Any]
UNIT_SECONDS = 3600


@dataclass(frozen=True)
class Case:
    title: str
    stated: str
    """What is repeated, and how often."""
    units: tuple[str, ...]
    run: Callable[[str], Figures]
    judge: Callable[[dict[str, Figures]], list[str]]
    """What was expected and did not happen; empty when all is well."""


# -- P3: hostile envelopes --------------------------------------------------------------------------------------

HOSTILE = 100_000


def run_hostile(unit: str) -> Figures:
    from tests.host.hostile import siege

    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        seen = asyncio.run(siege(unit, Path(folder), seed=2026, count=HOSTILE))
        spent = time.monotonic() - begun
    early, late = seen.rss_kib[HOSTILE // 10], seen.rss_kib[HOSTILE]
    return {
        "envelopes": seen.sent,
        "requests answered": seen.answered,
        "answered later than 1 s": seen.late,
        "refused with the twin's code": seen.refused,
        "valid control messages served": seen.controls,
        "responses to what was no request": seen.stray,
        "slowest answer ms": round(seen.slowest_ms, 1),
        "slowest answer, ms of our own processor time": round(seen.slowest_cpu_ms, 1),
        "messages per second": round(seen.sent / spent),
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
        if figures["responses to what was no request"]:
            wrong.append(f"{unit}: events were answered")
        if figures["valid control messages served"] != HOSTILE // 1000:
            wrong.append(f"{unit}: control messages were lost")
    return wrong


# -- F10: a failing store ---------------------------------------------------------------------------------------


def run_store(unit: str) -> Figures:
    with tempfile.TemporaryDirectory() as name:
        return {"fsync": _fail_fsync, "locked": _lock, "full": _fill}[unit](Path(name))


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
        raise SystemExit("a promise was false; run the same command by hand: " + " ".join(command))
    totals = json.loads(child.stdout)
    return {
        "fsync calls of one run, each failed once and for good": totals["points"],
        "trials": totals["trials"],
        "accepted, all durable": totals["accepted"],
        "refused, none performed": totals["refused"],
        "stores refused at opening": totals["unopened"],
        "refused but found after a crash (reported as unknown)": totals["undecided"],
    }


def _lock(folder: Path) -> Figures:
    import sqlite3
    import threading

    from tests.host.rows import steps
    from tests.host.store_faults import act
    from uiap.host.store import Store, sqlite_url

    file = folder / "s.sqlite3"
    store = Store(sqlite_url(file))  # the real timeout of five seconds
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("begin immediate")
    threading.Timer(30, lambda: other.execute("rollback")).start()
    trial = asyncio.run(act(store, range(10)))
    trial.check(steps(store))
    assert store.intact() and trial.refused and trial.accepted
    store.close()
    other.close()
    return {"locked seconds": 30, "refused": len(trial.refused), "accepted after it": len(trial.accepted)}


def _fill(folder: Path) -> Figures:
    from tests.host.rows import row, steps
    from tests.host.store_faults import act
    from uiap.host.store import Store, StoreFailed, sqlite_url

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
        assert set(taken) <= set(steps(store)) and store.intact()
        store.close()
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
    return {
        "rows until full": len(taken),
        "reason": reason,
        "asked on the full disk": 50,
        "accepted, all durable": len(trial.accepted),
    }


def judge_store(all_figures: dict[str, Figures]) -> list[str]:
    return [f"{unit}: not run ({seen['skipped']})" for unit, seen in all_figures.items() if "skipped" in seen]


# -- F11: clocks that jump --------------------------------------------------------------------------------------

LIVES = 200


def run_clocks(unit: str) -> Figures:
    from tests.host.wall_jumps import Life

    async def live() -> Figures:
        first = int(unit) * LIVES
        steps = sum([await Life(seed).run(60) for seed in range(first, first + LIVES)])
        return {"sessions": LIVES, "steps compared with the twin": steps}

    return asyncio.run(live())


# -- OFFICIAL: the test material of others ----------------------------------------------------------------------


def run_official(unit: str) -> Figures:
    from tools.official import MATERIAL, Missing, texts

    from tests.authoring.official import SUITES

    material = MATERIAL[unit]
    try:
        return {"material": f"{material.package} {material.version}", **SUITES[unit](texts)}
    except Missing as reason:
        return {"skipped": str(reason)}


def judge_official(all_figures: dict[str, Figures]) -> list[str]:
    wrong = judge_store(all_figures)
    return wrong + [f"{unit}: {seen['which']}" for unit, seen in all_figures.items() if seen.get("wrong")]


# -- A6: one input, one digest ----------------------------------------------------------------------------------


def run_reproduced(unit: str) -> Figures:
    from tests.authoring.reproduce import NoPython, digests

    try:
        seen = list(digests(unit))
    except NoPython as reason:
        return {"skipped": str(reason)}
    return {"builds": len(seen), "digests": len(set(seen)), "digest": seen[0]}


def judge_reproduced(all_figures: dict[str, Figures]) -> list[str]:
    seen = {figures["digest"] for figures in all_figures.values() if "digest" in figures}
    several = [
        f"{unit}: {f['digests']} digests" for unit, f in all_figures.items() if f.get("digests", 1) != 1
    ]
    return judge_store(all_figures) + several + ([f"{len(seen)} digests in all"] if len(seen) > 1 else [])


# -- A8: generated packages against the naive twin --------------------------------------------------------------

PACKAGES = 10_000
GENERATED = {
    "overlays": "tests/authoring/test_twin.py::test_overlays_do_what_the_naive_twin_does",
    "merges": "tests/authoring/test_twin.py::test_merges_do_what_the_naive_twin_does",
    "canonical": "tests/authoring/test_canonical.py::test_every_value_is_written_as_rfc_8785_has_it",
}


def run_generated(unit: str) -> Figures:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "--timeout", "0", GENERATED[unit]]
    env = {**os.environ, "UIAP_SOAK_N": str(PACKAGES)}
    child = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
    if child.returncode:
        raise SystemExit(f"a difference was found:\n{child.stdout[-4000:]}")
    return {"generated": PACKAGES, "differences": 0}


# -- SESSIONS: a server's sessions, with kills ------------------------------------------------------------------


def run_sessions(unit: str) -> Figures:
    from tests.server import sessions

    return asyncio.run(sessions.row(200) if unit == "in a row" else sessions.crowd(10, 20, seed=7))


def judge_sessions(all_figures: dict[str, Figures]) -> list[str]:
    from tests.server import sessions

    return sessions.wrong(all_figures)


# -- P1, P2: a crowd of sessions, and attackers among them ------------------------------------------------------

CROWD, CROWD_SECONDS = (
    int(os.environ.get("UIAP_SOAK_SESSIONS", "1000")),
    float(os.environ.get("UIAP_SOAK_SECONDS", "600")),
)
BESIEGED = ("ramp", "slow handshakes", "frames of 64 MiB", "pings", "compression bomb", "never reading")


def run_crowd(_unit: str) -> Figures:
    from tests.server import crowd

    return asyncio.run(crowd.together(CROWD, CROWD_SECONDS))


def judge_crowd(all_figures: dict[str, Figures]) -> list[str]:
    from tests.server import crowd

    return [wrong for figures in all_figures.values() for wrong in crowd.wrong_together(figures)]


def run_siege(unit: str) -> Figures:
    from tests.server import crowd

    return asyncio.run(crowd.besieged(unit))


def judge_siege(all_figures: dict[str, Figures]) -> list[str]:
    from tests.server import crowd

    return [wrong for unit, figures in all_figures.items() for wrong in crowd.wrong_besieged(unit, figures)]


# -- PAGE-10MIN: a page that never rests ------------------------------------------------------------------------

FLOOD_SECONDS = float(os.environ.get("UIAP_SOAK_SECONDS", "600"))


def run_flood(unit: str) -> Figures:
    from tests.web.flood import flood

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(flood(FLOOD_SECONDS, Path(folder)))


def judge_flood(all_figures: dict[str, Figures]) -> list[str]:
    wrong = []
    for figures in all_figures.values():
        wrong += [f"{figures[what]} {what}" for what in FLOOD_NONE if figures[what]]
        wrong += [f"{what} {figures[what]}" for what in FLOOD_FLAT if figures[what] > 1.1]
        if figures["changes per second"] < 450:
            wrong.append(f"only {figures['changes per second']} changes per second")
    return wrong


FLOOD_NONE = ("revisions lost", "elements that differ from a fresh reading")
FLOOD_FLAT = ("page heap ratio", "Python RSS ratio")


# -- HAZARDS: pages that fool tools, over and over (F4, F5, F6, H11) --------------------------------------------

TURNS, ASKED = 200, 30


def run_hazards(unit: str) -> Figures:
    from tests.browser.hazard_soak import GROUPS, run

    return run(unit, ASKED if unit in GROUPS else TURNS)


def run_hazard(turns: int) -> Callable[[str], Figures]:
    def run(unit: str) -> Figures:
        from tests.browser.hazard_soak import run as soaked

        return soaked(unit, turns)

    return run


def judge_kills(all_figures: dict[str, Figures]) -> list[str]:
    late = {unit: seen["slowest result ms"] for unit, seen in all_figures.items()}
    return [f"{unit}: a result came after {ms} ms" for unit, ms in late.items() if ms > 5000]


def judge_cycles(all_figures: dict[str, Figures]) -> list[str]:
    return [
        f"memory grew by {seen['RSS ratio']}" for seen in all_figures.values() if seen["RSS ratio"] > 1.05
    ]


def judge_hazards(all_figures: dict[str, Figures]) -> list[str]:
    from tests.browser.hazard_soak import judge

    return judge(all_figures)


def racy_hazards() -> tuple[str, ...]:
    from apps.hazards import HAZARDS

    return tuple(dict.fromkeys(hazard.id for hazard in HAZARDS if hazard.racy))


# -- F1, F2, F3, F7, F14, B2: faults on the way of an action ----------------------------------------------------

STAGES = (
    "resolving_target",
    "checking_preconditions",
    "awaiting_confirmation",
    "executing",
    "dispatched",
    "verifying",
)
CANCELS = (
    *(
        "received",
        "resolving_target",
        "recovering",
        "checking_preconditions",
        "awaiting_confirmation",
        "executing",
    ),
    *("dispatched", "verifying", "waiting_for_user", "terminal", "twice"),
)


def run_desktop(stage: str) -> Figures:
    from tests.drivers.desktop.soak import cancels

    return cancels(stage)


def run_fault(trial: str) -> Callable[[str], Figures]:
    def run(unit: str) -> Figures:
        from tests.faults import soak as faults

        figures: Figures = getattr(faults, trial)(unit)
        return figures

    return run


# -- MCP: what its official tools say ---------------------------------------------------------------------------


def run_mcp(unit: str) -> Figures:
    import re

    from bench import mcp

    environ = mcp.node()
    if environ is None:
        return {"skipped": "needs npm"}
    if unit == "inspector":
        return {"tools listed over stdio": asyncio.run(mcp.inspected(environ))}
    if unit == "offered":
        passed, failed, wrong = asyncio.run(mcp.conformance(environ))
        return {"passed": passed, "failed": failed, "wrong": " ".join(wrong) or "none"}
    told = asyncio.run(mcp.active(environ))
    ((passed, failed),) = re.findall(r"Total: (\d+) passed, (\d+) failed", told)
    return {"passed": int(passed), "failed": int(failed)}


def judge_mcp(all_figures: dict[str, Figures]) -> list[str]:
    return [
        f"{unit}: {seen}" for unit, seen in all_figures.items() if seen.get("failed") or "skipped" in seen
    ]


# -- F12, HOSTILE: pages made to break whatever reads them ------------------------------------------------------


def run_sizes(unit: str) -> Figures:
    from tests.apps.hostile_soak import size

    return asyncio.run(size(unit))


def judge_sizes(all_figures: dict[str, Figures]) -> list[str]:
    from tests.apps.hostile_soak import wrong_sizes

    return wrong_sizes(all_figures)


def run_hostility(unit: str) -> Figures:
    from tests.apps.hostile_soak import hostility

    return asyncio.run(hostility(unit))


def judge_hostility(all_figures: dict[str, Figures]) -> list[str]:
    from tests.apps.hostile_soak import wrong_hostility

    return wrong_hostility(all_figures)


CASES: dict[str, Case] = {
    "F12": Case(
        "very large, very deep and cyclic pages",
        "20 fresh sessions on each",
        (
            "10,000 elements",
            "100,000 elements",
            "50 deep frames",
            "200 shadow roots",
            "infinite scroll",
            "cycles",
        ),
        run_sizes,
        judge_sizes,
    ),
    "HOSTILE": Case(
        "pages that forge, steer, patch, forbid, hide and hang (H1, H5, H7 to H10)",
        "5,000 forged messages; 100 pages with and without orders; 38 patched; 20 each of the rest",
        (
            "H1 forged messages",
            "H5 orders to a model",
            "H7 patched globals",
            "H8 strict policy",
            "H9 boundaries",
            "H10 never at rest",
        ),
        run_hostility,
        judge_hostility,
    ),
    "F1": Case(
        "the browser is killed at each stage of an action; the invariants of B2 are checked each time",
        "6 × 50 SIGKILLs",
        STAGES,
        run_fault("kills"),
        judge_kills,
    ),
    "F2": Case(
        "the renderer crashes or the tab is closed in the middle of an action; other tabs go on",
        "100 tabs lost",
        ("crash", "close"),
        run_fault("lost_tabs"),
        lambda _figures: [],
    ),
    "F3": Case(
        "the page goes elsewhere during verification",
        "200 seeded navigations",
        ("0", "1", "2", "3"),
        run_fault("away"),
        lambda _figures: [],
    ),
    "F7": Case(
        "the network is slow (50 kbit/s, 2 s), loses 5 to 40 %, refuses, is cut or answers too late; the server counts",
        "200 seeded presses, of six kinds",
        ("0", "1", "2", "3"),
        run_fault("network"),
        lambda _figures: [],
    ),
    "F4": Case(
        "elements that are made anew all the time, or used again for another record",
        "300: 50 turns of each of three pages in both modes",
        ("rerender", "rerender_storm", "recycled_on_press"),
        run_hazard(50),
        judge_hazards,
    ),
    "F5": Case(
        "what moves, what is covered after the check, what is disabled between check and press",
        "300: 50 turns of each of three pages in both modes",
        ("moving_button", "overlay_late", "disabled_late"),
        run_hazard(50),
        judge_hazards,
    ),
    "F6": Case(
        "dialogs, windows, downloads, printing and questions of the browser in the middle of an action",
        "7 × 30: 15 turns of each page in both modes",
        (
            *("alert_mid", "confirm_mid", "beforeunload", "window_mid", "download_mid"),
            *("print_mid", "permission_mid"),
        ),
        run_hazard(15),
        judge_hazards,
    ),
    "B2": Case(
        "open, act, close in one process and one browser: the audit is whole, nothing is left, nothing grows",
        "1,000 cycles",
        ("cycles",),
        run_fault("cycles"),
        judge_cycles,
    ),
    "F14": Case(
        "an action is cancelled at each stage, twice, and after its end",
        "11 × 30 cancels",
        CANCELS,
        run_fault("cancels"),
        lambda _figures: [],
    ),
    "F14D": Case(
        "an action in a desktop application is cancelled at each stage, twice, and after its end",
        "9 × 30 cancels",
        tuple(stage for stage in CANCELS if stage not in ("recovering", "waiting_for_user")),
        run_desktop,
        lambda _figures: [],
    ),
    "HAZARDS": Case(
        "hazard pages: no false success, no wrong target, the right word, and an end in time",
        f"{TURNS} turns of each racy page in both modes (F4, F5); {ASKED} of each interruption (F6) and door (H11)",
        (*racy_hazards(), "interruptions", "activation"),
        run_hazards,
        judge_hazards,
    ),
    "P3": Case(
        "hostile envelopes through the real hall, with its journal",
        f"{HOSTILE:,} mutated envelopes over memory and over WebSocket; a control message after each 1,000",
        ("memory", "websocket"),
        run_hostile,
        judge_hostile,
    ),
    "F10": Case(
        "a store that fails: accepted means durable, refused means nothing was done",
        "every fsync of a 20-action run failed once and for good; locked for 30 s; 8 MB disk filled",
        ("fsync", "locked", "full"),
        run_store,
        judge_store,
    ),
    "F11": Case(
        "wall clock jumps of hours, DST and peers with wrong timestamps: only monotonic time counts",
        f"{5 * LIVES:,} seeded sessions (50 are asked for)",
        tuple(str(n) for n in range(5)),
        run_clocks,
        lambda _figures: [],
    ),
    "A6": Case(
        "reproducible bundles: one digest whatever the Python, hash seed, locale, time zone and file order",
        "34 builds in a process of their own for each Python",
        ("3.11", "3.12", "3.13"),
        run_reproduced,
        judge_reproduced,
    ),
    "A8": Case(
        "generated packages: compiler and naive twin agree, one digest in any file order",
        f"{PACKAGES:,} generated packages for each",
        tuple(GENERATED),
        run_generated,
        lambda _figures: [],
    ),
    "OFFICIAL": Case(
        "the published test material for YAML, JSON Patch, version ranges and Ed25519",
        "every case of each suite once; agreed, refused for a stated reason, or wrong",
        ("yaml", "json-patch", "semver", "wycheproof"),
        run_official,
        judge_official,
    ),
    "P1": Case(
        "a thousand sessions at once: none hears of another, nothing is lost, and all are answered in time",
        f"{CROWD:,} sessions, 200 canned nodes, an action a second each (fake executor), {CROWD_SECONDS:g} s",
        ("together",),
        run_crowd,
        judge_crowd,
    ),
    "P2": Case(
        "attackers among polite sessions: caps hold, others go on, memory comes back",
        "5,000 connections, 200 slow handshakes, 50 frames of 64 MiB, ping floods, compression bombs, 20 never reading",
        BESIEGED,
        run_siege,
        judge_siege,
    ),
    "SESSIONS": Case(
        "sessions of a server over a pool of browsers, with random kills of client, browser and server",
        "200 opened and closed in a row; 10 rounds of 20 at once over at most 4 browsers",
        ("in a row", "at once"),
        run_sessions,
        judge_sessions,
    ),
    "PAGE-10MIN": Case(
        "a page that never rests: memory stays flat on both sides and no revision is lost",
        f"{FLOOD_SECONDS:g} s of 500 changes a second: text, state, values, visibility, items that come, go and move",
        ("flood",),
        run_flood,
        judge_flood,
    ),
    "MCP": Case(
        "the official conformance tool and inspector against the MCP server",
        "every scenario of what is offered; the whole active suite on a fixture over the same transport",
        ("offered", "active", "inspector"),
        run_mcp,
        judge_mcp,
    ),
}


# -- P5 to P8, P14: policy, grants, audit -------------------------------------------------------------------------


def _attack(name: str) -> Callable[[str], Figures]:
    def run(unit: str) -> Figures:
        from tests.attack import soak as attacks

        figures: Figures = getattr(attacks, name)(unit)
        return figures

    return run


QUARTERS = tuple(str(n) for n in range(1, 5))
CASES |= {
    "P5": Case(
        "forged, replayed, late, foreign and swapped grants",
        "every attack 100 times, a shouting page and foreign channels among them",
        (*QUARTERS, "channels", "page"),
        _attack("forged"),
        lambda _: [],
    ),
    "P6": Case(
        "a target swapped between preview and execution",
        "200 in all: renamed, replaced, shown otherwise, moved, before and after the grant",
        ("1", "2"),
        _attack("swapped"),
        lambda _: [],
    ),
    "P7": Case(
        "risks lowered by the page",
        "every attack 100 times",
        (*QUARTERS, "5"),
        _attack("lowered"),
        lambda _: [],
    ),
    "P8": Case(
        "policy decisions against a naive twin",
        "1,000,000 generated pairs of policy and case; other orders, added denies, refusals, p99 at 200 rules",
        (*(str(n) for n in range(1, 11)), "orders", "denies", "refusals", "p99"),
        _attack("decided"),
        lambda _: [],
    ),
    "P14": Case(
        "an audit that is rewritten, cut off or killed",
        "every byte of 200 records flipped; records removed, swapped, cut off, forked; 1,000 kills",
        ("bytes", "records", *(f"kills {n}" for n in range(1, 11))),
        _attack("rewritten"),
        lambda _: [],
    ),
}


# -- DISC-2000: a long discovery run -------------------------------------------------------------------------------


def run_many_states(_unit: str) -> Figures:
    from tests.discovery.many import figures

    return figures()


def judge_many_states(seen: dict[str, Figures]) -> list[str]:
    (found,) = seen.values()
    wrong = [] if found["states"] == 2_000 else [f"{found['states']} states instead of 2,000"]
    early = found["ms of the machine for each state, early"]
    if found["ms of the machine for each state, late"] > 2 * early:
        wrong.append("a state costs more the more are known")
    if found["KiB kept of each state"] > 48:
        wrong.append("more is kept of a state than what was found in it")
    return wrong


CASES |= {
    "DISC-2000": Case(
        "a discovery run of very many states",
        "one run of 2,000 states, each with controls of its own",
        ("scripted",),
        run_many_states,
        judge_many_states,
    ),
}


# -- the runner -------------------------------------------------------------------------------------------------


def soak(name: str, fresh: bool) -> bool:
    case = CASES[name]
    file = KEPT / f"{name}.json"
    kept: dict[str, Figures] = {} if fresh or not file.exists() else json.loads(file.read_text())
    for unit in case.units:
        if unit in kept:
            print(f"{name} {unit}: kept from an earlier run", flush=True)
            continue
        print(f"{name} {unit}: running", flush=True)
        command = [sys.executable, str(Path(__file__)), "--unit", name, unit]
        child = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=UNIT_SECONDS)
        if child.returncode:
            report(name, case, kept, [f"{unit}: failed with exit code {child.returncode}"])
            return False
        kept[unit] = json.loads(child.stdout.splitlines()[-1])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(kept, indent=1))
    wrong = case.judge(kept)
    report(name, case, kept, wrong)
    file.unlink(missing_ok=True)
    return not wrong


def report(name: str, case: Case, seen: dict[str, Figures], wrong: list[str]) -> None:
    REPORTS.mkdir(parents=True, exist_ok=True)
    lines = [f"# {name}: {case.title}", "", f"- date: {datetime.now(UTC):%Y-%m-%d}"]
    lines += [f"- command: `make soak CASE={name}`", f"- repetitions: {case.stated}"]
    lines += [f"- machine: {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"]
    lines += [f"- outcome: {'as expected' if not wrong else '; '.join(wrong)}"]
    for unit, figures in seen.items():
        lines += ["", f"## {unit}", "", "| figure | value |", "|---|---|"]
        lines += [
            f"| {figure} | {value:,} |" if isinstance(value, int) else f"| {figure} | {value} |"
            for figure, value in figures.items()
        ]
    (REPORTS / f"{name}.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines), flush=True)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--unit"]:
        print(json.dumps(CASES[arguments[1]].run(arguments[2])))
        return 0
    fresh = "--fresh" in arguments
    names = [argument for argument in arguments if argument != "--fresh"]
    unknown = [name for name in names if name not in CASES]
    if unknown:
        print(f"soak: no case `{unknown[0]}`; the cases are {', '.join(CASES)}", file=sys.stderr)
        return 2
    kept = [soak(name, fresh) for name in names or CASES]  # all of them, also after a bad one
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
