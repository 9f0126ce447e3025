"""Controlling a run from another terminal and from Python: plan, pause, resume, cancel, and resume after a kill."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from apps.videoland import Settings, serving
from tests.api.test_absent import absent_members
from uiap.api.absent import absent_for_none
from uiap.api.discovery import DiscoveryOptions, DiscoveryRun, Principal, environment, plan
from uiap.cli.discover import command
from uiap.errors import Unavailable
from uiap.host.runs.run_socket import RunSocket, socket_path
from uiap.spec.discovery import DiscoveryEnvironment, MenuSeed, UrlSeed

ADMIN = Principal(id="admin", roles=("admin",), url="/?as=admin&lang=en")


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a short path, because the path of a socket must be short."""
    with tempfile.TemporaryDirectory(prefix="uiap") as home:
        monkeypatch.setenv("UIAP_HOME", home)
        yield Path(home) / "run"


class ProgressRecorder:
    """Records the progress of a run and waits for a number of states."""

    def __init__(self) -> None:
        self.last: Any = None
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    def on_progress(self, _type: str, payload: Any) -> None:
        self.last = payload
        task = asyncio.get_running_loop().create_task(self._notify())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def wait_for_states(self, states: int) -> int:
        async with asyncio.timeout(60), self._changed:
            await self._changed.wait_for(lambda: self.last is not None and self.last.visited_states >= states)
            return int(self.last.visited_states)


def limited_environment(url: str, states: int) -> DiscoveryEnvironment:
    return environment(url, max_states=states, max_runtime_s=120, principals=[ADMIN])


def planned_run(url: str, out: Path, states: int, **more: Any) -> tuple[DiscoveryRun, ProgressRecorder]:
    recorder = ProgressRecorder()
    options = DiscoveryOptions(
        out=out, principals=[ADMIN], ax_trees=False, sitemap=False, on_progress=recorder.on_progress, **more
    )
    return plan(limited_environment(url, states), options=options), recorder


@asynccontextmanager
async def socket_opened(run: DiscoveryRun, path: Path) -> AsyncIterator[None]:
    async with RunSocket(run.exploration, run.clock, path) as run_socket:
        run.listen(lambda type, payload: run_socket.publish_progress(type, absent_for_none(payload)))
        yield


async def run_command(*words: str) -> str:
    """Run `uiap discover` as from another terminal; raise what it refuses."""
    result = await asyncio.to_thread(CliRunner().invoke, command, list(words), standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


@pytest.mark.requirement("DISC-14", "DISC-3")
async def test_a_run_is_paused_resumed_and_cancelled_from_another_terminal(
    tmp_path: Path, runtime: Path
) -> None:
    out = tmp_path / "found"
    with serving(Settings(rows=20, auto_login=True)) as server:
        run, recorder = planned_run(server.url, out, 200)
        async with socket_opened(run, socket_path(runtime, out)):
            run.start()
            await recorder.wait_for_states(1)
            assert "continue with" in await run_command("pause", str(out))
            assert "(paused)" in await run_command("status", str(out))
            paused_states = json.loads(await run_command("status", str(out), "--json"))["visitedStates"]
            await run_command("resume", str(out))
            resumed_states = await recorder.wait_for_states(paused_states + 2)
            await run_command("cancel", str(out), "--reason", "enough was seen")
            package = await run.package()
    assert package.run.status == "cancelled" and run.status == "cancelled"
    assert not list(absent_members(recorder.last)), "a Python listener gets None for an absent member"
    assert len(package.transition_graph.states) >= resumed_states > paused_states
    assert "enough was seen" in (out / "package.json").read_text("utf-8")
    with pytest.raises(Unavailable, match="no run is active"):
        await run_command("status", str(out))


@pytest.mark.requirement("DISC-10")
async def test_a_run_killed_while_paused_continues_when_it_is_resumed(tmp_path: Path) -> None:
    out = tmp_path / "found"
    with serving(Settings(rows=20, auto_login=True)) as server:
        run, recorder = planned_run(server.url, out, 6)
        run.start()
        await recorder.wait_for_states(2)
        run.pause("for the night")
        waiting = asyncio.create_task(run.package())
        await recorder.wait_for_states(2)
        waiting.cancel()  # as if its process ended
        await asyncio.wait([waiting])
        assert not (out / "package.json").exists()
        again, _ = planned_run(server.url, out, 6, resume=True)
        again.start()
        async with asyncio.timeout(120):
            package = await again.package()
    assert again.run_id == run.run_id
    assert package.run.status == "completed" and len(package.transition_graph.states) == 6


def test_a_plan_lists_the_seeds_and_opens_nothing() -> None:
    run = plan(
        "http://localhost:9/",
        seeds=[UrlSeed(url="/videos"), UrlSeed(url="http://elsewhere.test/"), MenuSeed(label="Help")],
    )
    assert run.planned.estimated_seed_count == 3 and run.status == "planning"
    assert [one.reason for one in run.planned.rejected_seeds or ()] == [
        "`http://elsewhere.test` is not an origin this run was authorised for"
    ]


async def test_a_run_that_was_not_started_has_no_package() -> None:
    run = plan("http://localhost:9/")
    with pytest.raises(Unavailable, match="was not started"):
        await run.package()
