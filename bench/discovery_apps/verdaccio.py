"""Verdaccio with eight packages: a registry of packages with a React interface."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="verdaccio",
    npm=("verdaccio@6.1.6",),
    npm_overrides={"node-fetch": "2.7.0"},
    start=(
        "{modules}/verdaccio/bin/verdaccio",
        "--config",
        "{folder}/config.yaml",
        "--listen",
        "localhost:{port}",
    ),
    fill=("fill.py", "{base}"),
    tree="storage",
    half="tuning",
)
