"""Queued discoveries: stored with absolute paths, taken by a process that explores, continued after a restart."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dbos", reason="install uiap[workflows]")

from click.testing import CliRunner

from uiap.api.workflow_runs import WorkflowRuns
from uiap.cli.discover import command
from uiap.cli.discover_queue import explorer
from uiap.host.workflows import durable
from uiap.host.workflows.durable import RunLimits


async def test_a_queued_discovery_is_carried_out_and_continued_by_the_next_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    database, calls = str(tmp_path / "runs.sqlite"), list[dict[str, Any]]()
    arguments = [
        "https://app.example/",
        "--queue",
        "--database",
        database,
        "--out",
        "found",
        "--max-states",
        "5",
    ]
    queued = await asyncio.to_thread(CliRunner().invoke, command, arguments)
    assert queued.exit_code == 0 and queued.output.startswith("queued: disc_"), queued.output
    begun, ended = asyncio.Event(), asyncio.Event()

    async def interrupted(given: dict[str, Any], out: Path) -> str:
        out.mkdir()
        (out / "exploration.jsonl").write_text("{}")
        calls.append(given)
        begun.set()
        await asyncio.Event().wait()
        return "never"

    async def carried_out(given: dict[str, Any], _out: Path) -> str:
        calls.append(given)
        ended.set()
        return "completed"

    async with WorkflowRuns(database) as runs:
        async with asyncio.timeout(60), runs.executing(explore=explorer(interrupted)):
            await begun.wait()
        assert [one.status for one in await runs.discoveries()] == ["running"]
        async with asyncio.timeout(60), runs.executing(explore=explorer(carried_out)):
            await ended.wait()
            while (status := (await runs.discoveries())[0].status) == "running":
                await asyncio.sleep(0.05)
    assert (status, [one["resume"] for one in calls]) == ("completed", [False, True])
    assert calls[0]["out"] == str(tmp_path / "found") and calls[0]["max_states"] == 5
    listed = await asyncio.to_thread(CliRunner().invoke, command, ["queued", "--database", database])
    assert f"https://app.example/  completed  {tmp_path / 'found'}" in listed.output


async def test_a_process_that_cannot_explore_takes_no_discovery_and_limits_are_stored(tmp_path: Path) -> None:
    limits = RunLimits(per_application=3, per_minute=7)
    async with WorkflowRuns(tmp_path / "runs.sqlite") as runs, runs.executing(limits=limits):
        queue = await asyncio.to_thread(durable.dbos().DBOS.retrieve_queue, durable.QUEUE)
        listening = durable._instance()._listening_queues
    assert listening == [durable.QUEUE]
    assert queue._partition_limiter == {"limit": 7, "period": 60.0}
    assert queue._partition_concurrency == 3
