"""Fava on a small ledger: a single-page application of reports, whose dialogs are parts of the address."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="fava",
    packages=("fava==1.30.16",),
    start=("-c", "from fava.cli import main; main()", "ledger/main.beancount", "--port={port}"),
    tree="ledger",
    half="tuning",
)
