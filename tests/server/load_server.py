"""The server of a load test, in its own process: real transport and store, with a real or a fake executor.

`python -m tests.server.load_server PATH` prints its address and serves until its standard input ends.
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


async def _canned_state_handler() -> Callable[[Any], Any]:
    """Return a handler that answers every session with the same graph."""
    from uiap.host.loop.dispatch import Reply
    from uiap.spec.web import WebStateSnapshotPayload

    page = _page(NODES)
    await page.start(lambda _event: None)
    snapshot = WebStateSnapshotPayload(graph=await page.observe())
    return lambda _call: Reply("web.state.snapshot", snapshot)


async def _fake_executor(writer: Any, clock: Any) -> tuple[Any, Any]:
    """Return a host loop that accepts an action once it is on disk, and finishes it with a timer."""
    from uiap.host.loop.dispatch import Call, Outcome, Reply
    from uiap.host.loop.loop import HostLoop
    from uiap.host.records import tables
    from uiap.host.records.journal import Journal
    from uiap.ids import IdMaker, new_seed
    from uiap.protocol.negotiation import Support
    from uiap.spec.action import ActionAcceptedPayload, ActionResultPayload, VerificationOutcome
    from uiap.spec.core import ParticipantInfo

    ids = IdMaker(new_seed())

    async def request_action(call: Call) -> Outcome:
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
        accepted = ActionAcceptedPayload(action_handle=handle, action_id=action, status="accepted")
        return Reply("action.accepted", accepted)

    host_loop = HostLoop(
        {"web.state.get": await _canned_state_handler(), "action.request": request_action},
        support=Support(profiles=("web@0.1",)),
        me=ParticipantInfo(role="bridge", id="crowd"),
        clock=clock,
        journal=Journal(writer),
        limits={"idle_s": 0.0, "resume_s": 0.0},
    )
    return host_loop, host_loop


async def _whole_path(writer: Any, clock: Any) -> tuple[Any, Any]:
    """Return a session pool as in `uiap serve`: runtime, policy, ledger, journal, audit log and trace.

    Every session has its own scripted page. Its graph is still the canned one.
    """
    from uiap.drivers.driver import Driver
    from uiap.server.applications import AllowedApplications
    from uiap.server.session_pool import SessionPool

    class InMemory(AllowedApplications):
        async def open(self, metadata: Mapping[str, Any]) -> Driver:
            page: Driver = _page(5, str(metadata.get("whose")))
            return page

    class NoBrowsers:
        capacity = CONNECTIONS

        async def warm(self) -> None: ...

        async def close(self) -> None: ...

    pool = SessionPool(
        NoBrowsers(),  # type: ignore[arg-type]
        tokens=None,
        writer=writer,
        clock=clock,
        applications=InMemory(),
        idle_s=0.0,
        resume_s=0.0,
    )
    await pool.start()
    pool.host_loop.handlers = {**pool.host_loop.handlers, "web.state.get": await _canned_state_handler()}
    return pool, pool


PATHS = {"fake executor": _fake_executor, "whole path": _whole_path}


async def serve(path: str, folder: Path) -> None:
    """Serve with the real transport and store until standard input ends."""
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
    handler, host_loop = await PATHS[path](writer, clock)
    listener = AsgiListener(
        application(handler.accept, max_connections=CONNECTIONS), on_disconnects=release_memory
    )
    await listener.start()
    tune_for_serving()
    print(listener.websocket_url, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await host_loop.close()
    await listener.stop()
    writer.close()
    print(store.lost_count(), flush=True)
    store.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="uiap-") as folder:
        asyncio.run(serve(sys.argv[1], Path(folder)))
