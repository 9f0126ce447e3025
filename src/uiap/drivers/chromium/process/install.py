"""Install a browser on a machine that has none.

Tries the Debian package if we are root, then Playwright's installer, which it downloads if needed.
Runs the installers and reports their output; launching the browser is left to `launch.py`.
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

from uiap.drivers.chromium.process.find import InstalledBrowser, find_browser
from uiap.drivers.errors import BrowserUnavailable

Progress = Callable[[str], None]

INSTALL_HINT = (
    "no Chromium was found; install one (`apt-get install chromium`, or `pip install playwright && "
    "playwright install chromium`), or set UIAP_BROWSER to a browser's path"
)


@dataclass(frozen=True)
class InstallEnvironment:
    """The facts that decide which installers can work on this machine."""

    playwright: bool
    pip: bool
    apt: bool
    root: bool
    distribution: str  # ID of os-release: "debian", "ubuntu", …

    @classmethod
    def detect(cls, os_release: Path = Path("/etc/os-release")) -> InstallEnvironment:
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


def available_installers(environment: InstallEnvironment) -> tuple[Installer, ...]:
    """Return the installers that can work here, in the order to try: the system's package, then Playwright."""
    result: list[Installer] = []
    # Ubuntu's package is a stub that installs the snap, so apt-get is useful on Debian only.
    if environment.apt and environment.root and environment.distribution == "debian":
        result.append(
            Installer(
                "apt-get",
                (("apt-get", "update"), ("apt-get", "install", "-y", "--no-install-recommends", "chromium")),
                {"DEBIAN_FRONTEND": "noninteractive"},
            )
        )
    fetch = (
        () if environment.playwright else ((sys.executable, "-m", "pip", "install", "--quiet", "playwright"),)
    )
    with_libraries = ("--with-deps",) if environment.root else ()
    install = (sys.executable, "-m", "playwright", "install", *with_libraries, "chromium")
    if environment.playwright or environment.pip:
        result.append(Installer("playwright", (*fetch, install)))
    return tuple(result)


async def install_browser(
    progress: Progress,
    *,
    environ: Mapping[str, str],
    environment: InstallEnvironment | None = None,
    candidates: tuple[Installer, ...] | None = None,
    timeout: float = 600.0,
) -> InstalledBrowser:
    """Try the installers until a browser is found, and return it; `progress` receives their output lines."""
    chosen = (
        available_installers(environment or InstallEnvironment.detect()) if candidates is None else candidates
    )
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
        failures.append(f"`{installer.name}` succeeded, but no browser was found")
    raise BrowserUnavailable("; ".join([*failures, INSTALL_HINT]))


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
        raise BrowserUnavailable(f"`{' '.join(command)}` did not finish within {timeout:g} s") from None
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
