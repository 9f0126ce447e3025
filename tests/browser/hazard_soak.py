"""Repeated trials on hazard pages: counts false successes, wrong targets, wrong error codes and late ends."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

from apps.hazards import HAZARDS, Hazard, serving
from tests.browser.trial import Stage, attempt, describe_result, is_expected
from tests.browser.witness import PORT
from uiap.drivers.chromium import ChromiumBrowser
from uiap.spec.capability import ExecutionMode

MODES: dict[str, tuple[ExecutionMode, ...] | None] = {"default": None, "semanticUi": ("semanticUi",)}
GROUPS: dict[str, tuple[str, ...]] = {
    # pages that interrupt an action
    "interruptions": (
        "alert_mid", "confirm_mid", "beforeunload", "window_mid", "download_mid", "print_mid", "permission_mid",
    ),
    # features that need a user gesture
    "activation": (
        "popup_blocked", "clipboard_gated", "fullscreen_gated", "picker_gated", "trusted_only", "file_label",
    ),
}  # fmt: skip
PARALLEL = 4
"""Trials at the same time, each in its own browser context: most of a trial is waiting for the page."""
LATE_S = 1.0
READY_S = 2.0  # time for a target to become ready and for a dialog of the page, before the timeout counts


def racy() -> tuple[str, ...]:
    return tuple(dict.fromkeys(hazard.id for hazard in HAZARDS if hazard.racy))


async def soak(ids: tuple[str, ...], turns: int) -> dict[str, Any]:
    """Run every hazard of these ids in both modes, `turns` times."""
    figures: dict[str, Any] = {
        "trials": 0, "false successes": 0, "wrong targets": 0, "unexpected results": 0, "too late": 0, "slowest s": 0.0,
    }  # fmt: skip
    browser = await ChromiumBrowser.launch(environ=os.environ, args=(PORT,))
    try:
        with serving() as server:
            chosen = [(hazard, mode) for hazard in HAZARDS if hazard.id in ids for mode in MODES]
            queue = iter(chosen * turns)

            async def work() -> None:
                for hazard, mode in queue:
                    # a new context for each trial, so that no page affects the next one
                    async with Stage.opened(browser, server) as stage:
                        await _turn(stage, hazard, mode, figures)

            await asyncio.gather(*(work() for _ in range(PARALLEL)))
    finally:
        await browser.close()
    return figures


async def _turn(stage: Stage, hazard: Hazard, mode: str, figures: dict[str, Any]) -> None:
    begun = time.monotonic()
    trial = await attempt(stage, hazard, MODES[mode])
    spent = time.monotonic() - begun
    figures["trials"] += 1
    figures["slowest s"] = round(max(figures["slowest s"], spent), 2)
    truth = all(trial.truth.get(key) == value for key, value in hazard.truth_of(MODES[mode]).items())
    right = any(is_expected(answer, trial.result) for answer in hazard.answers(MODES[mode]))
    may_succeed = any(answer.status == "succeeded" for answer in hazard.answers(MODES[mode]))
    if trial.result.status == "succeeded" and not (may_succeed and truth):
        figures["false successes"] += 1
    elif not truth:
        figures["wrong targets"] += 1
    if not right:
        figures["unexpected results"] += 1
    duration_s = _duration(trial.result.metadata)
    if duration_s > hazard.timeout_ms / 1000 + READY_S + LATE_S:
        figures["too late"] += 1
    if not (truth and right):
        figures.setdefault("failed trials", []).append(
            f"{hazard.id} {mode}: {describe_result(trial.result)[:300]}; {trial.truth}"
        )


def _duration(metadata: Any) -> float:
    return float(metadata["durationMs"]) / 1000 if isinstance(metadata, dict) else 0.0


def run(unit: str, turns: int) -> dict[str, Any]:
    """Run a group by its name, or one hazard by its id."""
    return asyncio.run(soak(GROUPS.get(unit, (unit,)), turns))


def judge(all_figures: dict[str, dict[str, Any]]) -> list[str]:
    counts = ("false successes", "wrong targets", "unexpected results", "too late")
    return [
        f"{unit}: {found[name]} {name}"
        for unit, found in all_figures.items()
        for name in counts
        if found[name]
    ]
