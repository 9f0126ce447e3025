"""Compare the answer of each tool on generated pages with the truth of the page and of the server.

The pages are those of `apps/grammar` that need only a press or a text, without an expected signal, because the peers
cannot be given one. Pages that open a tab are left out: the peers then evaluate in the new tab, which has no truth.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from apps.grammar import Case, Server, cases, serving
from apps.grammar.verdict import VERDICTS, Verdict, judge
from bench.peers.contestants import contestants
from bench.peers.peer import Peer, Reply
from bench.table import Claim, show

PRESSED = frozenset({"button", "link", "checkbox", "switch", "form"})
WRITTEN = frozenset({"text", "editable"})
SUBMIT = ("button", "Place order")
"""Role and name of the button of a form: the peers have no verb to submit one."""
ATTEMPT_S = 90.0
END_S, UNTOUCHED_S, POLL_S = 15.0, 1.5, 0.05


def fit(case: Case) -> bool:
    """Return whether every tool can be given the task of a case."""
    usable = not case.expect and case.shape.control in PRESSED | WRITTEN
    return usable and case.shape.carrier != "new_tab"


async def attempt(peer: Peer, server: Server, case: Case) -> Verdict:
    """Let one tool do the task of a case, and judge its claim when the page has ended what it started."""
    trial = server.next_trial()
    await peer.goto(server.page(case.id, trial))
    await peer.look()
    try:
        reply = await _use(peer, case)
    except LookupError as missing:
        reply = Reply(False, str(missing))
    page = await _end(peer, server, case, trial)
    return judge(case, reply.claimed, page, list(server.records[trial]))


async def _use(peer: Peer, case: Case) -> Reply:
    if case.shape.control in WRITTEN:
        return await peer.write(case.role, case.name, str(case.args["text"]))
    role, name = SUBMIT if case.shape.control == "form" else (case.role, case.name)
    return await peer.press(role, name, None)


async def _end(peer: Peer, server: Server, case: Case, trial: int) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    begun = loop.time()
    while True:
        page: dict[str, Any] = await peer.evaluate("window.__truth") or {}
        spent = loop.time() - begun
        ended = page.get("finished") and len(server.records[trial]) >= len(case.truth.server)
        if ended or spent > END_S or (not page.get("performed") and spent > UNTOUCHED_S):
            return page
        await asyncio.sleep(POLL_S)


async def run() -> bool:
    chosen = [case for case in cases() if fit(case)]
    verdicts: dict[str, list[tuple[Case, Verdict]]] = {}
    with serving() as server:
        async with contestants() as peers:
            for case in chosen:
                for peer in peers:
                    async with asyncio.timeout(ATTEMPT_S):
                        verdicts.setdefault(peer.name, []).append((case, await attempt(peer, server, case)))
    for case, verdict in verdicts["uiap"]:
        if verdict != "right":
            print(f"  uiap: {case.id}: {verdict}")
    rows: list[tuple[str, ...]] = [("tool", "pages", *VERDICTS)]
    for name, judged in verdicts.items():
        count = Counter(verdict for _, verdict in judged)
        rows.append((name, str(len(judged)), *(str(count[one]) for one in VERDICTS)))
    mine = Counter(verdict for _, verdict in verdicts["uiap"])
    wrong = mine["false success"] + mine["wrong effect"]
    claim = Claim(f"uiap: {wrong} false successes and wrong effects (none allowed)", wrong == 0)
    return show(f"{len(chosen)} generated pages", rows, [claim])
