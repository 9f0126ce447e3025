"""`uiap doctor`: check what this machine has, what is missing, and how to get it."""

from __future__ import annotations

import asyncio
import importlib.util
import platform
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import click

from uiap import __version__, settings
from uiap.cli.output import json_option, print_json
from uiap.drivers.chromium.process.find import InstalledBrowser, find_browser
from uiap.drivers.chromium.process.install import INSTALL_HINT, install_browser
from uiap.drivers.errors import BrowserUnavailable


class MachineCheck(NamedTuple):
    part: str
    ok: bool
    needed: bool
    found: str
    remedy: str = ""


EXTRAS = {
    "server": ("starlette", "HTTP and WebSocket server"),
    "playwright": ("playwright", "sessions with a Playwright page"),
    "desktop": ("dbus_fast", "sessions with desktop applications"),
    "android": ("adbutils", "sessions with Android devices"),
    "android-server": (
        "uiautomator2",
        "pinch and toasts on Android devices, with a helper app on the device",
    ),
    "appium": ("appium", "sessions with applications that an Appium server drives"),
    "postgres": ("psycopg", "PostgreSQL store"),
    "sign": ("cryptography", "sign bundles and check signatures"),
    "vision": ("rapidocr", "press text that is only painted"),
    "watch": ("watchfiles", "rebuild while you edit"),
}


DESKTOP_APPS = ("galculator", "zenity", "mousepad", "featherpad")
LAUNCHERS = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")


@click.command(help="Check what this machine has, what is missing, and how to get it.")
@click.option("--install-browser", is_flag=True, help="Install a browser if none is found.")
@click.option("--quiet", is_flag=True, help="Print nothing if everything required is there.")
@json_option
def command(install_browser: bool, quiet: bool, as_json: bool) -> int:
    findings = [_python(), _browser(install_browser), *_extras(), *_desktop(), *_android()]
    findings += [_postgres(), _node()]
    missing = [f for f in findings if f.needed and not f.ok]
    if as_json:
        print_json({"version": __version__, "ok": not missing, "findings": [f._asdict() for f in findings]})
    elif missing or not quiet:
        _print(findings)
    return 1 if missing else 0


def _print(findings: list[MachineCheck]) -> None:
    click.echo(f"uiap {__version__} on {platform.system()} {platform.machine()}")
    for f in findings:
        mark = "ok  " if f.ok else ("MISS" if f.needed else "-   ")
        click.echo(f"  {mark} {f.part:12} {f.found}")
        if not f.ok and f.remedy:
            click.echo(f"       {'':12} {f.remedy}")


def _python() -> MachineCheck:
    return MachineCheck(
        "python", sys.version_info >= (3, 11), True, platform.python_version(), "Python 3.11 or newer"
    )


def _browser(install: bool) -> MachineCheck:
    environ = settings.read().environ
    try:
        browser = find_browser(environ=environ)
        if browser is None and install:
            click.echo("uiap: no browser found; installing one, which can take a minute", err=True)
            browser = asyncio.run(install_browser(lambda _line: None, environ=environ))
    except BrowserUnavailable as error:
        return MachineCheck("browser", False, True, error.message)
    if browser is None:
        return MachineCheck(
            "browser", False, True, "none", f"uiap doctor --install-browser, or: {INSTALL_HINT}"
        )
    return MachineCheck("browser", True, True, f"{browser.path} {_version(browser)}".strip())


def _version(browser: InstalledBrowser) -> str:
    try:
        printed = subprocess.run([str(browser.path), "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return "(does not answer --version)"
    return f"({printed.stdout.strip()})" if printed.stdout.strip() else ""


def _extras() -> list[MachineCheck]:
    return [
        MachineCheck(
            extra, importlib.util.find_spec(module) is not None, False, what, f"pip install 'uiap[{extra}]'"
        )
        for extra, (module, what) in EXTRAS.items()
    ]


def _desktop() -> list[MachineCheck]:
    """Check what `desktop:` sessions and their tests need."""
    environ = settings.read().environ
    display, session = environ.get("DISPLAY"), environ.get("DBUS_SESSION_BUS_ADDRESS")
    x = display or shutil.which("Xvfb")
    bus = session or shutil.which("dbus-daemon")
    launcher = next((path for path in LAUNCHERS if Path(path).exists()), None)
    apps = [name for name in DESKTOP_APPS if shutil.which(name)]
    return [
        MachineCheck(
            "x display", bool(x), False, f"{x or 'none'}", "start Xvfb; only desktop: sessions need it"
        ),
        MachineCheck("d-bus", bool(bus), False, f"{bus or 'none'}", "only desktop: sessions need it"),
        MachineCheck(
            "at-spi",
            launcher is not None,
            False,
            launcher or "none",
            "install at-spi2-core, or run: make desktop",
        ),
        MachineCheck(
            "desktop apps",
            bool(apps),
            False,
            ", ".join(apps) or "none",
            "install them with: make desktop; only tests need them",
        ),
    ]


def _android() -> list[MachineCheck]:
    """Check the adb client and the devices it reports."""
    adb = shutil.which("adb")
    if adb is None:
        remedy = "install adb; only android: sessions need it"
        return [MachineCheck("adb", False, False, "not found", remedy)]
    rows = _devices(int(settings.read().environ.get("ANDROID_ADB_SERVER_PORT", "5037")))
    if rows is None:
        return [
            MachineCheck("adb", True, False, f"{adb} (its server is not running; start it with: adb devices)")
        ]
    devices = [f"{serial} ({state})" for serial, state in rows]
    ready = any(state == "device" for _, state in rows)
    remedy = "connect a device and allow debugging on it; only android: sessions need one"
    return [
        MachineCheck("adb", True, False, adb),
        MachineCheck("devices", ready, False, ", ".join(devices) or "none", remedy),
    ]


def _devices(port: int) -> list[tuple[str, str]] | None:
    """Return the devices that the adb server lists, or None if it is not running; the client would start one."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=3) as connection:
            connection.sendall(b"000chost:devices")
            with connection.makefile("rb") as reply:
                listing = reply.read(int(reply.read(8)[4:] or b"0", 16)).decode(errors="replace")
    except (OSError, ValueError):
        return None
    return [(serial, state) for serial, _, state in (line.partition("\t") for line in listing.splitlines())]


def _postgres() -> MachineCheck:
    found = shutil.which("pg_ctl") or shutil.which("postgres")
    return MachineCheck(
        "postgresql", found is not None, False, found or "not found", "only the PostgreSQL tests need it"
    )


def _node() -> MachineCheck:
    found = shutil.which("node")
    return MachineCheck(
        "node", found is not None, False, found or "not found", "only building the web parts needs it"
    )
