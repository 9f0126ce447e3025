"""`uiap log`: what the application wrote and requested of late, over the local socket."""

from __future__ import annotations

import argparse
import json
from typing import Any

from uiap import settings
from uiap.cli.socket_client import SocketClient


def log_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", choices=("lines", "network"), help="only these")
    parser.add_argument("--level", choices=("error", "warning", "info"), help="at least as loud")
    parser.add_argument("--origin", choices=("app", "system"), help="by whom")
    parser.add_argument("--contains", metavar="TEXT")
    parser.add_argument("--seconds", type=float, metavar="N", help="not older")
    parser.add_argument("--relevance", type=float, metavar="0..1", help="at least; 0 shows the noise too")
    parser.add_argument("--limit", type=int, default=50)


def log(options: argparse.Namespace) -> int:
    names = ("what", "level", "origin", "contains", "relevance", "limit")
    asked = {name: value for name in names if (value := getattr(options, name)) is not None}
    if options.seconds is not None:
        asked["sinceMs"] = options.seconds * 1000
    wire = SocketClient(settings.read().runtime / f"{options.session}.sock")
    told = wire.ask("x.uiap.tools.log", asked)["payload"]
    print(json.dumps(told, indent=2, ensure_ascii=False) if options.json else _text(told))
    return 0


def _text(told: dict[str, Any]) -> str:
    rows = [
        (one["atMs"], f"{one['relevance']:.2f} {one['origin']:6} {one['level']:8} {one['text']}")
        for one in told["lines"]
    ]
    rows += [
        (one["atMs"], f"{one['relevance']:.2f} {_outcome(one):15} {one['method']} {one['url']}")
        for one in told["network"]
    ]
    lines = [f"{at / 1000:8.2f} s  {text}" for at, text in sorted(rows)]
    return "\n".join([*lines, f"{told['hidden']} more are noise or were not asked for"])


def _outcome(call: dict[str, Any]) -> str:
    return str(call.get("failure") or call.get("status") or "no answer yet")
