"""The Wagtail editor with the site of its own project template."""

from __future__ import annotations

from bench.discovery_apps.app import App
from uiap.api.discovery import Principal

SIGN_IN = (
    {"action": "ui.enterText", "role": "textbox", "name": "Username", "args": {"text": "admin"}},
    {"action": "ui.enterText", "role": "textbox", "name": "Password", "args": {"text": "admin-password"}},
    {"action": "ui.activate", "role": "button", "name": "Sign in"},
)
APP = App(
    name="wagtail",
    packages=("wagtail==8.0.1",),
    seed=("seed.py",),
    start=(
        "-m",
        "django",
        "runserver",
        "--noreload",
        "--settings=paper.settings.dev",
        "--pythonpath={folder}",
        "localhost:{port}",
    ),
    home="/admin/",
    database="db.sqlite3",
    left_out={
        "django_session": (),
        "auth_user": ("last_login",),
        "wagtailadmin_editingsession": (),
        "wagtailcore_pagesubscription": (),
        "sqlite_sequence": (),
    },
    because="signing in keeps a session; opening a page's editor, a GET, notes who has it open and who subscribes",
    principal=Principal(id="admin", url="/admin/login/", steps=SIGN_IN),
    expected_writes=(r"POST /admin/login/",),
)
