"""Find a Chromium-family browser on this machine.

Reads only folders and the beginnings of files. It never runs a browser, and never reads the process environment.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from uiap.drivers.errors import BrowserUnavailable

EXECUTABLE_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
)

MAC_APPLICATIONS = (
    "Chromium.app/Contents/MacOS/Chromium",
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)

# Inside Playwright's cache: chromium-<revision>/<one of these>.
PLAYWRIGHT_BINARIES = (
    "chrome-linux/chrome",
    "chrome-linux64/chrome",
    "chrome-linux/headless_shell",
    "chrome-headless-shell-linux64/chrome-headless-shell",
    "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
    "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "chrome-win/chrome.exe",
    "chrome-win64/chrome.exe",
)


@dataclass(frozen=True)
class InstalledBrowser:
    """An installed browser that can be started."""

    path: Path
    found_by: str  # "option", "UIAP_BROWSER", "PATH", "applications" or "playwright"


def find_browser(
    explicit: str | os.PathLike[str] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    platform: str = sys.platform,
    applications: Path = Path("/Applications"),
) -> InstalledBrowser | None:
    """Return the first usable browser: explicit, UIAP_BROWSER, PATH, application folders, Playwright's cache.

    If a browser is requested explicitly and cannot be used, raise an error instead of choosing another one.
    """
    environ = environ or {}
    for requested, found_by in ((explicit, "option"), (environ.get("UIAP_BROWSER"), "UIAP_BROWSER")):
        if requested:
            return InstalledBrowser(_requested_browser(os.fspath(requested), environ), found_by)
    for path, found_by in _candidates(environ, platform, applications):
        if _is_usable(path):
            return InstalledBrowser(path, found_by)
    return None


def is_snap_stub(path: Path) -> bool:
    """Return whether this is Ubuntu's stub for the Chromium snap, whose confinement breaks profile folders."""
    if str(path.resolve()).startswith(("/snap/", "/usr/bin/snap")):
        return True
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    return head.startswith(b"#!") and (b"/snap/" in head or b"snap install" in head)


def _requested_browser(name: str, environ: Mapping[str, str]) -> Path:
    path = Path(name)
    if path.name == name:  # a bare name: search PATH
        path = next((found for found in _on_path((name,), environ) if found.is_file()), path)
    if not path.is_file() or not os.access(path, os.X_OK):
        raise BrowserUnavailable(f"the browser `{name}` is not an executable file; give its full path")
    if is_snap_stub(path):
        raise BrowserUnavailable(
            f"the browser `{name}` is a snap, whose confinement breaks profile folders; "
            "install one with `playwright install chromium` or name another"
        )
    return path


def _is_usable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK) and not is_snap_stub(path)


def _candidates(environ: Mapping[str, str], platform: str, applications: Path) -> Iterator[tuple[Path, str]]:
    for path in _on_path(EXECUTABLE_NAMES, environ):
        yield path, "PATH"
    if platform == "darwin":
        folders = [applications]
        if home := environ.get("HOME"):
            folders.append(Path(home, "Applications"))
        for folder in folders:
            for application in MAC_APPLICATIONS:
                yield folder / application, "applications"
    for cache in playwright_caches(environ, platform):
        for revision in sorted(cache.glob("chromium*-*"), key=_revision, reverse=True):
            for binary in PLAYWRIGHT_BINARIES:
                yield revision / binary, "playwright"


def _on_path(names: tuple[str, ...], environ: Mapping[str, str]) -> Iterator[Path]:
    folders = [folder for folder in environ.get("PATH", "").split(os.pathsep) if folder]
    for name in names:
        for folder in folders:
            yield Path(folder, name)


def playwright_caches(environ: Mapping[str, str], platform: str) -> list[Path]:
    if named := environ.get("PLAYWRIGHT_BROWSERS_PATH"):
        return [Path(named)]
    home = environ.get("HOME") or environ.get("USERPROFILE")
    if home is None:
        return []
    if platform == "darwin":
        return [Path(home, "Library/Caches/ms-playwright")]
    if platform == "win32":
        return [Path(environ.get("LOCALAPPDATA", home), "ms-playwright")]
    return [Path(environ.get("XDG_CACHE_HOME") or Path(home, ".cache"), "ms-playwright")]


def _revision(folder: Path) -> tuple[bool, int]:
    """Sort key: full Chromium before the headless shell, newest revision first."""
    name, _, number = folder.name.rpartition("-")
    return name == "chromium", int(number) if number.isdigit() else 0
