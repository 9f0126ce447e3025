"""`python -m apps.videoland`: print the address as one JSON line and serve until interrupted."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Sequence

from apps.videoland.knobs import BadKnob, Knobs, parse
from apps.videoland.server import serving
from apps.videoland.settings import LANGUAGES, Settings


def main(argv: Sequence[str] | None = None) -> int:
    given = _arguments().parse_args(argv)
    try:
        knobs = Knobs().changed(parse(given.knobs))
    except BadKnob as error:
        print(error, file=sys.stderr)
        return 2
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    settings = Settings(
        rows=given.rows, db=given.db, password=given.password, auto_login=given.auto_login, truth=given.truth,
        knobs=knobs, language=given.language, port=given.port, billing_port=given.billing_port,
    )  # fmt: skip
    with serving(settings) as server:
        urls = {
            "url": server.url,
            "billing": server.billing_url,
            "billingForeign": server.billing_foreign_url,
        }
        print(json.dumps(urls), flush=True)
        ended.wait()
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m apps.videoland", description="serve the Videoland example app"
    )
    parser.add_argument("--port", type=int, default=0, help="main port; 0 takes a free one")
    parser.add_argument("--billing-port", type=int, default=0, help="port of the framed billing app")
    parser.add_argument("--rows", type=int, default=200, help="videos to start with")
    parser.add_argument("--db", help="SQLite file; without it nothing is kept")
    parser.add_argument("--password", default="videoland", help="password of the seeded accounts")
    parser.add_argument("--auto-login", action="store_true", help="honour `?as=admin` and `?as=viewer`")
    parser.add_argument("--truth", action="store_true", help="serve /__truth, /__writes and /__reset")
    parser.add_argument("--knobs", default="", help="such as `delay_ms:300,storm`")
    parser.add_argument("--language", choices=LANGUAGES, help="default language instead of the browser's")
    return parser


if __name__ == "__main__":
    sys.exit(main())
