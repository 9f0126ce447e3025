"""`uiap doctor`: what this machine has, what is missing, and how to get it."""

from __future__ import annotations

import asyncio
import importlib.util
import platform
import shutil
import subprocess
import sys
from typing import NamedTuple

import click

from uiap import __version__, settings
from uiap.cli.output import json_option, print_json
from uiap.drivers.chromium.find import Browser, find_browser
from uiap.drivers.chromium.install import FIXES, install_browser
from uiap.drivers.errors import BrowserUnavailable


class Finding(NamedTuple):
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
    "postgres": ("psycopg", "PostgreSQL store"),
    "sign": ("cryptography", "sign bundles and check signatures"),
    "vision": ("rapidocr", "press what is only painted"),
    "watch": ("watchfiles", "rebuild while you edit"),
}


@click.command(help="What this machine has, what is missing, and how to get it.")
@click.option("--install-browser", is_flag=True, help="Install a browser if none is found.")
@click.option("--quiet", is_flag=True, help="Say nothing when all that is needed is there.")
@json_option
def command(install_browser: bool, quiet: bool, as_json: bool) -> int:
    findings = [_python(), _browser(install_browser), *_extras(), _desktop(), _postgres(), _node()]
    missing = [f for f in findings if f.needed and not f.ok]
    if as_json:
        print_json({"version": __version__, "ok": not missing, "findings": [f._asdict() for f in findings]})
    elif missing or not quiet:
        _print(findings)
    return 1 if missing else 0


def _print(findings: list[Finding]) -> None:
    click.echo(f"uiap {__version__} on {platform.system()} {platform.machine()}")
    for f in findings:
        mark = "ok  " if f.ok else ("MISS" if f.needed else "-   ")
        click.echo(f"  {mark} {f.part:12} {f.found}")
        if not f.ok and f.remedy:
            click.echo(f"       {'':12} {f.remedy}")


def _python() -> Finding:
    return Finding(
        "python", sys.version_info >= (3, 11), True, platform.python_version(), "Python 3.11 or newer"
    )


def _browser(install: bool) -> Finding:
    environ = settings.read().environ
    try:
        browser = find_browser(environ=environ)
        if browser is None and install:
            click.echo("uiap: no browser found; installing one (this can take a minute)", err=True)
            browser = asyncio.run(install_browser(lambda _line: None, environ=environ))
    except BrowserUnavailable as error:
        return Finding("browser", False, True, error.message)
    if browser is None:
        return Finding("browser", False, True, "none", f"uiap doctor --install-browser, or: {FIXES}")
    return Finding("browser", True, True, f"{browser.path} {_version(browser)}".strip())


def _version(browser: Browser) -> str:
    try:
        asked = subprocess.run([str(browser.path), "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return "(does not answer --version)"
    return f"({asked.stdout.strip()})" if asked.stdout.strip() else ""


def _extras() -> list[Finding]:
    return [
        Finding(
            extra, importlib.util.find_spec(module) is not None, False, what, f"pip install 'uiap[{extra}]'"
        )
        for extra, (module, what) in EXTRAS.items()
    ]


def _desktop() -> Finding:
    display = settings.read().environ.get("DISPLAY")
    here = [name for name in ("Xvfb", "dbus-daemon", "galculator") if shutil.which(name)]
    found = f"display {display or 'none'}; {', '.join(here) or 'no Xvfb, no dbus-daemon'}"
    ok = display is not None or {"Xvfb", "dbus-daemon"} <= set(here)
    return Finding("x11 and dbus", ok, False, found, "make desktop; only desktop: sessions need them")


def _postgres() -> Finding:
    found = shutil.which("pg_ctl") or shutil.which("postgres")
    return Finding(
        "postgresql", found is not None, False, found or "no server here", "only its own tests need one"
    )


def _node() -> Finding:
    found = shutil.which("node")
    return Finding(
        "node", found is not None, False, found or "not here", "only building the web parts needs it"
    )
