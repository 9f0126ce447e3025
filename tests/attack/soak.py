"""Repeated attacks on grants, targets, risks, decisions and the audit log. `tools/soak.py` runs each function."""

from __future__ import annotations

import asyncio
import inspect
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.attack import browser_monkey, test_channels, test_grants, test_page, test_risks
from tests.attack.stage import at_level
from tests.host.audit_kills import KEY, kill_forked
from tests.host.records.test_audit import Links, chain, flipped
from tests.policy.test_evaluate import a_case, a_document, compare
from uiap.drivers.chromium import ChromiumBrowser
from uiap.host.records.audit import check, parse_head
from uiap.host.records.audit_chain import ORIGIN, record_hash
from uiap.host.records.store import sqlite_url
from uiap.policy.autonomy import Autonomy
from uiap.policy.evaluate import PolicySet
from uiap.spec.policy import POLICY_EFFECTS, PolicyDocument

Figures = dict[str, Any]
FORGERIES, SWAPS, LOWERED, DECISIONS, KILLS, RECORDS = 100, 200, 100, 1_000_000, 1_000, 200
MONKEY_STEPS = 500
AGENT_LEVELS: tuple[Autonomy, ...] = ("ask", "assist")
VARIATIONS, RULES = 20_000, 200
"""The number of varied decisions, and the number of rules of the large policies."""


def _trials(module: Any, selects: Callable[[str], bool]) -> list[tuple[Callable[..., Any], dict[str, Any]]]:
    """Return the selected tests of a module, once for each of their parameters."""
    found: list[tuple[Callable[..., Any], dict[str, Any]]] = []
    for name, test in vars(module).items():
        if not name.startswith("test_") or not selects(name):
            continue
        marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
        rows: list[dict[str, Any]] = [{}]
        for mark in marks:
            names = [mark.args[0]] if isinstance(mark.args[0], str) else list(mark.args[0])
            rows = [
                row | dict(zip(names, value if len(names) > 1 else [value], strict=True))
                for row in rows
                for value in mark.args[1]
            ]
        found += [(test, row) for row in rows]
    return found


def _repeat(module: Any, selects: Callable[[str], bool], times: int, *, asks: bool = True) -> Figures:
    """Run the tests of a module this often, by turns at the levels of autonomy at which an agent may act."""
    trials = _trials(module, selects)
    for number in range(times):
        for test, given in trials:
            _run(test, given, AGENT_LEVELS[number % len(AGENT_LEVELS)], asks)
    return {"attacks": len(trials), "times each": times, "executed without a grant": 0}


def _run(test: Callable[..., Any], given: dict[str, Any], level: Autonomy, asks: bool) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        at_level(level, monkeypatch, asks=asks)
        fixtures = {"monkeypatch": monkeypatch, "level": level}
        wanted = inspect.signature(test).parameters
        outcome = test(
            **given, **{name: one for name, one in fixtures.items() if name in wanted and name not in given}
        )
        if inspect.iscoroutine(outcome):
            asyncio.run(outcome)


def _swaps_target(name: str) -> bool:
    return "swapped_after" in name


