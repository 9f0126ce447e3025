"""Soak cases that attack policy, grants and audit. The attacks are in tests/attack."""

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
        "Forged and replayed grants",
        "No forged, replayed, expired, foreign or swapped grant lets an action run.",
        "every attack 100 times, among them a page that claims grants and foreign channels",
        (*QUARTERS, "channels", "page"),
        _attack("forged"),
    ),
    "P6": Case(
        "Targets swapped between preview and execution",
        "An action does not run on a target that changed after a person saw it.",
        "200 swaps: renamed, replaced, shown differently, moved, before and after the grant",
        ("1", "2"),
        _attack("swapped"),
    ),
    "P7": Case(
        "Risks lowered by the page",
        "A page cannot lower the risk of an action.",
        "every attack 100 times",
        (*QUARTERS, "5"),
        _attack("lowered"),
    ),
    "P8": Case(
        "Policy decisions against a reference implementation",
        "The policy engine decides like a simple reference implementation, in any order of rules and fast enough.",
        "1,000,000 generated pairs of policy and case; other rule orders, added denies, refusals, p99 at 200 rules",
        (*(str(n) for n in range(1, 11)), "orders", "denies", "refusals", "p99"),
        _attack("decided"),
    ),
    "MONKEY": Case(
        "An adversarial agent in a real browser",
        "No write reaches the server without a grant for the control that wrote.",
        "10,000 random steps: 19 verbs on generated controls with labels of 13 languages; the server is the judge",
        tuple(str(n) for n in range(1, 21)),
        _attack("played"),
    ),
    "P14": Case(
        "Manipulated and interrupted audit logs",
        "Every changed, removed, swapped or cut off audit record is detected, and a killed process loses none.",
        "every byte of 200 records flipped; records removed, swapped, cut off, forked; 1,000 kills",
        ("bytes", "records", *(f"kills {n}" for n in range(1, 11))),
        _attack("rewritten"),
    ),
}
