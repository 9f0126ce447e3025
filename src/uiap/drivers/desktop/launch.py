"""Start an application, or find a running one, on the accessibility bus. Ends only processes that it started."""

from __future__ import annotations

import asyncio
import shlex
import shutil
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from uiap.drivers.desktop.bus import Bus, BusCallRejected, ObjectRef
from uiap.drivers.errors import TargetGone
from uiap.errors import UiapError, Unavailable

SCHEME = "desktop:"
LAUNCH_S = 20.0
EXIT_S = 5.0
"""How long a process may take to exit after its connection has ended."""
POLL_S = 0.25
"""How long to wait for an event on the bus before the next poll."""


@dataclass(frozen=True, slots=True)
class Application:
    """An application on the bus, with its process if it was started here."""

    ref: ObjectRef
    pid: int
    name: str
    process: Process | None = None

    async def was_killed(self) -> bool:
        """Return whether a signal ended the process, which no button does.

        For a process that was not started here the cause is unknown, so the answer is False.
        """
        if self.process is None:
            return False
        try:
            async with asyncio.timeout(EXIT_S):
                return await self.process.wait() < 0
        except TimeoutError:
            return False

    async def terminate(self) -> None:
        if self.process is None or self.process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            self.process.terminate()
        try:
            async with asyncio.timeout(3):
                await self.process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()


def parse_command(address: str) -> list[str]:
    """Parse `desktop:galculator` into a command; `desktop:@galculator` and `desktop:@1234` stay one word."""
    rest = address.removeprefix(SCHEME).strip()
    if not rest or rest == "@":
        raise UiapError(f"`{address}` names no application; write for example `desktop:galculator`")
    return [rest] if rest.startswith("@") else shlex.split(rest)


async def start_application(bus: Bus, command: list[str], environ: Mapping[str, str]) -> Application:
    """Run the command and wait until the application is on the bus."""
    program = shutil.which(command[0], path=environ.get("PATH"))
    if program is None:
        raise Unavailable(f"the program `{command[0]}` does not exist; install it or give its path")
    accessibility = {
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "AT_SPI_BUS_ADDRESS": bus.address,
        "GDK_BACKEND": "x11",
        "QT_QPA_PLATFORM": "xcb",
    }
    env = {name: value for name, value in environ.items() if name != "NO_AT_BRIDGE"} | accessibility
    activity = asyncio.Event()
    await bus.subscribe(lambda _: activity.set())
    process = await asyncio.create_subprocess_exec(
        program, *command[1:], env=env, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL
    )
    name = Path(command[0]).name

    async def find() -> Application | None:
        if process.returncode is not None:
            raise Unavailable(f"`{name}` exited at once with code {process.returncode}; try it in a shell")
        for ref in await bus.applications():
            pid = await bus.pid(ref.app)
            if process.pid in _process_lineage(pid):
                return Application(ref, pid, name, process)
        return None

    try:
        return await _wait_for_application(
            find, activity, f"`{name}` did not appear on the accessibility bus within {LAUNCH_S:g} s"
        )
    except BaseException:
        await Application(ObjectRef("", ""), process.pid, name, process).terminate()
        raise


async def find_running(bus: Bus, name_or_pid: str) -> Application:
    """Return the one running application with this name or process id."""
    found: list[Application] = []
    names: list[str] = []
    for ref in await bus.applications():
        with suppress(BusCallRejected, TargetGone):
            name = str(await bus.get(ref, "Accessible", "Name"))
            names.append(name)
            pid = await bus.pid(ref.app)
            if name_or_pid in (name, str(pid)):
                found.append(Application(ref, pid, name))
    if len(found) == 1:
        return found[0]
    if found:
        pids = ", ".join(str(one.pid) for one in found)
        raise Unavailable(f"`{name_or_pid}` runs {len(found)} times; attach by process id: {pids}")
    raise Unavailable(f"`{name_or_pid}` does not run here; running: {', '.join(names) or 'nothing'}")


async def _wait_for_application(
    find: Callable[[], Awaitable[Application | None]], activity: asyncio.Event, timeout_message: str
) -> Application:
    try:
        async with asyncio.timeout(LAUNCH_S):
            while True:
                activity.clear()
                with suppress(BusCallRejected, TargetGone):
                    if (one := await find()) is not None:
                        return one
                with suppress(TimeoutError):
                    async with asyncio.timeout(POLL_S):
                        await activity.wait()
    except TimeoutError:
        raise Unavailable(timeout_message) from None


def _process_lineage(pid: int) -> list[int]:
    """Return a process id and those of its ancestors."""
    lineage: list[int] = []
    while pid > 1 and pid not in lineage:
        lineage.append(pid)
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            break
        pid = int(stat.rpartition(")")[2].split()[1])
    return lineage
