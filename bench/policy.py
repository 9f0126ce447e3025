"""Measure a policy decision with 200 rules, compared with no rules and with the reference implementation."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import msgspec

from bench.table import Claim, show
from tests.policy.test_evaluate import a_case, a_document
from tests.reference import policy_twin
from uiap.policy.evaluate import PolicySet
from uiap.spec.policy import PolicyDocument

SUMMARY = "policy decision with 200 rules (at most 20 µs)"
CASES = 4000


def microseconds(work: Callable[[], object], count: int, times: int = 5) -> float:
    """Return the processor time of one decision, best of a few runs, so that other work does not count."""
    best = []
    for _ in range(times):
        begun = time.process_time()
        work()
        best.append(time.process_time() - begun)
    return min(best) / count * 1e6


def run() -> bool:
    rng = random.Random(2026)
    cases = [a_case(rng) for _ in range(CASES)]
    plain: dict[int, Any] = {count: a_document(rng, count) for count in (0, 20, 200)}
    rows = [("rules", "µs a decision", "of none")]
    figures = {}
    for count, document in plain.items():
        policies = PolicySet((msgspec.convert(document, PolicyDocument),))
        figures[count] = microseconds(lambda p=policies: [p.decide(case) for case in cases], CASES)  # type: ignore[misc]
        rows.append((str(count), f"{figures[count]:.1f}", f"{figures[count] / figures[0]:.1f}"))
    few = cases[:200]
    twin = microseconds(lambda: [policy_twin.decide(plain[200], case) for case in few], len(few), 2)
    rows.append(("200, reference implementation", f"{twin:.1f}", f"{twin / figures[0]:.1f}"))
    slowest = _slowest(PolicySet((msgspec.convert(plain[200], PolicyDocument),)), cases)
    rows.append(("200, first decision, 99th percentile", f"{slowest:.1f}", ""))
    claims = [
        Claim(f"{figures[200]:.1f} µs ≤ 20 µs at 200 rules", figures[200] <= 20),
        Claim(f"p99 {slowest:.0f} µs ≤ 1 ms, without a cached decision", slowest <= 1000),
    ]
    return show("policy decisions", rows, claims)


def _slowest(policies: PolicySet, cases: list[Any]) -> float:
    """Return the 99th percentile of the first decision of each case."""
    spent = []
    for case in cases:
        begun = time.process_time()
        policies.decide(case)
        spent.append(time.process_time() - begun)
    return sorted(spent)[len(spent) * 99 // 100] * 1e6
