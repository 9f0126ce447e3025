"""Getting a browser onto a machine that has none.

The system's package on Debian for root, then Playwright's installer, fetched if it must be. Runs installers and
passes their lines on; knows nothing of how a browser is used.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from uiap.drivers.chromium.process.find import Browser, find_browser
from uiap.drivers.errors import BrowserUnavailable

Progress = Callable[[str], None]

FIXES = (
    "no Chromium was found; install one (`apt-get install chromium`, or `pip install playwright && "
    "playwright install chromium`), or set UIAP_BROWSER to a browser's path"
)


@dataclass(frozen=True)
class Machine:
    """The facts that decide which installer can work here."""

    playwright: bool
    pip: bool
    apt: bool
    root: bool
    distribution: str  # ID of os-release: "debian", "ubuntu", …

    @classmethod
    def here(cls, os_release: Path = Path("/etc/os-release")) -> Machine:
        return cls(
            playwright=importlib.util.find_spec("playwright") is not None,
            pip=importlib.util.find_spec("pip") is not None,
            apt=shutil.which("apt-get") is not None,
            root=os.name == "posix" and os.geteuid() == 0,
            distribution=_distribution(os_release),
        )


@dataclass(frozen=True)
class Installer:
    name: str
    commands: tuple[tuple[str, ...], ...]
    environ: Mapping[str, str] = field(default_factory=dict)


def installers(machine: Machine) -> tuple[Installer, ...]:
    """What can work here, in the order to try: the system's own package where there is one, then Playwright's."""
    found: list[Installer] = []
    # Ubuntu's package is a stub that installs the snap, so apt helps on Debian only.
    if machine.apt and machine.root and machine.distribution == "debian":
        found.append(
            Installer(
                "apt-get",
                (("apt-get", "update"), ("apt-get", "install", "-y", "--no-install-recommends", "chromium")),
                {"DEBIAN_FRONTEND": "noninteractive"},
            )
        )
    fetch = () if machine.playwright else ((sys.executable, "-m", "pip", "install", "--quiet", "playwright"),)
    with_libraries = ("--with-deps",) if machine.root else ()
    install = (sys.executable, "-m", "playwright", "install", *with_libraries, "chromium")
    if machine.playwright or machine.pip:
        found.append(Installer("playwright", (*fetch, install)))
    return tuple(found)


async def install_browser(
    progress: Progress,
    *,
    environ: Mapping[str, str],
    machine: Machine | None = None,
    candidates: tuple[Installer, ...] | None = None,
    timeout: float = 600.0,
) -> Browser:
    """Try each installer until a browser is there, and return it; `progress` gets the installers' lines."""
    chosen = installers(machine or Machine.here()) if candidates is None else candidates
    failures: list[str] = []
    for installer in chosen:
        try:
            for command in installer.commands:
                await _run(command, {**environ, **installer.environ}, progress, timeout)
        except BrowserUnavailable as failed:
            failures.append(failed.message)
            continue
        found = find_browser(
            environ={name: value for name, value in environ.items() if name != "UIAP_BROWSER"}
        )
        if found is not None:
            return found
        failures.append(f"`{installer.name}` ended well, but no browser is there")
    raise BrowserUnavailable("; ".join([*failures, FIXES]))


async def _run(
    command: tuple[str, ...], environ: Mapping[str, str], progress: Progress, timeout: float
) -> None:
    try:
        process = await asyncio.create_subprocess_exec(
            *command, env=dict(environ), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
    except OSError as error:
        raise BrowserUnavailable(f"cannot run `{command[0]}`: {error.strerror}") from error
    last = ""
    try:
        async with asyncio.timeout(timeout):
            assert process.stdout is not None
            async for raw in process.stdout:
                last = raw.decode(errors="replace").strip() or last
                progress(last)
            await process.wait()
    except TimeoutError:
        raise BrowserUnavailable(f"`{' '.join(command)}` did not end in {timeout:g} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise BrowserUnavailable(f"`{' '.join(command)}` failed: {last}")


def _distribution(os_release: Path) -> str:
    try:
        lines = os_release.read_text().splitlines()
    except OSError:
        return ""
    return next((line[3:].strip('"') for line in lines if line.startswith("ID=")), "")
