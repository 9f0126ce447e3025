"""Soaks of faults on the way of an action: kills, lost tabs, navigation, network, cancels. See tests/faults."""

from __future__ import annotations

from collections.abc import Callable

from tools.cases.case import Case, Figures

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


def run_android(stage: str) -> Figures:
    from tests.drivers.android.trials import cancels

    return cancels(stage)


def run_fault(trial: str) -> Callable[[str], Figures]:
    def run(unit: str) -> Figures:
        from tests.faults import soak as faults

        figures: Figures = getattr(faults, trial)(unit)
        return figures

    return run


def judge_kills(all_figures: dict[str, Figures]) -> list[str]:
    late = {unit: seen["slowest result ms"] for unit, seen in all_figures.items()}
    return [f"{unit}: a result came after {ms} ms" for unit, ms in late.items() if ms > 5000]


def judge_cycles(all_figures: dict[str, Figures]) -> list[str]:
    return [
        f"memory grew by {seen['RSS ratio']}" for seen in all_figures.values() if seen["RSS ratio"] > 1.05
    ]


CASES: dict[str, Case] = {
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
    ),
    "F3": Case(
        "the page goes elsewhere during verification",
        "200 seeded navigations",
        ("0", "1", "2", "3"),
        run_fault("away"),
    ),
    "F7": Case(
        "the network is slow (50 kbit/s, 2 s), loses 5 to 40 %, refuses, is cut or answers too late; the server counts",
        "200 seeded presses, of six kinds",
        ("0", "1", "2", "3"),
        run_fault("network"),
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
    ),
    "F14D": Case(
        "an action in a desktop application is cancelled at each stage, twice, and after its end",
        "9 × 30 cancels",
        tuple(stage for stage in CANCELS if stage not in ("recovering", "waiting_for_user")),
        run_desktop,
    ),
    "F14A": Case(
        "an action on a device (a stand-in behind the real adb) is cancelled at each stage, twice, and after its end",
        "9 × 30 cancels",
        tuple(stage for stage in CANCELS if stage not in ("recovering", "waiting_for_user")),
        run_android,
    ),
}
