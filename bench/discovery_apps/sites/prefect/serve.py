"""Serve Prefect without its background services, with its interface calling the address it came from."""

import os
import sys
from pathlib import Path

home = Path("home").resolve()
home.mkdir(exist_ok=True)
settings = {
    "PREFECT_HOME": str(home),
    "PREFECT_UI_API_URL": "/api",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_API_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{home / 'prefect.db'}",
}
command = ("-m", "prefect", "server", "start", "--host", "localhost", "--port", sys.argv[1], "--no-services")
os.execve(sys.executable, [sys.executable, *command], {**os.environ, **settings})
