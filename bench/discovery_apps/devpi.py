"""devpi with two users, three indexes and five packages: a server-rendered package index with a search."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="devpi",
    packages=("devpi-server==6.20.3", "devpi-web==5.1.1"),
    seed=("seed.py",),
    start=(
        "-c",
        "from devpi_server.main import main; main()",
        "--serverdir",
        "data",
        "--host",
        "127.0.0.1",
        "--port",
        "{port}",
    ),
    fill=("fill.py", "{base}"),
    database="data/.sqlite",
    half="measuring",
)
