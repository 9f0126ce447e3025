"""sqlite-web on a database of a shop: a server-rendered browser of tables with menus, dialogs and pages of rows."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="sqliteweb",
    packages=("sqlite-web==0.8.2",),
    seed=("seed.py",),
    start=(
        "-c",
        "from sqlite_web.sqlite_web import main; main()",
        "-x",
        "-H",
        "127.0.0.1",
        "-p",
        "{port}",
        "shop.sqlite3",
    ),
    database="shop.sqlite3",
    half="tuning",
)
