"""Flask-AppBuilder with contacts: a server-rendered business application with roles and folding menus."""

from __future__ import annotations

from bench.discovery_apps.app import App
from uiap.api.discovery import Principal

SIGN_IN = (
    {"action": "ui.enterText", "role": "textbox", "name": "Username", "args": {"text": "admin"}},
    {"action": "ui.enterText", "role": "textbox", "name": "Password", "args": {"text": "admin-password"}},
    {"action": "ui.activate", "role": "button", "name": "Sign In"},
)
APP = App(
    name="flask_appbuilder",
    packages=("Flask-AppBuilder==5.3.0",),
    seed=("seed.py",),
    start=("-m", "flask", "--app", "contacts", "run", "--host", "localhost", "--port", "{port}"),
    database="instance/contacts.sqlite3",
    left_out={"ab_user": ("last_login", "login_count", "fail_login_count")},
    because="signing in keeps its moment and its count",
    principal=Principal(id="admin", url="/login/", steps=SIGN_IN),
    expected_writes=(r"POST /login/",),
    half="tuning",
)
