"""Durable runs of a scripted application: a restart continues them, and a person answers in another process."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("dbos", reason="install uiap[workflows]")

from tests.host.handlers.test_workflows import CREATE, PicturingDriver, Videos
from uiap.api.workflow_application import ApplicationOpener
from uiap.api.workflow_report import report_html
from uiap.api.workflow_runs import WorkflowRuns, application_of, database_url, run_order
from uiap.drivers.driver import Driver
from uiap.errors import Busy, UiapError, Unavailable
from uiap.host.workflows.performer import RunApplication, RunOrder
from uiap.host.workflows.recorded_bindings import recorded_elements

URL = "http://videos.test/new"


def order(rules: str = "trusted", principal: str = "ada", **parameters: Any) -> RunOrder:
    application = RunApplication(url=URL, rules=rules, principal=principal)
    return run_order(CREATE, application, parameters)


class Fleet:
    """One application and its database, over any number of processes that execute its runs."""

    def __init__(self, folder: Path) -> None:
        self.videos, self.opened = Videos(), 0
        self.database = folder / "runs.sqlite"

    async def _driver(self, _stack: AsyncExitStack, _application: RunApplication) -> Driver:
        self.opened += 1
        return PicturingDriver(self.videos.page())

    @asynccontextmanager
    async def process(self) -> AsyncIterator[Any]:
        async with (
            WorkflowRuns(self.database) as runs,
            runs.executing(ApplicationOpener(self._driver)) as engine,
        ):
            yield runs, engine


async def statuses(runs: WorkflowRuns, instance_id: str) -> list[str]:
    async with asyncio.timeout(30):
        return [entry.status async for entry in runs.follow(instance_id)]


async def test_messages_that_nobody_has_read_yet_count_for_the_next_one(tmp_path: Path) -> None:
    fleet, given = Fleet(tmp_path), order()
    id = given.terms.instance_id
    async with fleet.process() as (runs, engine):
        await engine.start(given)
        assert (await statuses(runs, id))[-1] == "waiting_for_input"
    async with WorkflowRuns(fleet.database) as runs:  # nobody executes the run
        await runs.pause(id)
        assert (await runs.history(id)).unread == 1
        await runs.resume(id, title="Intro")
        with pytest.raises(Unavailable, match="does not wait for this"):
            await runs.accept_repair(id)
    async with fleet.process() as (runs, _):
        assert (await statuses(runs, id))[-1] == "succeeded"
        assert (await runs.history(id)).unread == 0
    assert fleet.videos.saved == ["saved"]


@pytest.mark.requirement("WF-6b", "WF-6c")
async def test_a_run_that_waits_for_a_value_goes_on_in_another_process(tmp_path: Path) -> None:
    fleet, given = Fleet(tmp_path), order()
    id = given.terms.instance_id
    async with fleet.process() as (runs, engine):
        await engine.start(given)
        assert (await statuses(runs, id))[-1] == "waiting_for_input"
        with pytest.raises(Busy, match="another process executes"):
            async with runs.executing():
                pass
    async with WorkflowRuns(fleet.database) as runs:
        question = (await runs.history(id)).question
        assert question is not None and [one.name for one in question.parameters] == ["title"]
        await runs.resume(id, title="Intro")
        with pytest.raises(Unavailable, match="no run `wf_0`"):
            await runs.pause("wf_0")
    async with fleet.process() as (runs, _):
        assert (await statuses(runs, id))[-1] == "succeeded"
        with pytest.raises(Unavailable, match=r"has ended \(succeeded\)"):
            await runs.cancel(id)
    assert fleet.videos.saved == ["saved"] and fleet.opened == 2


@pytest.mark.requirement("WF-6b")
async def test_policy_asks_a_person_who_answers_after_a_restart(tmp_path: Path) -> None:
    fleet, given = Fleet(tmp_path), order("standard", "agent:ben", title="Intro")
    id = given.terms.instance_id
    async with fleet.process() as (runs, engine):
        await engine.start(given)
        assert (await statuses(runs, id))[-1] == "waiting_for_confirmation"
        question = (await runs.history(id)).question
        assert question is not None and question.text.startswith("activate the button “Save”")
    assert fleet.videos.saved == []
    async with fleet.process() as (runs, _):
        await runs.resume(id, by="ada")
        assert (await statuses(runs, id))[-1] == "succeeded"
        acted = [entry.step_id for entry in (await runs.history(id)).timeline if entry.status == "running"]
    assert acted.count("title") == 2, "the form is filled in again before the action"
    assert fleet.videos.saved == ["saved"]


async def test_a_declined_action_pauses_the_run_and_it_can_be_cancelled(tmp_path: Path) -> None:
    fleet, given = Fleet(tmp_path), order("standard", "agent:ben", title="Intro")
    id = given.terms.instance_id
    async with fleet.process() as (runs, engine):
        await engine.start(given)
        await statuses(runs, id)
        await runs.decline(id, reason="not now")
        assert (await statuses(runs, id))[-1] == "paused"
        await runs.cancel(id)
        assert (await statuses(runs, id))[-1] == "cancelled"
        assert list(await runs.ids()) == [id]
    assert fleet.videos.saved == []


async def test_a_queued_run_is_taken_by_the_next_process(tmp_path: Path) -> None:
    fleet, given = Fleet(tmp_path), order(title="Intro")
    async with fleet.process():
        pass  # creates the tables of the queue
    async with WorkflowRuns(fleet.database) as runs:
        id = await runs.enqueue(given)
    async with fleet.process() as (runs, _):
        assert (await statuses(runs, id))[-1] == "succeeded"
        assert (await runs.definition(id)).version == CREATE.version
    assert fleet.videos.saved == ["saved"]


@pytest.mark.requirement("WF-7")
async def test_a_renamed_button_is_repaired_by_a_person_after_a_restart(tmp_path: Path) -> None:
    fleet, given = Fleet(tmp_path), order(title="Intro")
    fleet.videos.label = "Saves"
    id = given.terms.instance_id
    async with fleet.process() as (runs, engine):
        await engine.start(given)
        assert (await statuses(runs, id))[-1] == "waiting_for_user"
        question = (await runs.history(id)).question
        assert question is not None and question.kind == "repair" and question.proposal is not None
        assert question.proposal.reasons[0] == "its name is “Saves”, it was “Save”"
    assert fleet.videos.saved == []
    async with fleet.process() as (runs, _):
        await runs.accept_repair(id, by="ada")
        assert (await statuses(runs, id))[-1] == "succeeded"
        repaired = await runs.repaired_definition(id)
    assert fleet.videos.saved == ["saved"]
    assert (repaired.version, binding_ids(repaired)) == ("1.0.1", ["step.save"])
    again = run_order(repaired, RunApplication(url=URL, principal="ada"), {"title": "Other"})
    async with fleet.process() as (runs, engine):
        await engine.start(again)
        assert (await statuses(runs, again.terms.instance_id))[-1] == "succeeded"
    assert len(fleet.videos.saved) == 2


async def test_a_proposal_shows_the_element_before_and_now(tmp_path: Path) -> None:
    fleet, first, second = Fleet(tmp_path), order(title="Intro"), order(title="Other")
    async with fleet.process() as (runs, engine):
        await engine.start(first)
        assert (await statuses(runs, first.terms.instance_id))[-1] == "succeeded"
    fleet.videos.label = "Saves"
    async with fleet.process() as (runs, engine):
        await engine.start(second)
        assert (await statuses(runs, second.terms.instance_id))[-1] == "waiting_for_user"
        history = await runs.history(second.terms.instance_id)
        await runs.decline(second.terms.instance_id)
        await statuses(runs, second.terms.instance_id)
        declined = await runs.history(second.terms.instance_id)
    (repair,) = history.repairs
    pictures = (repair.proposal.picture_before, repair.proposal.picture_now)
    assert [b64decode(one).decode() for one in pictures] == ["Save", "Saves"]
    assert (repair.step_id, repair.answer, declined.repairs[0].answer) == ("save", "open", "declined")
    report = report_html(history, CREATE)
    assert all(f"data:image/png;base64,{one}" in report for one in pictures)
    assert f"score {repair.proposal.score:.2f}" in report


def binding_ids(definition: Any) -> list[str]:
    """Return the ids of the bindings that a definition brings along."""
    return [one.id for one in recorded_elements(definition)]


async def test_a_schedule_is_stored_listed_and_deleted(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    async with fleet.process():
        pass  # creates the tables
    async with WorkflowRuns(fleet.database) as runs:
        await runs.schedule("daily", "0 7 * * mon-fri", order(title="Intro"), "Europe/Berlin")
        (found,) = await runs.schedules()
        assert (found.name, found.cron, found.timezone) == ("daily", "0 7 * * mon-fri", "Europe/Berlin")
        assert (found.workflow_id, found.version) == (CREATE.id, CREATE.version)
        with pytest.raises(UiapError, match="`daily` cannot be stored"):
            await runs.schedule("daily", "0 7 * * *", order(title="Intro"))
        with pytest.raises(UiapError, match="Invalid cron"):
            await runs.schedule("other", "soon", order(title="Intro"))
        await runs.unschedule("daily")
        assert list(await runs.schedules()) == []
        with pytest.raises(Unavailable, match="no schedule `daily`"):
            await runs.unschedule("daily")


@pytest.mark.requirement("WF-6b")
async def test_a_schedule_starts_runs_of_the_stored_version(tmp_path: Path) -> None:
    fleet, given = Fleet(tmp_path), order(title="Intro")
    async with fleet.process():
        pass  # creates the tables
    async with WorkflowRuns(fleet.database) as runs:
        await runs.schedule("often", "* * * * * *", given)  # every second
    async with fleet.process() as (runs, _), asyncio.timeout(60):
        while not (ids := await runs.ids()):
            await asyncio.sleep(0.1)
        await runs.unschedule("often")
        assert ids[-1].startswith(f"{given.terms.instance_id}-")
        assert (await statuses(runs, ids[-1]))[-1] == "succeeded"


def test_an_order_that_cannot_run_is_refused_before_it_is_stored() -> None:
    with pytest.raises(UiapError, match="title"):
        order(title=7)
    with pytest.raises(UiapError, match="names no address"):
        application_of(CREATE, None)
    named = msgspec.structs.replace(CREATE, metadata={"startUrl": URL})
    assert application_of(named, None)[0].url == URL


def test_a_database_is_a_url_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UIAP_HOME", str(tmp_path))
    assert database_url(None) == f"sqlite:///{tmp_path}/workflows.sqlite3"
    assert database_url(tmp_path / "a.db") == f"sqlite:///{tmp_path}/a.db"
    assert database_url("postgresql://db/x") == "postgresql://db/x"
