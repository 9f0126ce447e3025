"""Hundreds of sessions against a real server process, with kills; then check for leaked processes and files.

Run by `make soak CASE=SESSIONS`, on Linux only, because it reads /proc.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import uiap
from uiap.errors import UiapError

ENTRY = [sys.executable, "-c", "import sys; from uiap.cli.main import main; sys.exit(main())"]
PAGE = "data:text/html,<title>soak</title><h1>Hello</h1><button>Press</button>"
BROWSERS = 4
LEFTOVERS = (
    "browsers left",
    "profile folders left",
    "orphans after SIGKILL of the server",
    "browsers left by it",
)


class ServerProcess:
    """One `uiap serve` process. Its browsers have their profiles in our folder, so that we find all of them."""

    def __init__(self, folder: Path, *, browsers: int = BROWSERS) -> None:
        self.folder = folder
        self.profiles = folder / "tmp"
        self.profiles.mkdir(exist_ok=True)
        environ = {**os.environ, "UIAP_HOME": str(folder / "home"), "TMPDIR": str(self.profiles)}
        arguments = [
            *ENTRY,
            "serve",
            "--port",
            "0",
            "--json",
            "--browsers",
            str(browsers),
            "--contexts",
            "16",
        ]
        self.process = subprocess.Popen(arguments, env=environ, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        ready = json.loads("".join(self.process.stdout.readline() for _ in range(5)))
        self.url, self.token = ready["ws"], Path(ready["tokenFile"]).read_text()

    def browsers(self) -> list[int]:
        """Return the main processes of browsers that use our profiles."""
        found = []
        for entry in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                arguments = (entry / "cmdline").read_bytes().split(b"\0")
                mine = any(w.startswith(b"--user-data-dir=" + bytes(self.profiles)) for w in arguments)
                if mine and not any(w.startswith(b"--type=") for w in arguments):
                    found.append(int(entry.name))
        return found

    def rss_mib(self) -> float:
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * 4096 / 2**20

    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        code = self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    async def wait_for_no_browser(self, seconds: float = 20.0) -> int:
        """Wait up to `seconds` until no browser runs; return how many are left."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.browsers():
                    await asyncio.sleep(0.1)
        return len(self.browsers())


async def run_session(server: ServerProcess) -> None:
    """Run one session: connect, navigate, read, close."""
    async with uiap.connect(server.url, token=server.token) as ui:
        await ui.navigate(PAGE)
        assert "Hello" in await ui.outline()


async def run_in_a_row(count: int) -> dict[str, Any]:
    """Run sessions one after the other; compare memory after the browsers were replaced a few times."""
    with tempfile.TemporaryDirectory(prefix="uiap-") as name:
        server = ServerProcess(Path(name))
        memory: list[float] = []
        fds: list[int] = []
        for _ in range(count):
            await run_session(server)
            memory.append(server.rss_mib())
            fds.append(server.descriptors())
        peak = len(server.browsers())
        code = server.stop()
        left = await server.wait_for_no_browser()
        early = memory[count // 4]
        return {
            "sessions": count,
            "browsers at the end": peak,
            f"server RSS MiB after {count // 4}": round(early, 1),
            f"server RSS MiB after {count}": round(memory[-1], 1),
            "RSS ratio": round(memory[-1] / early, 3),
            "file descriptors early and late": f"{fds[count // 4]} and {fds[-1]}",
            "exit code": code,
            "browsers left": left,
            "profile folders left": len(list(server.profiles.iterdir())),
        }


async def run_at_once(rounds: int, at_once: int, seed: int) -> dict[str, Any]:
    """Run sessions at once while clients vanish and browsers are killed; at the end kill the server."""
    chance = random.Random(seed)
    tally = {"finished": 0, "vanished": 0, "informed of the loss": 0, "refused as busy": 0}
    killed = peak = 0
    with tempfile.TemporaryDirectory(prefix="uiap-") as name:
        server = ServerProcess(Path(name))

        async def one(fate: str) -> None:
            try:
                async with uiap.connect(server.url, token=server.token) as ui:
                    await ui.navigate(PAGE)
                    await ui.outline()
                    if fate == "vanish":
                        # without ending the session, so that it could be resumed
                        await ui._caller.transport.close(1001)
                tally["vanished" if fate == "vanish" else "finished"] += 1
            except UiapError as error:
                tally["refused as busy" if error.code == "busy" else "informed of the loss"] += 1

        for _ in range(rounds):
            fates = ["vanish" if chance.randrange(5) == 0 else "finish" for _ in range(at_once)]
            work = asyncio.gather(*(one(fate) for fate in fates))
            running = server.browsers()
            peak = max(peak, len(running))
            if running and chance.randrange(2):
                with suppress(ProcessLookupError):
                    os.kill(chance.choice(running), signal.SIGKILL)
                    killed += 1
            async with asyncio.timeout(300):
                await work
            peak = max(peak, len(server.browsers()))
        server.stop(signal.SIGKILL)
        orphans = await server.wait_for_no_browser()
        again = ServerProcess(Path(name))
        await run_session(again)
        code = again.stop()
        left = await again.wait_for_no_browser()
        return {
            "rounds": rounds,
            "sessions at once": at_once,
            **tally,
            "browsers killed": killed,
            "browsers at most": peak,
            "orphans after SIGKILL of the server": orphans,
            "exit code of the next server": code,
            "browsers left by it": left,
        }


def failures(all_figures: dict[str, dict[str, Any]]) -> list[str]:
    found = []
    for unit, figures in all_figures.items():
        if figures.get("RSS ratio", 1.0) > 1.1:
            found.append(f"{unit}: the server's memory grew by {figures['RSS ratio']}")
        for name in LEFTOVERS:
            if figures.get(name):
                found.append(f"{unit}: {name}: {figures[name]}")
        if figures.get("browsers at most", 0) > BROWSERS:
            found.append(f"{unit}: {figures['browsers at peak']} browsers at once")
    return found
