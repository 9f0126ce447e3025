"""changedetection.io with six watches: a server-rendered monitor of pages whose tabs are links to `#parts`."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="changedetection",
    packages=("changedetection.io==0.60.10",),
    start=("serve.py", "{port}"),
    fill=("fill.py", "{base}"),
    tree="datastore",
    half="tuning",
)
