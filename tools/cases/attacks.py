"""Soaks of policy, grants and audit under attack. What each does lives in tests/attack."""

from __future__ import annotations

from collections.abc import Callable

from tools.cases.case import Case, Figures


def _attack(name: str) -> Callable[[str], Figures]:
    def run(unit: str) -> Figures:
        from tests.attack import soak as attacks

        figures: Figures = getattr(attacks, name)(unit)
        return figures

    return run


QUARTERS = tuple(str(n) for n in range(1, 5))


CASES: dict[str, Case] = {
    "P5": Case(
        "forged, replayed, late, foreign and swapped grants",
        "every attack 100 times, a shouting page and foreign channels among them",
        (*QUARTERS, "channels", "page"),
        _attack("forged"),
    ),
    "P6": Case(
        "a target swapped between preview and execution",
        "200 in all: renamed, replaced, shown otherwise, moved, before and after the grant",
        ("1", "2"),
        _attack("swapped"),
    ),
    "P7": Case(
        "risks lowered by the page",
        "every attack 100 times",
        (*QUARTERS, "5"),
        _attack("lowered"),
    ),
    "P8": Case(
        "policy decisions against a naive twin",
        "1,000,000 generated pairs of policy and case; other orders, added denies, refusals, p99 at 200 rules",
        (*(str(n) for n in range(1, 11)), "orders", "denies", "refusals", "p99"),
        _attack("decided"),
    ),
    "P14": Case(
        "an audit that is rewritten, cut off or killed",
        "every byte of 200 records flipped; records removed, swapped, cut off, forked; 1,000 kills",
        ("bytes", "records", *(f"kills {n}" for n in range(1, 11))),
        _attack("rewritten"),
    ),
}
