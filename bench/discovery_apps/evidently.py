"""Evidently with three projects of three reports: a single-page console of reports about data."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="evidently",
    packages=("evidently==0.7.23", "pandas<3"),
    seed=("seed.py",),
    start=(
        "-c",
        "from evidently.cli import app; app()",
        "ui",
        "--workspace",
        "workspace",
        "--host",
        "127.0.0.1",
        "--port",
        "{port}",
    ),
    tree="workspace",
    half="measuring",
)
