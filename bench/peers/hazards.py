"""Compare the answer of each tool after the same task on the same hazard page with the truth of the page.

Left out are tasks that a reference cannot express (with two equal buttons, a reference has already chosen one),
pages that ask a person in a dialog, and regions that must not be read.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Literal

from apps.hazards.catalogue import HAZARDS, Hazard
from apps.hazards.server import Server, serving
from bench.peers.contestants import contestants
from bench.peers.ours import Ours
from bench.peers.peer import Peer, Reply
from bench.table import Claim, show

Verdict = Literal["done", "honest", "missed", "false success", "wrong effect"]
STABLE_S, LATEST_S = (
    0.8,
    4.0,
)  # the truth counts after it was stable for this long, so that late and withdrawn effects are included
SURFACES = frozenset(
    {
        "file_label",
        "popup_blocked",
        "clipboard_gated",
        "picker_gated",
        "window_mid",
        "download_mid",
        "print_mid",
    }
    | {"permission_mid", "iframe_reload"}
)
"""These end in a separate window, chooser or frame, where the peers' evaluate does not reach the truth."""
NAMED = frozenset({"toast_on_load"})
"""The peers cannot be given the expected signal, and without it the task is only to be on the page."""
ATTEMPT_S = 60.0
UNFIT = frozenset({"target_ambiguous", "user_activation_required", "closed_shadow_unavailable"})


def fit(hazard: Hazard) -> bool:
    expressible = hazard.by in ("semantic", "instance") and hazard.scope is None
    doable = hazard.action in ("ui.activate", "ui.enterText")
    # the truth of a frame is in the frame, where the peers' evaluate does not reach
    judged = bool(hazard.truth or hazard.hits) and not hazard.id.endswith("frame")
    reachable = hazard.id not in SURFACES | NAMED
    return (
        expressible
        and doable
        and judged
        and reachable
        and not {answer.code for answer in hazard.default} & UNFIT
    )


async def attempt(peer: Peer, server: Server, hazard: Hazard) -> Verdict:
    await peer.goto(server.page(hazard.id))
    before = Counter(server.hits)
    await peer.look()
    if isinstance(peer, Ours) and hazard.by == "instance":
        await peer.point_at(
            hazard.name, hazard.role, hazard.record
        )  # the others read the reference from the snapshot
    if hazard.between is not None:
        await peer.evaluate(f"void ({hazard.between})")
    try:
        reply = await _do(peer, hazard)
    except LookupError as missing:
        reply = Reply(False, str(missing))
    truth = await _settled(peer)
    return judge(hazard, reply.claimed, truth, server.hits - before)


async def _do(peer: Peer, hazard: Hazard) -> Reply:
    if hazard.action == "ui.enterText":
        return await peer.write(hazard.role, hazard.name, str(hazard.args["text"]))
    return await peer.press(hazard.role, hazard.name, hazard.record)


async def _settled(peer: Peer) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    begun = unchanged_since = loop.time()
    last: Any = None
    while loop.time() - unchanged_since < STABLE_S and loop.time() - begun < LATEST_S:
        truth = await peer.evaluate("window.__truth")
        if truth != last:
            last, unchanged_since = truth, loop.time()
        await asyncio.sleep(0.05)
    return last or {}


def judge(hazard: Hazard, claimed: bool, truth: dict[str, Any], hits: Counter[str]) -> Verdict:
    """Judge by the truth of the page, not by the tool. A wrong effect is a change that was not requested."""
    possible = any(answer.status == "succeeded" for answer in hazard.default)
    otherwise = hazard.semantic_truth is not None and any(
        a.status == "succeeded" for a in hazard.semantic or ()
    )
    as_expected = _agrees(hazard.truth, truth) and all(hits[key] == n for key, n in hazard.hits.items())
    reached = (possible and as_expected) or (otherwise and _agrees(hazard.semantic_truth or {}, truth))
    if claimed and reached:
        return "done"
    untouched = as_expected if not possible else _nothing(truth)
    if not untouched and not reached and not _agrees(_zero(hazard.truth), truth):
        return "wrong effect"
    if claimed:
        return "false success"
    return "missed" if possible else "honest"


def _agrees(expected: dict[str, Any], truth: dict[str, Any]) -> bool:
    return all(truth.get(key) == value for key, value in expected.items())


def _zero(truth: dict[str, Any]) -> dict[str, Any]:
    return {key: [] if isinstance(value, list) else type(value)() for key, value in truth.items()}


def _nothing(truth: dict[str, Any]) -> bool:
    return not any(truth.values())


async def run() -> bool:
    tasks = [hazard for hazard in HAZARDS if fit(hazard)]
    verdicts: dict[str, list[tuple[Hazard, Verdict]]] = {}
    with serving() as server:
        async with contestants() as peers:
            for hazard in tasks:
                for peer in peers:
                    async with asyncio.timeout(ATTEMPT_S):
                        verdict = await attempt(peer, server, hazard)
                    verdicts.setdefault(peer.name, []).append((hazard, verdict))
    for name, judged in verdicts.items():
        for hazard, verdict in judged:
            if verdict not in ("done", "honest"):
                print(f"  {name}: {hazard.id}: {verdict} ({hazard.why})")
    rows: list[tuple[str, ...]] = [
        ("tool", "tasks", "done", "honest failure", "missed", "false success", "wrong effect")
    ]
    for name, judged in verdicts.items():
        count = Counter(verdict for _, verdict in judged)
        kinds: tuple[Verdict, ...] = ("done", "honest", "missed", "false success", "wrong effect")
        rows.append((name, str(len(judged)), *(str(count[kind]) for kind in kinds)))
    mine = Counter(verdict for _, verdict in verdicts["uiap"])
    wrong = mine["false success"] + mine["wrong effect"]
    claim = Claim(f"uiap: {wrong} false successes and wrong effects (none allowed)", wrong == 0)
    return show(f"{len(tasks)} hazard tasks", rows, [claim])
