"""Radicale with two calendars: a small page of scenes with one address, whose data comes by WebDAV."""

from __future__ import annotations

from bench.discovery_apps.app import App
from uiap.api.discovery import Principal

SIGN_IN = (
    {"action": "ui.enterText", "role": "textbox", "name": "Username", "args": {"text": "ada"}},
    {"action": "ui.enterText", "role": "textbox", "name": "Password", "args": {"text": "x"}},
    {"action": "ui.activate", "role": "button", "name": "Next"},
)
APP = App(
    name="radicale",
    packages=("Radicale==3.9.0",),
    start=(
        *("-m", "radicale", "--storage-filesystem-folder=store", "--auth-type=none"),
        "--server-hosts=localhost:{port}",
    ),
    fill=("seed.py", "{base}"),
    home="/.web/",
    tree="store",
    principal=Principal(id="ada", url="/.web/", steps=SIGN_IN),
    expected_writes=(r"(PROPFIND|REPORT) /",),
    half="measuring",
)
