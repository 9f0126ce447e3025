"""Soak cases on pages: large, hostile, changing and misleading ones. Their code is in tests/apps, web and browser."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from tools.cases.case import Case, Figures


def run_sizes(unit: str) -> Figures:
    from tests.apps.hostile_soak import measure_size

    return asyncio.run(measure_size(unit))


def judge_sizes(all_figures: dict[str, Figures]) -> list[str]:
    from tests.apps.hostile_soak import size_problems

    return size_problems(all_figures)


def run_hostile(unit: str) -> Figures:
    from tests.apps.hostile_soak import run_hostile as run_pages

    return asyncio.run(run_pages(unit))


def judge_hostile(all_figures: dict[str, Figures]) -> list[str]:
    from tests.apps.hostile_soak import hostile_problems

    return hostile_problems(all_figures)


FLOOD_SECONDS = float(os.environ.get("UIAP_SOAK_SECONDS", "600"))
FLOOD_ZERO = ("revisions lost", "elements that differ from a fresh snapshot")
FLOOD_FLAT = ("page heap ratio", "Python RSS ratio")


def run_flood(unit: str) -> Figures:
    from tests.web.flood import flood

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(flood(FLOOD_SECONDS, Path(folder)))


def judge_flood(all_figures: dict[str, Figures]) -> list[str]:
    wrong = []
    for figures in all_figures.values():
        wrong += [f"{figures[name]} {name}" for name in FLOOD_ZERO if figures[name]]
        wrong += [f"{name} {figures[name]}" for name in FLOOD_FLAT if figures[name] > 1.1]
        if figures["changes per second"] < 450:
            wrong.append(f"only {figures['changes per second']} changes per second")
    return wrong


RACE_TURNS, GROUP_TURNS = 200, 30


def run_hazards(unit: str) -> Figures:
    from tests.browser.hazard_soak import GROUPS, run

    return run(unit, GROUP_TURNS if unit in GROUPS else RACE_TURNS)


def run_hazard(turns: int) -> Callable[[str], Figures]:
    def run(unit: str) -> Figures:
        from tests.browser.hazard_soak import run as run_trials

        return run_trials(unit, turns)

    return run


def judge_hazards(all_figures: dict[str, Figures]) -> list[str]:
    from tests.browser.hazard_soak import judge

    return judge(all_figures)


def racy_hazards() -> tuple[str, ...]:
    from apps.hazards import HAZARDS

    return tuple(dict.fromkeys(hazard.id for hazard in HAZARDS if hazard.racy))


GRAMMAR_TURNS = int(os.environ.get("UIAP_SOAK_N", "1"))
GRAMMAR_LOADS = ("idle", "full") if os.environ.get("UIAP_SOAK_LOAD") else ("idle",)
TURNS_PER_UNIT = 5


def grammar_units() -> tuple[str, ...]:
    """Return the names of the units: a half and a load, in parts of a few turns that fit into the time of a unit."""
    first_turns = range(0, GRAMMAR_TURNS, TURNS_PER_UNIT)
    return tuple(
        f"{half}, processor {load}" + (f", from turn {first}" if GRAMMAR_TURNS > TURNS_PER_UNIT else "")
        for half in ("tune", "measure")
        for load in GRAMMAR_LOADS
        for first in first_turns
    )


def run_grammar(unit: str) -> Figures:
    from tests.browser.grammar_soak import run

    half, load, *part = unit.split(", ")
    first = int(part[0].removeprefix("from turn ")) if part else 0
    return run(half, load == "processor full", min(TURNS_PER_UNIT, GRAMMAR_TURNS - first))


def judge_grammar(all_figures: dict[str, Figures]) -> list[str]:
    from tests.browser.grammar_soak import judge_figures

    return judge_figures(all_figures)


CASES: dict[str, Case] = {
    "F12": Case(
        "Very large, deep and cyclic pages",
        "Pages of any size and depth are read in bounded time and memory, or reported as truncated.",
        "20 fresh sessions on each page",
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
        "Hostile pages",
        "Pages that forge messages, instruct a model, patch globals, forbid scripts, hide or hang have no effect.",
        "5,000 forged messages; 100 pages with and without instructions; 38 patched pages; 20 of each other kind",
        (
            "forged messages",
            "instructions to a model",
            "patched globals",
            "strict content policy",
            "boundaries",
            "endless activity",
        ),
        run_hostile,
        judge_hostile,
    ),
    "PAGE-10MIN": Case(
        "A page that changes for ten minutes",
        "Memory stays flat in page and host, and no revision is lost, while a page changes continuously.",
        f"{FLOOD_SECONDS:g} s of 500 changes per second: text, state, values, visibility, items",
        ("flood",),
        run_flood,
        judge_flood,
    ),
    "F4": Case(
        "Elements re-created and reused",
        "An action never hits the wrong record while elements are re-created or reused for other records.",
        "300 trials: 50 of each of three pages in both modes",
        ("rerender", "rerender_storm", "recycled_on_press"),
        run_hazard(50),
        judge_hazards,
    ),
    "F5": Case(
        "Targets that move or become unusable",
        "An action notices a target that moves, is covered or is disabled between check and press.",
        "300 trials: 50 of each of three pages in both modes",
        ("moving_button", "overlay_late", "disabled_late"),
        run_hazard(50),
        judge_hazards,
    ),
    "F6": Case(
        "Interruptions by the browser",
        "Dialogs, windows, downloads, printing and permission prompts do not break an action.",
        "7 × 30 trials: 15 of each page in both modes",
        (
            *("alert_mid", "confirm_mid", "beforeunload", "window_mid", "download_mid"),
            *("print_mid", "permission_mid"),
        ),
        run_hazard(15),
        judge_hazards,
    ),
    "HAZARDS": Case(
        "Hazard pages",
        "No hazard page causes a false success, a wrong target, a wrong error code or a late end.",
        f"{RACE_TURNS} trials of each racy page in both modes; {GROUP_TURNS} of each interruption and of each feature "
        "that needs a user gesture",
        (*racy_hazards(), "interruptions", "activation"),
        run_hazards,
        judge_hazards,
    ),
    "GRAMMAR": Case(
        "Generated hazard pages",
        "On pages generated from a grammar, the runtime reports success where there is one, and nowhere else.",
        f"{GRAMMAR_TURNS} of each page; UIAP_SOAK_N=20 for twenty, UIAP_SOAK_LOAD=1 also with a full processor",
        grammar_units(),
        run_grammar,
        judge_grammar,
    ),
}
