"""Optuna Dashboard with three studies: a React application that draws charts and polls its server."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="optuna",
    packages=("optuna-dashboard==0.21.0",),
    seed=("seed.py",),
    start=(
        "-c",
        "from optuna_dashboard._cli import main; main()",
        "sqlite:///studies.sqlite3",
        "--host=localhost",
        "--port={port}",
    ),
    home="/dashboard",
    database="studies.sqlite3",
    half="tuning",
)
