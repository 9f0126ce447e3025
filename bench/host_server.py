"""A real host behind the ASGI listener with a SQLite journal, in its own process on one core.

Prints its WebSocket address, serves until its standard input ends, then prints the state of the store.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from uiap.host.handlers.capabilities import CapabilityHandler
from uiap.host.loop.allocator import mmap_large_blocks
from uiap.host.loop.loop import HostLoop
from uiap.host.records.journal import Journal
from uiap.host.records.store import Store, sqlite_url
from uiap.host.records.writer import Writer
from uiap.instant import timestamp
from uiap.protocol.negotiation import Support
from uiap.spec.capability import CapabilityDocument
from uiap.spec.core import ParticipantInfo
from uiap.transports.asgi import AsgiListener, application

DOCUMENT = CapabilityDocument(
    model_version="0.1",
    profile="web@0.1",
    roles=("button", "textbox"),
    state_keys=("visible", "enabled"),
    affordances=("activate",),
    actions=(),
    risk_levels=("safe", "confirm", "blocked"),
    success_signal_kinds=("route.changed",),
)


async def serve(journal_file: Path, heartbeat: float) -> None:
    store = Store(sqlite_url(journal_file))
    writer = Writer(store, lambda: timestamp(datetime.now(UTC)))
    handler = CapabilityHandler(DOCUMENT)
    loop = HostLoop(
        {"capabilities.list": handler.list},
        support=Support(profiles=("web@0.1",)),
        me=ParticipantInfo(role="bridge", id="bench"),
        journal=Journal(writer),
        # Messages are kept for a resume for a limited time. A short time reaches its bound within the warm-up.
        limits={"heartbeat_s": heartbeat, "resume_s": 10.0},
    )
    listener = AsgiListener(application(loop.accept, max_connections=5000))
    await listener.start()
    print(json.dumps({"url": listener.websocket_url, "revision": handler.revision}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await loop.close()
    await listener.stop()
    writer.close()
    print(json.dumps({"lost": store.lost_count(), "sessions": len(loop.connections)}), flush=True)
    store.close()


def main() -> None:
    mmap_large_blocks()
    file, core, heartbeat, *loop = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core)})
    if loop == ["uvloop"]:
        import uvloop  # type: ignore[import-not-found]

        uvloop.install()
    profile = os.environ.get("UIAP_BENCH_PROFILE")
    if profile:
        import cProfile

        cProfile.runctx("asyncio.run(serve(Path(file), float(heartbeat)))", globals(), locals(), profile)
    else:
        asyncio.run(serve(Path(file), float(heartbeat)))


if __name__ == "__main__":
    main()
