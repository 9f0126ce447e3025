"""Soak cases of durable workflow runs. The worker that is killed is in tests/host/workflows."""

from __future__ import annotations

from tools.cases.case import Case, Figures


def _kills(unit: str) -> Figures:
    from tests.host.workflows import soak

    return soak.kills(unit)


def _judge(figures: dict[str, Figures]) -> list[str]:
    from tests.host.workflows import soak

    return soak.judge(figures)


def _two_owners(unit: str) -> Figures:
    from tests.host.workflows.two_owners import two_owners

    return two_owners(unit, 10)


def _fleet(unit: str) -> Figures:
    from tests.host.workflows.fleet import soak

    return soak(unit, 1000)


def _faults(unit: str) -> Figures:
    from tests.host.workflows.faults import soak

    return soak(unit, 20)


CASES: dict[str, Case] = {
    "WORKFLOW-KILL": Case(
        "Killed workflow workers",
        "A killed worker loses no run, and no step that must not happen twice happens twice.",
        "200 workers killed with SIGKILL at random points of a run of 12 writes; the server's log is the judge",
        tuple(f"kills {n}" for n in range(1, 11)),
        _kills,
        _judge,
    ),
    "WORKFLOW-FAULTS": Case(
        "Workers, browsers and database connections that end",
        "Every run ends as it should: no creation happens twice, none is missing, and no run stands still.",
        "200 faults in runs of 12 steps in Videoland: workers and browsers killed with SIGKILL, connections ended by "
        "the database, PostgreSQL killed and started again; the server's log is the judge",
        tuple(f"faults {n}" for n in range(1, 11)),
        _faults,
        _judge,
    ),
    "F9": Case(
        "Two workers continue the same run",
        "Exactly one worker owns a run; one that comes back after a stop does nothing twice.",
        "50 runs of 12 writes, each left behind by a killed worker and continued by two; half stop one of the two",
        tuple(f"runs {n}" for n in range(1, 6)),
        _two_owners,
        _judge,
    ),
    "FLEET": Case(
        "A fleet whose workers are killed",
        "Queued runs are executed once each while workers are killed and started: none is lost, none is doubled.",
        "1,000 runs of three writes from one PostgreSQL database on 4 workers, one of which is killed every 3 to 8 s",
        ("1,000 runs",),
        _fleet,
        _judge,
    ),
}
