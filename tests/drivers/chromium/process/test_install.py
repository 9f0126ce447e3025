"""Choosing and running an installer; shell commands replace the real installers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from uiap.drivers.chromium.process.install import (
    InstallEnvironment,
    Installer,
    available_installers,
    install_browser,
)
from uiap.drivers.errors import BrowserUnavailable

DEBIAN_ROOT = InstallEnvironment(playwright=True, pip=True, apt=True, root=True, distribution="debian")


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (DEBIAN_ROOT, ["apt-get", "playwright"]),
        (replace(DEBIAN_ROOT, playwright=False), ["apt-get", "playwright"]),
        (replace(DEBIAN_ROOT, playwright=False, pip=False), ["apt-get"]),
        (replace(DEBIAN_ROOT, distribution="ubuntu"), ["playwright"]),
        (replace(DEBIAN_ROOT, root=False), ["playwright"]),
        (InstallEnvironment(playwright=False, pip=False, apt=False, root=True, distribution="alpine"), []),
    ],
)
def test_installers_are_those_that_can_work_here_in_order(
    machine: InstallEnvironment, expected: list[str]
) -> None:
    assert [installer.name for installer in available_installers(machine)] == expected


def test_playwright_is_installed_only_if_it_is_missing() -> None:
    (_, there) = available_installers(DEBIAN_ROOT)
    (_, fetched) = available_installers(replace(DEBIAN_ROOT, playwright=False))
    assert len(there.commands) == 1
    assert "pip" in fetched.commands[0]


async def test_next_installer_is_tried_after_a_failure(tmp_path: Path) -> None:
    target = tmp_path / "chromium"
    works = Installer("works", (("/bin/sh", "-c", f"printf '#!/bin/sh\\n' > {target}; chmod +x {target}"),))
    fails = Installer("fails", (("/bin/sh", "-c", "exit 1"),))
    environ = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    found = await install_browser(print, environ=environ, candidates=(fails, works))
    assert found.path == target


def test_distribution_is_read_from_os_release(tmp_path: Path) -> None:
    release = tmp_path / "os-release"
    release.write_text('NAME="Debian GNU/Linux"\nID=debian\n')
    assert InstallEnvironment.detect(release).distribution == "debian"
    assert InstallEnvironment.detect(tmp_path / "missing").distribution == ""


async def test_machine_without_installer_gets_an_install_hint() -> None:
    machine = InstallEnvironment(playwright=False, pip=False, apt=False, root=False, distribution="")
    with pytest.raises(BrowserUnavailable, match=r"apt-get install chromium.*UIAP_BROWSER"):
        await install_browser(print, environ={}, environment=machine)


async def test_installed_browser_is_returned_and_output_is_reported(tmp_path: Path) -> None:
    target = tmp_path / "chromium"
    script = f"echo fetching; printf '#!/bin/sh\\n' > {target}; chmod +x {target}; echo done"
    lines: list[str] = []
    environ = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    found = await install_browser(
        lines.append, environ=environ, candidates=(Installer("shell", (("/bin/sh", "-c", script),)),)
    )
    assert found.path == target
    assert lines == ["fetching", "done"]


async def test_failing_installer_is_reported_with_its_last_line() -> None:
    installer = Installer("shell", (("/bin/sh", "-c", "echo no space left; exit 3"),))
    with pytest.raises(BrowserUnavailable, match="failed: no space left"):
        await install_browser(print, environ={}, candidates=(installer,))


async def test_hanging_installer_is_ended() -> None:
    installer = Installer("shell", (("/bin/sh", "-c", "exec tail -f /dev/null"),))
    with pytest.raises(BrowserUnavailable, match="did not finish"):
        await install_browser(print, environ={}, candidates=(installer,), timeout=0.2)
