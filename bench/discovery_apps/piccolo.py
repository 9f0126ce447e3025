"""Piccolo Admin with directors and films: an administration in Vue behind a hash router."""

from __future__ import annotations

from bench.discovery_apps.app import App
from uiap.api.discovery import Principal

SIGN_IN = (
    {"action": "ui.enterText", "role": "textbox", "name": "username", "args": {"text": "ada"}},
    {"action": "ui.enterText", "css": "input[name=password]", "args": {"text": "ada-password"}},
    {"action": "ui.activate", "role": "button", "name": "Login"},
)
APP = App(
    name="piccolo",
    packages=("piccolo_admin==1.14.0", "piccolo[sqlite]==1.38.0", "uvicorn==0.54.0"),
    seed=("serve.py", "seed"),
    start=("serve.py", "{port}"),
    database="films.sqlite3",
    principal=Principal(id="admin", url="/", steps=SIGN_IN),
    expected_writes=(r"POST /public/login",),
    half="measuring",
)
