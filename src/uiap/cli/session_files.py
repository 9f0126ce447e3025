"""`uiap downloads` and `uiap state`: what a session keeps, over the local socket. Standard library alone."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap import settings
from uiap.cli.socket_client import SocketClient


def downloads_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--after", type=int, metavar="N", help="wait until there are more than so many")
    parser.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="how long, with --after (default: 10)"
    )


def downloads(options: argparse.Namespace) -> int:
    asked: dict[str, Any] = {} if options.after is None else {"after": options.after, "timeoutMs": 10_000}
    if options.timeout is not None:
        asked["timeoutMs"] = options.timeout * 1000
    told = SocketClient(f"{settings.runtime()}/{options.session}.sock").ask("x.uiap.tools.downloads", asked)
    found = told["payload"]["downloads"]
    lines = [
        f"{one['name']}  {one.get('size', 0):,} bytes  {one['url']}"
        if "name" in one
        else f"not kept: {one.get('reason', '')}  {one['url']}"
        for one in found
    ]
    print(json.dumps(found, indent=2) if options.json else "\n".join(lines) or "nothing was downloaded")
    return 0 if options.after is None or len(found) > options.after else 1


def state_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("do", nargs="?", choices=("list", "save", "load"), default="list")
    parser.add_argument("name", nargs="?", help="letters, digits, - and _")


def state(options: argparse.Namespace) -> int:
    if options.do != "list" and options.name is None:
        print(f"uiap: say under which name: uiap state {options.do} NAME", file=sys.stderr)
        return 2
    asked = {"do": options.do, **({"name": options.name} if options.name else {})}
    wire = SocketClient(f"{settings.runtime()}/{options.session}.sock")
    names = wire.ask("x.uiap.tools.storage", asked)["payload"]["names"]
    if options.json:
        print(json.dumps({"names": names}, indent=2))
    elif options.do == "list":
        print("\n".join(names) or "no state is kept")
    else:
        print(f"{'kept as' if options.do == 'save' else 'loaded'} `{options.name}`")
    return 0
