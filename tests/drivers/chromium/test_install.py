"""Choosing and running an installer; the installers here are shell lines that do what the real ones do."""

from __future__ import annotations

from pathlib import Path

import pytest

from uiap.drivers.chromium.install import Installer, Machine, choose_installer, install_browser
from uiap.drivers.errors import BrowserUnavailable


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (Machine(playwright=True, apt=True, root=True, distribution="debian"), "playwright"),
        (Machine(playwright=True, apt=True, root=True, distribution="ubuntu"), "playwright"),
        (Machine(playwright=False, apt=True, root=True, distribution="debian"), "apt-get"),
        (Machine(playwright=False, apt=True, root=True, distribution="ubuntu"), None),
        (Machine(playwright=False, apt=True, root=False, distribution="debian"), None),
        (Machine(playwright=False, apt=False, root=True, distribution="alpine"), None),
    ],
)
def test_installer_is_chosen_by_what_can_work_here(machine: Machine, expected: str | None) -> None:
    chosen = choose_installer(machine)
    assert (chosen.name if chosen else None) == expected


def test_distribution_is_read_from_os_release(tmp_path: Path) -> None:
    release = tmp_path / "os-release"
    release.write_text('NAME="Debian GNU/Linux"\nID=debian\n')
    assert Machine.here(release).distribution == "debian"
    assert Machine.here(tmp_path / "missing").distribution == ""


async def test_machine_without_installer_gets_one_sentence_naming_the_fixes() -> None:
    machine = Machine(playwright=False, apt=False, root=False, distribution="")
    with pytest.raises(BrowserUnavailable, match=r"apt-get install chromium.*UIAP_BROWSER"):
        await install_browser(print, environ={}, machine=machine)


async def test_installed_browser_is_found_and_lines_are_passed_on(tmp_path: Path) -> None:
    target = tmp_path / "chromium"
    script = f"echo fetching; printf '#!/bin/sh\\n' > {target}; chmod +x {target}; echo done"
    lines: list[str] = []
    environ = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    found = await install_browser(
        lines.append, environ=environ, installer=Installer("shell", (("/bin/sh", "-c", script),))
    )
    assert found.path == target
    assert lines == ["fetching", "done"]


async def test_failing_installer_is_reported_with_its_last_line() -> None:
    installer = Installer("shell", (("/bin/sh", "-c", "echo no space left; exit 3"),))
    with pytest.raises(BrowserUnavailable, match="failed: no space left"):
        await install_browser(print, environ={}, installer=installer)


async def test_hanging_installer_is_ended() -> None:
    installer = Installer("shell", (("/bin/sh", "-c", "exec tail -f /dev/null"),))
    with pytest.raises(BrowserUnavailable, match="did not end"):
        await install_browser(print, environ={}, installer=installer, timeout=0.2)
