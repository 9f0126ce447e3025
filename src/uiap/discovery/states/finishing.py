"""The end of a run: the phases that follow exploring, and the package (DISC-10)."""

from __future__ import annotations

from uiap.discovery import commands
from uiap.discovery.package.package import RunRecord, build_package
from uiap.discovery.run_state import RunState
from uiap.discovery.states.common import enter_status, report
from uiap.discovery.states.seeding import record_unmet_seeds
from uiap.spec.discovery import DiscoveryRunStatus


def complete(run: RunState) -> list[commands.Command]:
    """Leave exploring; the machine runs the remaining phases at once because they need no answer."""
    if run.status == "preparing":
        enter_status(run, "seeding")
    if run.status == "seeding":
        enter_status(run, "exploring")
    run.worker.pending = None
    enter_status(run, "extracting")
    return []


def on_extracting(run: RunState) -> list[commands.Command]:
    return _report_and_enter(run, "synthesizing")


def on_synthesizing(run: RunState) -> list[commands.Command]:
    return _report_and_enter(run, "reviewing")


def on_reviewing(run: RunState) -> list[commands.Command]:
    return [report(run), *end(run, "completed")]


def _report_and_enter(run: RunState, status: DiscoveryRunStatus) -> list[commands.Command]:
    reports = [report(run)]
    enter_status(run, status)
    return reports


def end(run: RunState, status: DiscoveryRunStatus) -> list[commands.Command]:
    """End the run with a package of everything found so far, for whatever reason it ends."""
    enter_status(run, status)
    run.worker.pending = None
    run.knowledge.count_left_over()
    run.knowledge.record_unreached_areas()
    record_unmet_seeds(run)
    record = RunRecord(
        plan=run.plan,
        status=status,
        available={name: found for name, found in run.available.items() if found},
        started=run.started_at.wall if run.started_at else "",
        finished=run.last_event_at.wall if run.last_event_at else "",
        seeds=tuple(run.seed_targets),
        seeds_visited=len(run.visited_seeds),
        states=run.knowledge.states,
        findings=run.knowledge.findings,
        log=run.knowledge.log,
        registered=run.knowledge.registered,
        preparation=run.preparation,
    )
    return [commands.Finish(package=build_package(record))]
