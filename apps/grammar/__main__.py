"""`python -m apps.grammar`: print the address as one JSON line and serve until interrupted."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Sequence

from apps.grammar.cases import cases
from apps.grammar.server import serving


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m apps.grammar", description="serve the generated pages")
    parser.add_argument("--port", type=int, default=0, help="a port on this machine; 0 takes a free one")
    given = parser.parse_args(argv)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with serving(given.port) as server:
        print(
            json.dumps({"url": server.url, "pages": [server.page(case.id) for case in cases()]}), flush=True
        )
        ended.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
