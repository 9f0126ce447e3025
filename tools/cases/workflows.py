"""Soak cases of durable workflow runs. The worker that is killed is in tests/host/workflows."""

from __future__ import annotations

from tools.cases.case import Case, Figures


def _kills(unit: str) -> Figures:
    from tests.host.workflows import soak

    return soak.kills(unit)


def _judge(figures: dict[str, Figures]) -> list[str]:
    from tests.host.workflows import soak

    return soak.judge(figures)


CASES: dict[str, Case] = {
    "WORKFLOW-KILL": Case(
        "Killed workflow workers",
        "A killed worker loses no run, and no step that must not happen twice happens twice.",
        "200 workers killed with SIGKILL at random points of a run of 12 writes; the server's log is the judge",
        tuple(f"kills {n}" for n in range(1, 11)),
        _kills,
        _judge,
    ),
}
