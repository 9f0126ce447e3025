"""Deltas: applying them gives what a fresh reading gives, whatever the page did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.web.tab import KEYS, Tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PAGES = Path(__file__).parent / "pages"
PAGE = (PAGES / "mutants.html").read_text("utf-8")
STEP = (PAGES / "mutate.js").read_text("utf-8")


def normal(graph: dict[str, Any]) -> dict[str, Any]:
    parts = {kind: {node[key]: node for node in graph[kind]} for kind, key in KEYS.items()}
    return {**parts, **{part: graph[part] for part in ("route", "focus", "modalStack")}}


def held(tab: Tab) -> dict[str, Any]:
    return {part: tab.graph[part] for part in (*KEYS, "route", "focus", "modalStack")}


async def assert_same_as_fresh(tab: Tab, story: str) -> None:
    # What is hidden loses its focus with the next frame, not at once.
    await tab.evaluate("new Promise((r) => requestAnimationFrame(() => setTimeout(r)))", awaitPromise=True)
    await tab.settle()
    kept, order = held(tab), tab.order()
    fresh = (await tab.snapshot())["graph"]
    wanted = normal(fresh)
    for part in wanted:
        assert kept[part] == wanted[part], f"{part} differ after {story}"
    assert order == [node["instanceId"] for node in fresh["elements"]], f"order differs after {story}"


@pytest.mark.parametrize("seed", range(8))
async def test_deltas_add_up_to_a_fresh_reading_under_random_mutation(tab: Tab, seed: int) -> None:
    await tab.load(PAGE)
    story = []
    for step in range(9):
        story.append(await tab.evaluate(STEP.replace("SEED", str(seed * 1000 + step))))
        if step % 3 == 2:
            await assert_same_as_fresh(tab, f"seed {seed}: {json.dumps(story)}")
