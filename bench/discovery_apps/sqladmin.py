"""SQLAdmin with three models: a server-rendered administration with menus and questions."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="sqladmin",
    packages=("sqladmin==0.32.0", "sqlalchemy[asyncio]==2.1.8", "uvicorn==0.54.0", "wtforms==3.2.2"),
    seed=("serve.py", "seed"),
    start=("serve.py", "{port}"),
    home="/admin/",
    database="books.sqlite3",
    half="tuning",
)
