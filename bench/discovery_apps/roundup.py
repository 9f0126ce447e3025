"""Roundup with 20 issues: a server-rendered issue tracker whose list addresses are long queries."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="roundup",
    packages=("roundup==2.6.0", "setuptools<81"),
    seed=("seed.py",),
    start=("serve.py", "{port}", "{public_port}"),
    database="tracker/db/db",
    left_out={"otks": (), "sessions": ()},
    because="a visit keeps a session",
    half="tuning",
)
