"""`python -m apps.hazards`: print the address as one JSON line and serve until interrupted."""

from __future__ import annotations

import sys
from typing import Any

from apps.hazards.server import Server, serving
from apps.page_server import run_command


def addresses(server: Server) -> dict[str, Any]:
    return {"url": server.url, "other": server.other_url}


if __name__ == "__main__":
    sys.exit(run_command("apps.hazards", "serve the hazard pages", serving, addresses))
