"""Node-RED with two flows: an editor on one page, with menus, trays, sidebars and dialogs."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="node_red",
    npm=("node-red@4.1.15",),
    start=(
        "{modules}/node-red/red.js",
        "--port",
        "{port}",
        "--userDir",
        "{folder}/data",
        "--settings",
        "settings.js",
    ),
    tree="data",
    half="tuning",
)
