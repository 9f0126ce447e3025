"""Soaks on pages: huge, hostile, restless, and those that fool tools; what they do is in tests/apps, web, browser."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from tools.cases.case import Case, Figures


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


FLOOD_SECONDS = float(os.environ.get("UIAP_SOAK_SECONDS", "600"))
FLOOD_NONE = ("revisions lost", "elements that differ from a fresh reading")
FLOOD_FLAT = ("page heap ratio", "Python RSS ratio")


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


TURNS, ASKED = 200, 30


def run_hazards(unit: str) -> Figures:
    from tests.browser.hazard_soak import GROUPS, run

    return run(unit, ASKED if unit in GROUPS else TURNS)


def run_hazard(turns: int) -> Callable[[str], Figures]:
    def run(unit: str) -> Figures:
        from tests.browser.hazard_soak import run as soaked

        return soaked(unit, turns)

    return run


def judge_hazards(all_figures: dict[str, Figures]) -> list[str]:
    from tests.browser.hazard_soak import judge

    return judge(all_figures)


def racy_hazards() -> tuple[str, ...]:
    from apps.hazards import HAZARDS

    return tuple(dict.fromkeys(hazard.id for hazard in HAZARDS if hazard.racy))


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
    "PAGE-10MIN": Case(
        "a page that never rests: memory stays flat on both sides and no revision is lost",
        f"{FLOOD_SECONDS:g} s of 500 changes a second: text, state, values, visibility, items that come, go and move",
        ("flood",),
        run_flood,
        judge_flood,
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
    "HAZARDS": Case(
        "hazard pages: no false success, no wrong target, the right word, and an end in time",
        f"{TURNS} turns of each racy page in both modes (F4, F5); {ASKED} of each interruption (F6) and door (H11)",
        (*racy_hazards(), "interruptions", "activation"),
        run_hazards,
        judge_hazards,
    ),
}
