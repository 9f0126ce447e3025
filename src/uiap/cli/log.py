"""`uiap log`: recent console lines and requests of the application. Standard library alone."""

from __future__ import annotations

import argparse
import json
from typing import Any

from uiap import settings
from uiap.cli.socket_client import SocketClient


def log_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", nargs="?", choices=("lines", "network"), help="only lines, or only requests (default: both)"
    )
    parser.add_argument("--level", choices=("error", "warning", "info"), help="at least this severe")
    parser.add_argument(
        "--origin", choices=("app", "system"), help="only lines of the application, or only of the system"
    )
    parser.add_argument("--contains", metavar="TEXT", help="only lines and addresses with this text")
    parser.add_argument("--seconds", type=float, metavar="N", help="not older than N seconds")
    parser.add_argument(
        "--relevance", type=float, metavar="0..1", help="at least this relevant; 0 also prints the noise"
    )
    parser.add_argument("--limit", type=int, default=50, help="at most this many (default: 50)")


def log(options: argparse.Namespace) -> int:
    names = ("what", "level", "origin", "contains", "relevance", "limit")
    query = {name: value for name in names if (value := getattr(options, name)) is not None}
    if options.seconds is not None:
        query["sinceMs"] = options.seconds * 1000
    client = SocketClient(settings.session_socket(options.session))
    reply = client.ask("x.uiap.tools.log", query)["payload"]
    print(json.dumps(reply, indent=2, ensure_ascii=False) if options.json else _text(reply))
    return 0


def _text(reply: dict[str, Any]) -> str:
    rows = [
        (one["atMs"], f"{one['relevance']:.2f} {one['origin']:6} {one['level']:8} {one['text']}")
        for one in reply["lines"]
    ]
    rows += [
        (one["atMs"], f"{one['relevance']:.2f} {_outcome(one):15} {one['method']} {one['url']}")
        for one in reply["network"]
    ]
    lines = [f"{at / 1000:8.2f} s  {text}" for at, text in sorted(rows)]
    return "\n".join([*lines, f"{reply['hidden']} more are noise or do not match"])


def _outcome(call: dict[str, Any]) -> str:
    return str(call.get("failure") or call.get("status") or "no response yet")
