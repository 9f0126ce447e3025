"""Roundup with 20 issues: a server-rendered issue tracker whose list addresses are long queries."""

from __future__ import annotations

from bench.discovery_apps.app import App
from uiap.api.discovery import Principal

SIGN_IN = (
    {"action": "ui.enterText", "role": "textbox", "name": "Username", "args": {"text": "admin"}},
    {"action": "ui.enterText", "role": "textbox", "name": "Password", "args": {"text": "admin-password"}},
    {"action": "ui.activate", "role": "button", "name": "Login"},
)
APP = App(
    name="roundup",
    packages=("roundup==2.6.0", "setuptools<81"),
    seed=("seed.py",),
    start=("serve.py", "{port}", "{public_port}"),
    database="tracker/db/db",
    left_out={"otks": (), "sessions": ()},
    because="a visit keeps a session",
    principal=Principal(id="admin", url="/", steps=SIGN_IN),
    expected_writes=(r"POST /",),
    half="measuring",
)
