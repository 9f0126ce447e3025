"""`python -m apps.grammar`: print the address as one JSON line and serve until interrupted."""

from __future__ import annotations

import sys
from typing import Any

from apps.grammar.cases import cases
from apps.grammar.server import Server, serving
from apps.page_server import run_command


def addresses(server: Server) -> dict[str, Any]:
    return {"url": server.url, "pages": [server.page(case.id) for case in cases()]}


if __name__ == "__main__":
    sys.exit(run_command("apps.grammar", "serve the generated pages", serving, addresses))
