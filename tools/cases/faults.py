"""Soak cases of faults during an action: kills, lost tabs, navigation, network, cancels. See tests/faults."""

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
    late = {unit: found["slowest result ms"] for unit, found in all_figures.items()}
    return [f"{unit}: a result came after {ms} ms" for unit, ms in late.items() if ms > 5000]


def judge_cycles(all_figures: dict[str, Figures]) -> list[str]:
    return [
        f"memory grew by {found['RSS ratio']}" for found in all_figures.values() if found["RSS ratio"] > 1.05
    ]


CASES: dict[str, Case] = {
    "F1": Case(
        "Browser killed during an action",
        "An action whose browser is killed ends in time with a correct result, at each stage.",
        "6 × 50 SIGKILLs; each trial checks the invariants of tests/faults/invariants.py",
        STAGES,
        run_fault("kills"),
        judge_kills,
    ),
    "F2": Case(
        "Tab lost during an action",
        "An action whose tab crashes or closes ends with a correct result, and other tabs continue.",
        "100 lost tabs",
        ("crash", "close"),
        run_fault("lost_tabs"),
    ),
    "F3": Case(
        "Navigation during verification",
        "A page that navigates away during verification never leads to a false success.",
        "200 seeded navigations",
        ("0", "1", "2", "3"),
        run_fault("away"),
    ),
    "F7": Case(
        "Network faults during an action",
        "A slow, lossy, refusing or cut network never leads to a false success; the server counts the truth.",
        "200 seeded presses of six kinds: 50 kbit/s, 2 s latency, 5 to 40 % loss, refusals, cuts, late answers",
        ("0", "1", "2", "3"),
        run_fault("network"),
    ),
    "B2": Case(
        "Repeated sessions in one process",
        "Opening, acting and closing in one process leaves nothing behind: complete audit, flat memory.",
        "1,000 cycles with one browser",
        ("cycles",),
        run_fault("cycles"),
        judge_cycles,
    ),
    "F14": Case(
        "Cancelled actions",
        "An action can be cancelled at each stage, twice, and after its end, always with one correct result.",
        "11 × 30 cancellations",
        CANCELS,
        run_fault("cancels"),
    ),
    "F14D": Case(
        "Cancelled actions on the desktop",
        "An action in a desktop application can be cancelled at each stage, twice, and after its end.",
        "9 × 30 cancellations",
        tuple(stage for stage in CANCELS if stage not in ("recovering", "waiting_for_user")),
        run_desktop,
    ),
    "F14A": Case(
        "Cancelled actions on Android",
        "An action on a device can be cancelled at each stage, twice, and after its end.",
        "9 × 30 cancellations on a simulated device behind the real adb",
        tuple(stage for stage in CANCELS if stage not in ("recovering", "waiting_for_user")),
        run_android,
    ),
}
