"""Datasette with a small museum: server-rendered pages with many parameters."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="datasette",
    packages=("datasette==0.65.5",),
    seed=("seed.py",),
    start=("-m", "datasette", "museum.db", "--port", "{port}"),
    database="museum.db",
)
