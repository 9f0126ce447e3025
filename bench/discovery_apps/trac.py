"""Trac with 20 tickets: a server-rendered issue tracker with a wiki, reports and administration panels."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="trac",
    packages=("Trac==1.6", "setuptools<81"),
    seed=("seed.py",),
    start=(
        "-c",
        "from trac.web.standalone import main; main()",
        "--single-env",
        "--hostname=localhost",
        "--port={port}",
        "env",
    ),
    database="env/db/trac.db",
    left_out={"session": (), "session_attribute": (), "auth_cookie": (), "cache": ()},
    because="a visit keeps a session",
    half="tuning",
)
