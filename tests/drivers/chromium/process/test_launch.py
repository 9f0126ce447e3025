"""Launching and ending a real browser."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from uiap.drivers.chromium.process.find import InstalledBrowser
from uiap.drivers.chromium.process.launch import attach, browser_flags, launch
from uiap.drivers.chromium.process.profile import remove_abandoned_profiles
from uiap.drivers.errors import BrowserUnavailable, ConnectionLost


def living(needle: str) -> list[int]:
    """Return the pids of running processes with `needle` in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if needle.encode() in command and int(entry.name) != os.getpid():
                found.append(int(entry.name))
    return found


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def until(condition: Callable[[], bool], seconds: float = 15.0) -> bool:
    """Poll other processes, which have no event to wait for, until a deadline."""
    deadline = asyncio.get_running_loop().time() + seconds
    while not condition():
        if asyncio.get_running_loop().time() > deadline:
            return False
        await asyncio.sleep(0.02)
    return True


def test_sandbox_is_disabled_for_root_only(tmp_path: Path) -> None:
    assert "--no-sandbox" in browser_flags(tmp_path, headless=True, root=True)
    assert "--no-sandbox" not in browser_flags(tmp_path, headless=True, root=False)


def test_browser_is_headless_unless_headed(tmp_path: Path) -> None:
    assert "--headless=new" in browser_flags(tmp_path, headless=True)
    assert "--headless=new" not in browser_flags(tmp_path, headless=False)


async def test_program_that_is_not_a_browser_is_reported_with_its_last_output(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho 'cannot open display' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(BrowserUnavailable, match="did not start: cannot open display"):
        await launch(InstalledBrowser(program, "option"), environ=os.environ, profile_parent=tmp_path)
    assert names(tmp_path) == ["chromium"]


async def test_silent_program_is_ended_at_the_timeout(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexec tail -f /dev/null\n")
    program.chmod(0o755)
    with pytest.raises(BrowserUnavailable, match="did not start"):
        await launch(
            InstalledBrowser(program, "option"), environ=os.environ, profile_parent=tmp_path, timeout=0.3
        )
    assert names(tmp_path) == ["chromium"]


async def test_missing_program_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BrowserUnavailable, match="cannot start"):
        await launch(
            InstalledBrowser(tmp_path / "nothing", "option"), environ=os.environ, profile_parent=tmp_path
        )


@pytest.mark.browser
async def test_clean_close_leaves_neither_process_nor_profile(
    browser: InstalledBrowser, tmp_path: Path
) -> None:
    process = await launch(browser, environ=os.environ, profile_parent=tmp_path)
    assert process.profile is not None
    profile = str(process.profile.path)
    assert living(profile)
    await process.close()
    assert await until(lambda: not living(profile))
    assert names(tmp_path) == []


@pytest.mark.browser
async def test_killed_browser_fails_pending_calls_at_once(browser: InstalledBrowser, tmp_path: Path) -> None:
    process = await launch(browser, environ=os.environ, profile_parent=tmp_path)
    session = process.connection.browser
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)  # so that it cannot answer before it is killed
    pending = asyncio.ensure_future(session.send("Browser.getVersion", timeout=60))
    await asyncio.sleep(0)
    process.kill()
    with pytest.raises(ConnectionLost):
        async with asyncio.timeout(10):
            await pending
    await process.close()
    assert names(tmp_path) == []


PARENT = """
import asyncio, os, sys
from pathlib import Path
from uiap.drivers.chromium.process.find import find_browser
from uiap.drivers.chromium.process.launch import launch

async def main():
    process = await launch(find_browser(sys.argv[1]), environ=os.environ, profile_parent=Path(sys.argv[2]))
    print(process.profile.path, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.browser
async def test_killing_the_parent_with_sigkill_leaves_no_browser_behind(
    browser: InstalledBrowser, tmp_path: Path
) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, str(browser.path), str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    profile = (await parent.stdout.readline()).decode().strip()
    assert len(living(profile)) > 1
    parent.kill()
    await parent.wait()
    assert await until(lambda: not living(profile))
    # The killed parent could not remove the folder; the next launch does.
    assert names(tmp_path) == [Path(profile).name]
    assert remove_abandoned_profiles(tmp_path) == [Path(profile)]


@pytest.mark.browser
async def test_attached_browser_is_used_over_a_websocket_and_left_running(
    browser: InstalledBrowser, tmp_path: Path
) -> None:
    owner = await launch(
        browser, environ=os.environ, profile_parent=tmp_path, args=["--remote-debugging-port=0"]
    )
    assert owner.profile is not None
    port_file = owner.profile.path / "DevToolsActivePort"
    assert await until(lambda: port_file.exists() and "\n" in port_file.read_text())
    port, path = port_file.read_text().split()
    for endpoint in (f"ws://127.0.0.1:{port}{path}", f"http://127.0.0.1:{port}"):
        guest = await attach(endpoint)
        version = await guest.connection.browser.send("Browser.getVersion")
        assert "Chrome/" in version["product"]
        await guest.close()
    assert await owner.connection.browser.send("Browser.getVersion")
    await owner.close()


async def test_attaching_to_a_missing_endpoint_says_what_to_do() -> None:
    with pytest.raises(
        BrowserUnavailable, match=r"cannot attach to `ws://127.0.0.1:1/x`.*--remote-debugging"
    ):
        await attach("ws://127.0.0.1:1/x")


async def test_address_without_a_browser_says_what_to_do() -> None:
    with pytest.raises(
        BrowserUnavailable, match=r"no browser listens at `http://127.0.0.1:1`.*--remote-debugging"
    ):
        await attach("http://127.0.0.1:1")
