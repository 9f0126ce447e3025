"""Durable runs of servers: a run that one server stored is answered through another, by those who may."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("dbos", reason="install uiap[workflows]")

from tests.host.handlers.test_workflows import CREATE, PicturingDriver, Videos
from uiap.api.workflow_application import ApplicationOpener
from uiap.api.workflow_runs import WorkflowRuns, database_url
from uiap.drivers.driver import Driver
from uiap.host.clock import SystemClock
from uiap.host.loop.dispatch import Reply
from uiap.host.workflows.durable import RunRecords
from uiap.server.durable_workflows import DurableWorkflows, RunDefaults
from uiap.server.tokens import TokenHolder, Tokens
from uiap.spec import workflow as spec
from uiap.spec.core import ErrorPayload
from uiap.spec.policy import PolicyPrincipal

URL = "http://videos.test/new"
TOKENS = Tokens(
    [
        TokenHolder(sha256="a" * 64, principal="bot"),
        TokenHolder(sha256="b" * 64, principal="spy"),
        TokenHolder(sha256="c" * 64, principal="ann", type="user", answers_for=("bot",)),
    ]
)
BOT, SPY = (PolicyPrincipal(type="agent", id=name) for name in ("bot", "spy"))
ANN = PolicyPrincipal(type="user", id="ann")


class Client:
    """A session of a server; it keeps the events that are published to it."""

    def __init__(self, principal: PolicyPrincipal) -> None:
        self.id = f"session-{principal.id}"
        self.session = SimpleNamespace(principal=principal)
        self.events: list[tuple[str, Any]] = []
        self._changed = asyncio.Event()

    def publish(self, type: str, payload: Any) -> None:
        self.events.append((type, payload))
        self._changed.set()

    async def event(self, type: str, fits: Callable[[Any], bool] = lambda _payload: True) -> Any:
        """Wait for an event of this type."""
        async with asyncio.timeout(60):
            while True:
                found = [payload for one, payload in self.events if one == type and fits(payload)]
                if found:
                    return found[0]
                self._changed.clear()
                await self._changed.wait()


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncIterator[Callable[..., DurableWorkflows]]:
    database, made = database_url(tmp_path / "runs.sqlite"), list[RunRecords]()
    bundle: Any = SimpleNamespace(workflows=(CREATE,), capabilities=SimpleNamespace(actions=()))

    def server(rules: Any = "trusted") -> DurableWorkflows:
        made.append(RunRecords(database))
        runs = DurableWorkflows(
            made[-1], SystemClock(), RunDefaults(rules=rules, bundle=bundle), tokens=TOKENS
        )
        runs.page_url = lambda _connection: URL
        return runs

    yield server
    for one in made:
        one.close()


async def send(server: DurableWorkflows, client: Client, type: str, payload: Any) -> Any:
    outcome: Any = server.rows[f"uiap.workflow.{type}"](SimpleNamespace(connection=client, payload=payload))  # type: ignore[arg-type]
    return await outcome


async def started(server: DurableWorkflows, client: Client, **parameters: Any) -> str:
    request = spec.WorkflowStartPayload(workflow_id=CREATE.id, parameters=parameters)
    reply = await send(server, client, "start", request)
    assert isinstance(reply, Reply), reply
    return str(reply.payload.instance.instance_id)  # type: ignore[attr-defined]


async def test_a_run_is_answered_through_another_server_and_outlives_its_session(
    tmp_path: Path, servers: Callable[..., DurableWorkflows]
) -> None:
    first, second, videos = servers(), servers(), Videos()
    starting, answering = Client(BOT), Client(BOT)
    id = await started(first, starting)
    await first.end(starting)  # type: ignore[arg-type]

    async def driver(_stack: AsyncExitStack, _application: Any) -> Driver:
        return PicturingDriver(videos.page())

    status = spec.WorkflowStatusGetPayload(instance_id=id)
    assert (await send(second, answering, "status.get", status)).payload.instance.workflow_id == CREATE.id
    async with WorkflowRuns(tmp_path / "runs.sqlite") as runs, runs.executing(ApplicationOpener(driver)):
        asked = await answering.event("uiap.workflow.input.request")
        assert [one.name for one in asked.parameters] == ["title"]
        values = spec.WorkflowInputProvidedPayload(instance_id=id, values={"title": "Intro"})
        assert isinstance(await send(second, answering, "input.provided", values), Reply)
        result = await answering.event("uiap.workflow.result")
    assert (result.status, videos.saved) == ("succeeded", ["saved"])
    assert "uiap.workflow.progress" in [type for type, _ in answering.events]
    await second.end(answering)  # type: ignore[arg-type]


async def test_only_the_owner_and_a_person_who_answers_for_it_control_a_run(
    servers: Callable[..., DurableWorkflows],
) -> None:
    server, bot = servers(), Client(BOT)
    id = await started(server, bot, title="Intro")
    pause = spec.WorkflowPausePayload(instance_id=id)
    refused = await send(server, Client(SPY), "pause", pause)
    assert isinstance(refused, ErrorPayload) and refused.code == "uiap.workflow/unknown_instance"
    person = Client(ANN)
    assert isinstance(await send(server, person, "pause", pause), Reply)
    assert isinstance(await send(server, bot, "cancel", spec.WorkflowCancelPayload(instance_id=id)), Reply)
    for one in (bot, person):
        await server.end(one)  # type: ignore[arg-type]


async def test_an_id_with_a_colon_is_one_owner_and_not_the_name_after_it(
    servers: Callable[..., DurableWorkflows],
) -> None:
    server, other = servers(), Client(PolicyPrincipal(type="agent", id="team:bot"))
    id = await started(server, other, title="Intro")
    pause = spec.WorkflowPausePayload(instance_id=id)
    for stranger in (BOT, ANN):  # Ann answers for `bot`
        refused = await send(server, Client(stranger), "pause", pause)
        assert isinstance(refused, ErrorPayload) and refused.code == "uiap.workflow/unknown_instance"
    assert isinstance(await send(server, other, "pause", pause), Reply)
    await server.end(other)  # type: ignore[arg-type]


async def test_a_run_keeps_the_policy_and_the_principal_of_its_server(
    servers: Callable[..., DurableWorkflows],
) -> None:
    server, bot = servers("standard"), Client(BOT)
    id = await started(server, bot, title="Intro")
    run = server._records.replayed(id)
    assert run is not None and run.order.application.admitted == BOT
    assert (run.order.application.rules, run.order.application.url) == ("standard", URL)
    await server.end(bot)  # type: ignore[arg-type]


async def test_a_run_that_cannot_start_is_refused_with_the_reason(
    servers: Callable[..., DurableWorkflows],
) -> None:
    server, bot = servers(), Client(BOT)
    unknown = await send(server, bot, "start", spec.WorkflowStartPayload(workflow_id="nothing"))
    assert unknown.code == "uiap.workflow/unknown_workflow"
    server.page_url = lambda _connection: ""
    nowhere = await send(server, bot, "start", spec.WorkflowStartPayload(workflow_id=CREATE.id))
    assert nowhere.code == "uiap.workflow/entry_condition_failed"
    assert nowhere.message.endswith("open its application first")
