"""Launch a browser that cannot outlive this process, or attach to a running one.

A launched browser communicates over descriptors 3 and 4. When this process ends in any way, `kill -9` included, the
kernel closes our end, Chromium reads end-of-file and exits. Handles processes and flags, not pages.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import signal
import socket
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx

from uiap.drivers.chromium.connection.cdp import CdpConnection
from uiap.drivers.chromium.connection.wires import BUFFER_BYTES, PipeWire, WebSocketWire
from uiap.drivers.chromium.process.find import InstalledBrowser
from uiap.drivers.chromium.process.profile import BrowserProfile, remove_abandoned_profiles
from uiap.drivers.errors import BrowserUnavailable, DriverError
from uiap.timeouts import CONNECT_S

START_TIMEOUT_S = 30.0
CLOSE_TIMEOUT_S = 5.0
KILL_TIMEOUT_S = 5.0

FLAGS = (
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-breakpad",
    "--no-startup-window",  # we open tabs only in our own contexts
    "--disable-dev-shm-usage",
    "--disable-popup-blocking",  # a popup is an effect that we report as a new tab
    "--disable-back-forward-cache",  # a frozen document would answer for the visible one
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--password-store=basic",
    "--use-mock-keychain",
    "--hide-crash-restore-bubble",
    # the last two: the address bar would start a process of its own for every window
    "--disable-features=Translate,MediaRouter,OptimizationHints,HttpsUpgrades,DialMediaRouteProvider,"
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup",
)


class BrowserProcess:
    """A running browser and the connection to it."""

    def __init__(
        self, connection: CdpConnection, *, pid: int | None = None, profile: BrowserProfile | None = None
    ) -> None:
        self.connection = connection
        self.pid = pid
        self.profile = profile
        self._exited = asyncio.Event()
        if pid is not None:
            self._watch(pid)
        connection.browser.on_end(lambda _: None if pid is not None else self._exited.set())

    @property
    def owned(self) -> bool:
        """Whether we started this browser, and so may end it."""
        return self.pid is not None

    async def close(self) -> None:
        """End a browser that we started, first gracefully and then by force; leave an attached one running."""
        if not self.owned:
            self.connection.close()
            return
        if self.connection.browser.ended is None:
            self.connection.browser.send_and_forget("Browser.close")
        if not await self._wait_for_exit(CLOSE_TIMEOUT_S):
            self.kill()
            await self._wait_for_exit(KILL_TIMEOUT_S)
        self.connection.close()
        self._kill_group()  # helper processes that outlived the browser
        if self.profile is not None:
            await asyncio.to_thread(self.profile.remove)

    def kill(self) -> None:
        """Send SIGKILL to the browser and its process group."""
        self._kill_group()
        if self.pid is not None and not self._exited.is_set():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _kill_group(self) -> None:
        # The group was created for this browser and has its pid; it contains no other process.
        if self.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    async def _wait_for_exit(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._exited.wait()
        except TimeoutError:
            return False
        return True

    def _watch(self, pid: int) -> None:
        loop = asyncio.get_running_loop()

        def wait() -> None:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
            with contextlib.suppress(RuntimeError):  # the loop may already be closed
                loop.call_soon_threadsafe(self._exited.set)

        threading.Thread(target=wait, name=f"uiap-browser-{pid}", daemon=True).start()


async def launch(
    browser: InstalledBrowser,
    *,
    environ: Mapping[str, str],
    headless: bool = True,
    http_sign_in: bool = False,
    args: Sequence[str] = (),
    profile_parent: Path | None = None,
    timeout: float = START_TIMEOUT_S,
) -> BrowserProcess:
    """Start `browser` with a new profile and wait until it answers, at most `timeout` seconds.

    A headless browser has no dialog for HTTP authentication unless `http_sign_in` is set.
    """
    await asyncio.to_thread(remove_abandoned_profiles, profile_parent)
    profile = BrowserProfile(profile_parent)
    if headless and not http_sign_in:
        profile.answer_401_to_the_page()
    connection = CdpConnection()
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
            log = profile.path / "browser.log"
            command = [str(browser.path), *browser_flags(profile.path, headless=headless), *args]
            pid = spawn(command, theirs.fileno(), log, environ)
    except OSError as error:
        ours.close()
        profile.remove()
        raise BrowserUnavailable(f"cannot start `{browser.path}`: {error.strerror}") from error
    process = BrowserProcess(connection, pid=pid, profile=profile)
    try:
        await PipeWire.open(connection, ours)
        await connection.browser.send("Browser.getVersion", timeout=timeout)
    except DriverError as error:
        output = _last_line(log)
        process.kill()
        await process.close()
        raise BrowserUnavailable(f"`{browser.path}` did not start: {output or error}") from error
    except BaseException:
        process.kill()
        await process.close()
        raise
    return process


async def attach(endpoint: str, *, timeout: float = CONNECT_S) -> BrowserProcess:
    """Connect to a running browser by `ws://…/devtools/browser/…`, or by `http://host:port` of its debugging port."""
    connection = CdpConnection()
    if endpoint.startswith(("http://", "https://")):
        endpoint = await _websocket_endpoint(endpoint, timeout)
    await WebSocketWire.open(connection, endpoint, timeout=timeout)
    process = BrowserProcess(connection)
    await connection.browser.send("Browser.getVersion", timeout=timeout)
    return process


async def _websocket_endpoint(address: str, timeout: float) -> str:
    try:
        async with httpx.AsyncClient(timeout=timeout, trust_env=False) as client:
            answer = await client.get(f"{address.rstrip('/')}/json/version")
            return str(answer.raise_for_status().json()["webSocketDebuggerUrl"])
    except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
        raise BrowserUnavailable(
            f"no browser listens at `{address}` ({type(error).__name__}); start it with --remote-debugging-port"
        ) from error


def browser_flags(profile: Path, *, headless: bool, root: bool | None = None) -> list[str]:
    """Return the command-line flags of a launched browser."""
    result = [*FLAGS, f"--user-data-dir={profile}"]
    if headless:
        result += ["--headless=new", "--mute-audio", "--hide-scrollbars"]
    if os.geteuid() == 0 if root is None else root:
        result.append("--no-sandbox")  # Chromium's sandbox refuses to run as root
    return result


def spawn(command: Sequence[str], pipe: int, log: Path, environ: Mapping[str, str]) -> int:
    """Start `command` in its own process group with `pipe` as descriptors 3 and 4; return its pid."""
    # A descriptor above 9, so that duplicating it to 3 cannot overwrite the source for 4.
    high = fcntl.fcntl(pipe, fcntl.F_DUPFD_CLOEXEC, 10)
    try:
        return os.posix_spawn(
            command[0],
            list(command),
            dict(environ),
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                (os.POSIX_SPAWN_DUP2, high, 3),
                (os.POSIX_SPAWN_DUP2, high, 4),
            ],
            setpgroup=0,
        )
    finally:
        os.close(high)


def _last_line(log: Path) -> str:
    """Return the last line that the browser printed, for the error message."""
    try:
        lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    except OSError:
        return ""
    return lines[-1][:300] if lines else ""
