"""MLflow with two experiments, a model and a prompt: a React application whose data comes by POSTs that read."""

from __future__ import annotations

from bench.discovery_apps.app import App

READS = (
    "ajax-api/*/mlflow/*/search",
    "ajax-api/*/mlflow/*/search-datasets",
    "ajax-api/*/mlflow/traces/metrics",
)
APP = App(
    name="mlflow",
    packages=("mlflow==3.17.2",),
    seed=("seed.py",),
    start=(
        *("-m", "mlflow", "server", "--backend-store-uri", "sqlite:///mlflow.db", "--workers=1"),
        *("--default-artifact-root", "./artifacts", "--port={port}"),
    ),
    database="mlflow.db",
    read_requests=tuple(f"POST {{base}}/{one}" for one in READS),
    expected_writes=tuple("POST /" + one.replace("*", "[^?]*") for one in (*READS, "graphql")),
    half="tuning",
)
