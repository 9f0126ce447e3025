"""`uiap replay` on real journals."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.cli.conftest import Run
from tests.support.host_loops import AGENT, make_host_loop
from uiap.client.caller import Caller
from uiap.host.records import tables
from uiap.host.records.journal import Journal
from uiap.host.records.store import Store, sqlite_url
from uiap.host.records.writer import Writer
from uiap.spec.core import SessionPingPayload, SessionPongPayload
from uiap.transports.memory import pair


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """One session with a ping in it."""
    file = tmp_path / "j.sqlite3"
    asyncio.run(_record(file))
    return file


async def _record(file: Path) -> None:
    store = Store(sqlite_url(file))
    writer = Writer(store, lambda: "w")
    host = make_host_loop(journal=Journal(writer))
    ours, theirs = pair()
    serving = asyncio.create_task(host.accept(theirs))
    async with await Caller.open(ours, participant=AGENT, profiles=("web@0.1",)) as caller:
        await caller.call("session.ping", SessionPingPayload(nonce="n"), SessionPongPayload)
    await asyncio.wait_for(serving, 20)
    await host.close()
    writer.close()
    store.close()


def test_a_replayable_journal_is_reported_in_one_line(uiap: Run, journal: Path):
    done = uiap("replay", str(journal))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 machines, ")
    assert done.stdout.strip().endswith("0 diverged")
    assert uiap("replay", sqlite_url(journal)).stdout == done.stdout
    assert uiap("replay", UIAP_STORE=sqlite_url(journal)).stdout == done.stdout


def test_a_changed_journal_fails_and_reports_machine_and_step(uiap: Run, journal: Path):
    store = Store(sqlite_url(journal))
    rows = list(store.journal())
    changed = next(row for row in rows if b'"nonce":"n"' in row["event"])
    event = changed["event"].replace(b'"nonce":"n"', b'"nonce":"m"')
    with store._engine.begin() as connection:
        connection.execute(
            update(tables.journal).where(tables.journal.c.seq == changed["seq"]).values(event=event)
        )
    store.close()
    done = uiap("replay", str(journal))
    assert done.returncode == 1
    assert f"session {changed['machine']}: step {changed['step']} decides differently now" in done.stdout
    report = json.loads(uiap("replay", "--json", str(journal)).stdout)
    (machine,) = report["machines"]
    assert (machine["machine"], machine["diverged"]) == (changed["machine"], changed["step"])
    assert report["lostEntries"] == 0


def test_an_unknown_machine_is_refused(uiap: Run, journal: Path):
    done = uiap("replay", str(journal), "--machine", "sess_nobody")
    assert done.returncode == 1
    assert done.stderr.startswith("uiap: no machine `sess_nobody` in")
