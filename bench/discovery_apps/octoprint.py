"""OctoPrint without a printer: a single page of tabs and dialogs, drawn with Knockout and Bootstrap."""

from __future__ import annotations

from bench.discovery_apps.app import App
from uiap.api.discovery import Principal

SIGN_IN = (
    {"action": "ui.enterText", "role": "textbox", "name": "Username", "args": {"text": "admin"}},
    {"action": "ui.enterText", "role": "textbox", "name": "Password", "args": {"text": "admin-pw"}},
    {"action": "ui.activate", "role": "button", "name": "Log in"},
)
START = "import sys; from octoprint import main; sys.argv[0] = 'octoprint'; main()"
APP = App(
    name="octoprint",
    packages=("OctoPrint==1.11.8",),
    seed=("seed.py",),
    start=("-c", START, "serve", "--iknowwhatimdoing", "--basedir", "data", "--port={port}"),
    tree="data/uploads",
    principal=Principal(id="admin", url="/", steps=SIGN_IN),
    expected_writes=(r"POST /api/login",),
    half="measuring",
)
