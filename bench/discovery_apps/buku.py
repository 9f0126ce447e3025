"""Bukuserver with four bookmarks: a server-rendered list whose forms open in a dialog."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="buku",
    packages=("buku[server]==5.1", "flask==3.1.3", "flask-admin==2.2.1"),
    seed=("serve.py", "seed"),
    start=("serve.py", "{port}"),
    home="/bookmark/",
    database="bookmarks.db",
    half="measuring",
)
