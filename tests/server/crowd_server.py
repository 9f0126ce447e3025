"""The server of a crowd, in a process of its own: the real transport and store, whose executor may be a fake.

`python -m tests.server.crowd_server PATH` says its address and serves until its standard input ends.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

NODES, CONNECTIONS = 200, int(os.environ.get("UIAP_CROWD_CONNECTIONS", "1200"))


def _page(widgets: int, whose: str = "") -> Any:
    from uiap.drivers.scripted import ScriptedDriver, ScriptedPage, Widget

    rows = [Widget(f"row{n}", "button", f"Row {n}") for n in range(widgets - 1)]
    whole = [Widget("title", "textbox", "Title", state={"textValue": whose}), *rows]
    return ScriptedDriver(ScriptedPage("http://notes.test/", whole))


async def _canned() -> Callable[[Any], Any]:
    """A handler that shows everybody the same graph."""
    from uiap.host.loop.dispatch import Reply
    from uiap.spec.web import WebStateSnapshotPayload

    pattern = _page(NODES)
    await pattern.start(lambda _event: None)
    snapshot = WebStateSnapshotPayload(graph=await pattern.observe())
    return lambda _call: Reply("web.state.snapshot", snapshot)


async def _fake_executor(writer: Any, clock: Any) -> tuple[Any, Any]:
    """The hall with its journal; an action is accepted once that is on disk, and a timer is all that executes it."""
    from uiap.host.loop.dispatch import Call, Outcome, Reply
    from uiap.host.loop.loop import HostLoop
    from uiap.host.records import tables
    from uiap.host.records.journal import Journal
    from uiap.ids import IdMaker, new_seed
    from uiap.protocol.negotiation import Support
    from uiap.spec.action import ActionAcceptedPayload, ActionResultPayload, VerificationOutcome
    from uiap.spec.core import ParticipantInfo

    ids = IdMaker(new_seed())

    async def executed(call: Call) -> Outcome:
        handle, action = ids.secret("act"), call.payload.action_id
        done = ActionResultPayload(
            action_handle=handle,
            action_id=action,
            status="succeeded",
            verification=VerificationOutcome(passed=True, policy="none", observed=()),
            return_value={"value": call.connection.session.metadata["whose"]},
        )
        row = {"handle": handle, "session": call.connection.id, "action": action, "key": None, "digest": ""}
        row |= {"stage": "accepted", "wall": clock.now().wall}
        await writer.write((tables.actions, row))
        asyncio.get_running_loop().call_later(0.02, call.connection.publish, "action.result", done)
        taken = ActionAcceptedPayload(action_handle=handle, action_id=action, status="accepted")
        return Reply("action.accepted", taken)

    hall = HostLoop(
        {"web.state.get": await _canned(), "action.request": executed},
        support=Support(profiles=("web@0.1",)),
        me=ParticipantInfo(role="bridge", id="crowd"),
        clock=clock,
        journal=Journal(writer),
        limits={"idle_s": 0.0, "resume_s": 0.0},
    )
    return hall, hall


async def _whole_path(writer: Any, clock: Any) -> tuple[Any, Any]:
    """The reception as `uiap serve` has it: runtime, policy, ledger, journal, audit and trace of every action.

    Every session has a page in memory of its own; the graph it is given is canned all the same.
    """
    from uiap.drivers.driver import Driver
    from uiap.server.applications import AllowedApplications
    from uiap.server.session_pool import SessionPool

    class InMemory(AllowedApplications):
        async def opened(self, metadata: Mapping[str, Any]) -> Driver:
            page: Driver = _page(5, str(metadata.get("whose")))
            return page

    class NoBrowsers:
        capacity = CONNECTIONS

        async def warm(self) -> None: ...

        async def close(self) -> None: ...

    reception = SessionPool(
        NoBrowsers(),  # type: ignore[arg-type]
        tokens=None,
        writer=writer,
        clock=clock,
        applications=InMemory(),
        idle_s=0.0,
        resume_s=0.0,
    )
    await reception.start()
    reception.hall.handlers = {**reception.hall.handlers, "web.state.get": await _canned()}
    return reception, reception


PATHS = {"fake executor": _fake_executor, "whole path": _whole_path}


async def serve(path: str, folder: Path) -> None:
    """Behind the real transport and with the real store, until standard input ends."""
    from uiap.host.clock import SystemClock
    from uiap.host.loop.allocator import mmap_large_blocks, release_memory
    from uiap.host.loop.interpreter import tune_for_serving
    from uiap.host.records.store import Store, sqlite_url
    from uiap.host.records.writer import Writer
    from uiap.transports.asgi import AsgiListener, application

    mmap_large_blocks()
    clock = SystemClock()
    store = Store(sqlite_url(folder / "crowd.sqlite3"))
    writer = Writer(store, lambda: clock.now().wall)
    door, hall = await PATHS[path](writer, clock)
    listener = AsgiListener(
        application(door.accept, max_connections=CONNECTIONS), on_disconnects=release_memory
    )
    await listener.start()
    tune_for_serving()
    print(listener.websocket_url, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await hall.close()
    await listener.stop()
    writer.close()
    print(store.lost_count(), flush=True)
    store.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="uiap-") as kept:
        asyncio.run(serve(sys.argv[1], Path(kept)))