def forged(unit: str) -> Figures:
    if unit == "page":
        asyncio.run(test_page.forge_grants(FORGERIES))
        return {"a page that forges grants": FORGERIES, "executed without a grant": 0}
    if unit == "channels":
        return _repeat(test_channels, lambda _name: True, FORGERIES)
    return _repeat(test_grants, lambda name: not _swaps_target(name), FORGERIES // 4)


def swapped(_unit: str) -> Figures:
    swaps = len(_trials(test_grants, _swaps_target))
    return _repeat(test_grants, _swaps_target, -(-SWAPS // (2 * swaps)))


def lowered(_unit: str) -> Figures:
    return _repeat(test_risks, lambda _name: True, LOWERED // 5, asks=False)


def played(unit: str) -> Figures:
    """Play one part of the monkey's steps in a real browser."""

    async def run() -> Figures:
        browser = await ChromiumBrowser.launch(environ=os.environ)
        try:
            return await browser_monkey.play(browser, seed=int(unit), steps=MONKEY_STEPS)
        finally:
            await browser.close()

    figures = asyncio.run(run())
    assert figures["unauthorised"] == 0, figures
    return figures


# -- decisions ----------------------------------------------------------------------------------------------


def decided(unit: str) -> Figures:
    if unit in DECISION_UNITS:
        return DECISION_UNITS[unit]()
    return {"decisions compared with the twin": compare(int(unit), DECISIONS // 10), "differences": 0}


def _set(plain: dict[str, Any]) -> PolicySet:
    return PolicySet((msgspec.convert(plain, PolicyDocument),))


def _orders() -> Figures:
    """Check that the order of rules and documents does not change a decision."""
    rng = random.Random(8)
    for _ in range(VARIATIONS // 4):
        plain, more, case = a_document(rng, 8), a_document(rng, 4) | {"id": "q"}, a_case(rng)
        reordered = {**plain, "rules": rng.sample(plain["rules"], len(plain["rules"]))}
        documents = [msgspec.convert(one, PolicyDocument) for one in (plain, more)]
        effect = PolicySet(tuple(documents)).decide(case).effect
        assert _set(reordered).decide(case).effect == _set(plain).decide(case).effect
        assert PolicySet(tuple(reversed(documents))).decide(case).effect == effect
    return {"pairs asked in another order": VARIATIONS // 4, "order effects": 0}


def _denies() -> Figures:
    """Check that an added deny rule never makes a decision less strict."""
    rng, hit = random.Random(9), 0
    for _ in range(VARIATIONS // 4):
        plain, case = a_document(rng, 6), a_case(rng)
        extra = {"id": "no", "priority": rng.randint(-3, 4), "match": rng.choice([{}, {"roles": ["button"]}])}
        before = _set(plain).decide(case).effect
        after = _set({**plain, "rules": [*plain["rules"], extra | {"effect": "deny"}]}).decide(case).effect
        assert POLICY_EFFECTS.index(after) >= POLICY_EFFECTS.index(before)
        hit += after != before
    return {"deny rules added": VARIATIONS // 4, "made stricter": hit, "made laxer": 0}


def _refusals() -> Figures:
    """Check that unknown actions, invalid cases and slow evaluations are denied."""
    rng = random.Random(10)
    for _ in range(VARIATIONS // 4):
        plain, case = a_document(rng, 4), a_case(rng)
        policies = _set({**plain, "defaults": {}})
        assert policies.decide(msgspec.structs.replace(case, action_known=False)).effect == "deny"
        broken = msgspec.structs.replace(case, opaque=False, action_known=True, risk_tags=7)
        assert policies.decide(broken).effect == "deny"
        moments = iter((0.0, 1.0, 1.0, 2.0))
        slow = PolicySet(policies.documents, cpu_seconds=moments.__next__)
        assert slow.decide(case).effect == "deny"
    return {"unknown, broken, too slow": 3 * (VARIATIONS // 4), "allowed": 0}


def _quick() -> Figures:
    """Measure the processor time of new cases with 200 rules."""
    rng = random.Random(11)
    policies, spent = _set(a_document(rng, RULES)), []
    for case in [a_case(rng) for _ in range(VARIATIONS)]:
        started = time.thread_time()
        policies.decide(case)
        spent.append(time.thread_time() - started)
    spent.sort()
    p99 = spent[len(spent) * 99 // 100] * 1e6
    assert p99 <= 1000, f"p99 is {p99:.0f} µs"
    return {
        "decisions": VARIATIONS,
        "rules": RULES,
        "p99 µs": round(p99, 1),
        "slowest µs": round(spent[-1] * 1e6, 1),
    }


DECISION_UNITS: dict[str, Callable[[], Figures]] = {
    "orders": _orders,
    "denies": _denies,
    "refusals": _refusals,
    "p99": _quick,
}


# -- audit log ----------------------------------------------------------------------------------------------


def rewritten(unit: str) -> Figures:
    if unit.startswith("kills"):
        with tempfile.TemporaryDirectory() as folder:
            url = sqlite_url(Path(folder) / "a.sqlite3")
            promised = sum(kill_forked(url, 1 + n % 9) for n in range(KILLS // 10))
        return {"kills": KILLS // 10, "records promised, all there": promised}
    return _records() if unit == "records" else _bytes()


def _bytes() -> Figures:
    links, found = chain(RECORDS), 0
    for n, (seq, body, hash) in enumerate(links):
        for at in range(len(body)):
            found += (
                check([*links[:n], (seq, flipped(body, at), hash), *links[n + 1 :]], KEY).first_broken == seq
            )
    positions = sum(len(body) for _, body, _ in links)
    assert found == positions
    return {"byte positions flipped": positions, "found": found}


def _records() -> Figures:
    """Check that the recorded head reveals removed, swapped, cut off, replaced and forked records."""
    links = chain(RECORDS)
    head, found, tried = [parse_head(f"{RECORDS}:{links[-1][2].hex()}")], 0, 0
    rng = random.Random(14)
    for n in range(RECORDS):
        other = rng.choice([m for m in range(RECORDS) if m != n])
        exchanged = list(links)
        exchanged[n], exchanged[other] = exchanged[other], exchanged[n]
        for changed in ([*links[:n], *links[n + 1 :]], exchanged, links[:n], _forked(links, n)):
            tried += 1
            found += not check(changed, KEY, head).intact
    for changed in (chain(RECORDS, key=b"another"), _forked(links, 0), []):
        tried += 1
        found += not check(changed, KEY, head).intact
    assert found == tried and check(links, KEY, head).intact
    return {"chains with records removed, swapped, cut off, replaced or forked": tried, "found": found}


def _forked(links: Links, at: int) -> Links:
    """Return a chain that differs after a record, made with the right key: only the recorded head reveals it."""
    before = links[at - 1][2] if at else ORIGIN
    forked = list(links[:at])
    for seq in range(at + 1, len(links) + 1):
        body = b'{"kind":"decision","ts":"2026-03-26T14:00:00.000Z","handle":"other_%d"}' % seq
        before = record_hash(KEY, before, seq, body)
        forked.append((seq, body, before))
    return forked
