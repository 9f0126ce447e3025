"""Dagster with assets, two jobs, a schedule and a sensor: a React application that reads by GraphQL."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="dagster",
    packages=("dagster==1.13.27", "dagster-webserver==1.13.27"),
    seed=("seed.py",),
    start=("serve.py", "{port}"),
    home="/overview",
    database="home/history/runs.db",
    left_out={"daemon_heartbeats": (), "instance_info": (), "kvs": ()},
    because="the server records that it is alive",
    expected_writes=(r"POST /graphql",),
    half="tuning",
)
