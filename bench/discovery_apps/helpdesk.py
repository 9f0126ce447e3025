"""django-helpdesk with 30 tickets: a server-rendered business application with a data table filled by a script."""

from __future__ import annotations

from bench.discovery_apps.app import App
from uiap.api.discovery import Principal

SIGN_IN = (
    {"action": "ui.enterText", "role": "textbox", "name": "Username", "args": {"text": "admin"}},
    {"action": "ui.enterText", "role": "textbox", "name": "Password", "args": {"text": "admin-password"}},
    {"action": "ui.activate", "role": "button", "name": "Login"},
)
APP = App(
    name="helpdesk",
    packages=("django-helpdesk==2.6.1", "Django==5.2.19"),
    seed=("seed.py",),
    start=(
        "-m",
        "django",
        "runserver",
        "--noreload",
        "--settings=desk.settings",
        "--pythonpath={folder}",
        "localhost:{port}",
    ),
    home="/dashboard/",
    database="desk.sqlite3",
    left_out={"django_session": (), "auth_user": ("last_login",)},
    because="signing in keeps a session and its moment",
    principal=Principal(id="admin", url="/login/", steps=SIGN_IN),
    expected_writes=(r"POST /login/",),
    half="tuning",
)
