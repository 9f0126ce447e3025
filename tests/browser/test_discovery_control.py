"""A run under way, from another shell and from Python: planned, held, gone on with, ended, killed while held."""

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
from uiap.api.discovery import DiscoveryOptions, DiscoveryRun, Principal, environment, plan
from uiap.cli.discover import command
from uiap.errors import Unavailable
from uiap.host.runs.run_socket import RunSocket, socket_path
from uiap.spec.discovery import DiscoveryEnvironment, MenuSeed, UrlSeed

ADMIN = Principal(id="admin", roles=("admin",), url="/?as=admin&lang=en")


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Near the root: the path of a socket is short."""
    with tempfile.TemporaryDirectory(prefix="uiap") as home:
        monkeypatch.setenv("UIAP_HOME", home)
        yield Path(home) / "run"


class Heard:
    """What a run tells of itself, to be waited for."""

    def __init__(self) -> None:
        self.last: Any = None
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    def hear(self, _type: str, payload: Any) -> None:
        self.last = payload
        task = asyncio.get_running_loop().create_task(self._tell())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def until(self, states: int) -> int:
        async with asyncio.timeout(60), self._news:
            await self._news.wait_for(lambda: self.last is not None and self.last.visited_states >= states)
            return int(self.last.visited_states)


def asked(url: str, states: int) -> DiscoveryEnvironment:
    return environment(url, max_states=states, max_runtime_s=120, principals=[ADMIN])


def prepared(url: str, out: Path, states: int, **more: Any) -> tuple[DiscoveryRun, Heard]:
    heard = Heard()
    options = DiscoveryOptions(
        out=out, principals=[ADMIN], ax_trees=False, sitemap=False, on_progress=heard.hear, **more
    )
    return plan(asked(url, states), options=options), heard


@asynccontextmanager
async def opened(run: DiscoveryRun, path: Path) -> AsyncIterator[None]:
    async with RunSocket(run.exploration, run.clock, path) as door:
        run.listen(door.publish_progress)
        yield


async def typed(*words: str) -> str:
    """As somebody in another terminal would; whatever is refused is raised."""
    done = await asyncio.to_thread(CliRunner().invoke, command, list(words), standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done.output


@pytest.mark.requirement("DISC-14", "DISC-3")
async def test_a_run_is_held_gone_on_with_and_ended_from_another_terminal(
    tmp_path: Path, runtime: Path
) -> None:
    out = tmp_path / "found"
    with serving(Settings(rows=20, auto_login=True)) as server:
        run, heard = prepared(server.url, out, 200)
        async with opened(run, socket_path(runtime, out)):
            run.start()
            await heard.until(1)
            assert "continue with" in await typed("pause", str(out))
            assert "(paused)" in await typed("status", str(out))
            held = json.loads(await typed("status", str(out), "--json"))["visitedStates"]
            await typed("resume", str(out))
            seen = await heard.until(held + 2)
            await typed("cancel", str(out), "--reason", "enough was seen")
            package = await run.package()
    assert package.run.status == "cancelled" and run.status == "cancelled"
    assert len(package.transition_graph.states) >= seen > held
    assert "enough was seen" in (out / "package.json").read_text("utf-8")
    with pytest.raises(Unavailable, match="no run is active"):
        await typed("status", str(out))


@pytest.mark.requirement("DISC-10")
async def test_a_run_that_was_held_and_killed_goes_on_when_it_is_taken_up_again(tmp_path: Path) -> None:
    out = tmp_path / "found"
    with serving(Settings(rows=20, auto_login=True)) as server:
        run, heard = prepared(server.url, out, 6)
        run.start()
        await heard.until(2)
        run.pause("for the night")
        waiting = asyncio.create_task(run.package())
        await heard.until(2)
        waiting.cancel()  # as at the end of its process
        await asyncio.wait([waiting])
        assert not (out / "package.json").exists()
        again, _ = prepared(server.url, out, 6, resume=True)
        again.start()
        async with asyncio.timeout(120):
            package = await again.package()
    assert again.run_id == run.run_id
    assert package.run.status == "completed" and len(package.transition_graph.states) == 6


def test_a_plan_tells_what_would_be_followed_and_opens_nothing() -> None:
    run = plan(
        "http://localhost:9/",
        seeds=[UrlSeed(url="/videos"), UrlSeed(url="http://elsewhere.test/"), MenuSeed(label="Help")],
    )
    assert run.planned.estimated_seed_count == 3 and run.status == "planning"
    assert [one.reason for one in run.planned.rejected_seeds or ()] == [
        "`http://elsewhere.test` is not an origin this run was authorised for"
    ]


async def test_a_run_starts_once_and_has_a_package_only_then() -> None:
    run = plan("http://localhost:9/")
    with pytest.raises(Unavailable, match="was not started"):
        await run.package()
