"""Fava, the web interface of Beancount: a Svelte application over a text file, with dialogs and suggesting fields."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="fava_book",
    packages=("fava==1.30.16", "beancount==3.2.3"),
    start=(
        "-c",
        "from fava.cli import main; main()",
        "--host",
        "localhost",
        "--port",
        "{port}",
        "book.beancount",
    ),
    home="/household/income_statement/",
    tree=".",
    half="measuring",
)
