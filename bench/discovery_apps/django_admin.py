"""The Django admin with a small library."""

from __future__ import annotations

from bench.discovery_apps.app import App
from uiap.api.discovery import Principal

SIGN_IN = (
    {"action": "ui.enterText", "role": "textbox", "name": "Username:", "args": {"text": "admin"}},
    {"action": "ui.enterText", "role": "textbox", "name": "Password:", "args": {"text": "admin-password"}},
    {"action": "ui.activate", "role": "button", "name": "Log in"},
)
APP = App(
    name="django_admin",
    packages=("Django==5.2.19",),
    seed=("seed.py",),
    start=(
        "-m",
        "django",
        "runserver",
        "--noreload",
        "--settings=library.settings",
        "--pythonpath={folder}",
        "localhost:{port}",
    ),
    home="/admin/",
    database="library.sqlite3",
    left_out={"django_session": (), "auth_user": ("last_login",)},
    because="signing in, before the guard is up, keeps a session and its moment",
    principal=Principal(id="admin", url="/admin/login/", steps=SIGN_IN),
    expected_writes=(r"POST /admin/login/",),
)
