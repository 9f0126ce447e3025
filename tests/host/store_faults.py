"""Requests to a real host loop while its store fails (case F10). Accepted means durable; refused means not performed.

The handler does what every handler with an effect must do: record first, act next, answer last.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.host.journal_rows import WALL, row, steps
from tests.support.host_loops import AGENT, make_host_loop
from uiap.client.caller import Caller
from uiap.errors import UiapError, Unavailable
from uiap.host.loop.dispatch import Call, Outcome, Reply
from uiap.host.records.store import Store, sqlite_url
from uiap.host.records.writer import Writer
from uiap.spec.action import ActionAcceptedPayload, ActionRequestPayload
from uiap.transports.memory import pair

TIMEOUT_S = 60.0
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
static int calls, fail_at, sticky;
int uiap_fail_at(int at, int stay) { int seen = calls; calls = 0; fail_at = at; sticky = stay; return seen; }
static int fails(void) { ++calls; return fail_at && (sticky ? calls >= fail_at : calls == fail_at); }
int fsync(int fd) {
  static int (*real)(int); if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  if (fails()) { errno = EIO; return -1; } return real(fd);
}
int fdatasync(int fd) {
  static int (*real)(int); if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  if (fails()) { errno = EIO; return -1; } return real(fd);
}
"""


@dataclass
class Trial:
    """The answers that the agent got, and the actions that were performed."""

    accepted: list[int] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    performed: list[int] = field(default_factory=list)

    def check(self, present: list[int]) -> None:
        assert set(self.accepted) <= set(present), "accepted, but not durable"
        assert self.performed == self.accepted, "done without a record, or recorded as done"
        assert not set(self.accepted) & set(self.refused)


async def act(store: Store, numbers: range, during: dict[int, object] | None = None) -> Trial:
    """Request numbered actions from a host loop with this store. `during` has functions to run before a number."""
    trial = Trial()
    writer = Writer(store, lambda: WALL)

    async def perform(call: Call) -> Outcome:
        number = call.payload.args["number"]
        await writer.write(row(number))
        trial.performed.append(number)
        return Reply(
            "action.accepted",
            ActionAcceptedPayload(action_handle=f"a{number}", action_id="ui.activate", status="accepted"),
        )

    host = make_host_loop(handlers={"action.request": perform})
    ours, theirs = pair()
    serving = asyncio.create_task(host.accept(theirs))
    async with await Caller.open(ours, participant=AGENT, profiles=("web@0.1",)) as caller:
        for number in numbers:
            before_request = (during or {}).get(number)
            if callable(before_request):
                before_request()
            await ask(caller, number, trial)
    await asyncio.wait_for(serving, TIMEOUT_S)
    await host.close()
    await asyncio.get_running_loop().run_in_executor(None, writer.close)
    return trial


async def ask(caller: Caller, number: int, trial: Trial) -> None:
    request = ActionRequestPayload(action_id="ui.activate", args={"number": number})
    try:
        await caller.call("action.request", request, ActionAcceptedPayload, timeout=TIMEOUT_S)
    except UiapError as error:
        assert error.code == "busy", error
        assert "sqlite" not in error.message and "/" not in error.message
        trial.refused.append(number)
    else:
        trial.accepted.append(number)


# -- failing fsync: runs inside a child process that the shim was loaded into ---------------------------------


def fsync_trials(folder: Path, count: int, limit: int = 0) -> dict[str, int]:
    """Fail each fsync of a short run, first once and then permanently. Return the totals for the report."""
    shim = ctypes.CDLL(None)
    points = _measure(shim, folder / "measure", count)
    totals = {"points": points, "trials": 0, "accepted": 0, "refused": 0, "unopened": 0, "undecided": 0}
    for sticky in (0, 1):
        for point in range(1, min(points, limit or points) + 1):
            _fail_one(shim, folder / f"{sticky}-{point}", count, point, sticky, totals)
    return totals


def _measure(shim: ctypes.CDLL, folder: Path, count: int) -> int:
    folder.mkdir()
    shim.uiap_fail_at(0, 0)
    store = Store(sqlite_url(folder / "s.sqlite3"))
    asyncio.run(act(store, range(count)))
    store.close()
    return int(shim.uiap_fail_at(0, 0))


def _fail_one(
    shim: ctypes.CDLL, folder: Path, count: int, point: int, sticky: int, totals: dict[str, int]
) -> None:
    folder.mkdir()
    file = folder / "s.sqlite3"
    trial = Trial()
    shim.uiap_fail_at(point, sticky)
    with contextlib.suppress(Unavailable):
        store = Store(sqlite_url(file))
        trial = asyncio.run(act(store, range(count)))
        shutil.copytree(folder, folder.with_suffix(".crash"))  # as the files would be found after a crash now
        store.close()
    shim.uiap_fail_at(0, 0)
    totals["trials"] += 1
    totals["accepted"] += len(trial.accepted)
    totals["refused"] += len(trial.refused)
    totals["unopened"] += not (trial.accepted or trial.refused)
    for place in (folder, folder.with_suffix(".crash")):
        if place.is_dir():
            totals["undecided"] += _inspect(place / "s.sqlite3", trial)
            shutil.rmtree(place)


def _inspect(file: Path, trial: Trial) -> int:
    """Reopen on a healthy disk. Return how many refused records are stored, because their commit was cut off."""
    store = Store(sqlite_url(file))
    try:
        assert store.is_intact()
        present = steps(store)
        trial.check(present)
        store.append([row(10_000)])
        return len(set(present) & set(trial.refused))
    finally:
        store.close()


def compile_shim(folder: Path) -> Path | None:
    """Return the library that makes fsync fail, or None if there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    source, library = folder / "shim.c", folder / "shim.so"
    source.write_text(SHIM)
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
    return library if subprocess.run(command, capture_output=True, timeout=60).returncode == 0 else None


def main() -> None:
    folder, count, limit = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    print(json.dumps(fsync_trials(folder, count, limit)))


if __name__ == "__main__":
    main()
