"""Burr's tracking interface with three projects: a single-page console of runs with tabs, tables and demonstrations."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="burr",
    packages=("burr[start]==0.42.0",),
    seed=("seed.py",),
    start=("-m", "uvicorn", "burr.tracking.server.run:app", "--host", "127.0.0.1", "--port", "{port}"),
    tree=".burr",
    half="measuring",
)
