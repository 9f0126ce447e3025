"""JupyterLab with a folder of notebooks: one page with one address; everything else is drawn by scripts."""

from __future__ import annotations

from bench.discovery_apps.app import App

APP = App(
    name="jupyterlab",
    packages=("jupyterlab==4.6.6",),
    start=(
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ServerApp.ip=localhost",
        "--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--ServerApp.root_dir={folder}/work",
        "--IdentityProvider.token=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.news_url=",
    ),
    home="/lab",
    tree="work",
    documentation="A file is opened by its address, {base}/lab/tree/notes.md or {base}/lab/tree/visitors.ipynb.",
    options={"max_per_route": 200},
)
