"""I Hate Money with two projects: a server-rendered application for shared expenses, with dialogs and menus."""

from __future__ import annotations

from bench.discovery_apps.app import App
from uiap.api.discovery import Principal

SIGN_IN = (
    {"action": "ui.enterText", "role": "textbox", "name": "Project identifier", "args": {"text": "trip"}},
    {"action": "ui.enterText", "role": "textbox", "name": "Private code", "args": {"text": "trip-code"}},
    {"action": "ui.activate", "role": "button", "name": "submit"},
)
APP = App(
    name="ihatemoney",
    packages=("ihatemoney==7.2.1",),
    seed=("seed.py",),
    start=("serve.py", "{port}"),
    home="/trip/",
    database="money.sqlite3",
    principal=Principal(id="member", url="/authenticate", steps=SIGN_IN),
    expected_writes=(r"POST /authenticate",),
    half="tuning",
)
