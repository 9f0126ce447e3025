"""klaus with two repositories: a server-rendered browser of commits, files and their history."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="klaus",
    packages=("klaus==3.0.1", "dulwich==1.2.21"),
    seed=("seed.py",),
    start=(
        "-c",
        "from klaus.cli import main; main()",
        "--host",
        "127.0.0.1",
        "--port",
        "{port}",
        "shop.git",
        "tools.git",
    ),
    tree="shop.git",
    half="measuring",
)
