"""A monkey: an agent that tries every verb on every control of random pages, judged by the writes that happen.

The pages are scripted applications. A control of a page writes when it is pressed. A write without a grant for exactly
that control is a fault.
"""

from __future__ import annotations

import asyncio
import random
from typing import Any

from tests.attack.stage import Stage, open_stage
from tests.policy.corpus import labels
from uiap.drivers.scripted.app import App, Widget
from uiap.policy.autonomy import Autonomy, rules_at
from uiap.policy.routine import has_ordinary_words

VERBS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ui.activate", {}),
    ("ui.open", {}),
    ("ui.close", {}),
    ("ui.expand", {}),
    ("ui.collapse", {}),
    ("ui.toggle", {}),
    ("ui.choose", {}),
    ("ui.choose", {"label": "Large"}),
    ("ui.submit", {}),
    ("ui.enterText", {"text": "a\n"}),
    ("x.uiap.doubleActivate", {}),
    ("x.uiap.longPress", {}),
    ("x.uiap.press", {"key": "Enter"}),
    ("x.uiap.press", {"key": " "}),
)
ROLES = ("button", "link", "tab", "menuitem", "switch", "treeitem", "row", "image")
NAMES = [label for part in ("tuning", "harmless") for _, label in labels(part)]
WRITING_OPS = ("click", "submit", "longPress", "press", "select", "setText", "typeText")
STEPS_PER_PAGE = 40


async def play(seed: int, steps: int, level: Autonomy = "ask") -> dict[str, int]:
    """Play this many steps. Return the number of steps, grants, writes and unauthorised writes."""
    rng = random.Random(seed)
    figures = {"steps": 0, "grants": 0, "writes": 0, "unauthorised": 0}
    while figures["steps"] < steps:
        await _play_page(rng, min(STEPS_PER_PAGE, steps - figures["steps"]), figures, level)
    return figures


async def _play_page(rng: random.Random, steps: int, figures: dict[str, int], level: Autonomy) -> None:
    written: list[str] = []
    widgets = [_control(rng, f"c{number}", written) for number in range(8)]
    async with open_stage(*widgets, rules=rules_at(level)) as stage:
        ordinary = {one.key for one in widgets if level == "assist" and has_ordinary_words(one.name or "")}
        for _ in range(steps):
            written.clear()
            granted = await _step(rng, stage, rng.choice(widgets).key)
            figures["steps"] += 1
            figures["grants"] += len(granted)
            figures["writes"] += len(written)
            figures["unauthorised"] += sum(key not in granted | ordinary for key in written)


def _control(rng: random.Random, key: str, written: list[str]) -> Widget:
    def write(_app: App) -> None:
        written.append(key)

    return Widget(key, rng.choice(ROLES), rng.choice(NAMES), on=dict.fromkeys(WRITING_OPS, write))


async def _step(rng: random.Random, stage: Stage, key: str) -> set[str]:
    """Try one verb on one control. Return the controls for which the person gave a grant."""
    action, args = rng.choice(VERBS)
    node = stage.app.node_id(key)
    tried = asyncio.create_task(stage.agent.act(action, ref=node, args=args, policy="none", timeout_ms=400))
    granted: set[str] = set()
    async with asyncio.timeout(30):
        while not tried.done():
            waiting = await stage.person.waiting()
            for one in waiting.details or ():
                if rng.random() < 0.3:
                    granted.add(key)
                    await stage.person.grant(one.action_handle)
                else:
                    await stage.person.deny(one.action_handle)
            for step in waiting.handoffs or ():
                await stage.person.hand_back(step.action_handle, done=False)
            await asyncio.sleep(0)
    return granted
