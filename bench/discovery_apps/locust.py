"""Locust with a running test: a React application with tabs that polls its server every two seconds."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="locust",
    packages=("locust==2.47.0",),
    start=(
        "-m",
        "locust",
        "-f",
        "locustfile.py",
        "--web-host=localhost",
        "--web-port={port}",
        "--autostart",
        "--users=2",
        "--spawn-rate=1",
        "--host=http://localhost:{port}",
    ),
    tree="data",
    half="tuning",
)
