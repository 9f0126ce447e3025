"""Prefect's server with two flows and their runs: a Vue console whose data comes by requests that post."""

from __future__ import annotations

from bench.discovery_apps.app import App

READS = (
    "api/*filter",
    "api/*count*",
    "api/*paginate",
    "api/*history",
    "api/*lateness",
    "api/ui/*",
    "api/flows/next-runs",
)
APP = App(
    name="prefect",
    packages=("prefect==3.8.8", "fastapi==0.149.0"),
    start=("serve.py", "{port}"),
    fill=("fill.py", "{base}"),
    home="/dashboard",
    database="home/prefect.db",
    read_requests=tuple(f"POST {{base}}/{one}" for one in READS),
    expected_writes=tuple("POST /" + one.replace("*", "[^?]*") for one in READS),
    half="measuring",
)
