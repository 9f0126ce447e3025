"""`uiap downloads` and `uiap state`: downloaded files and saved logins. Standard library alone."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap import settings
from uiap.cli.socket_client import SocketClient
from uiap.timeouts import DOWNLOAD_MS


def downloads_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--after", type=int, metavar="N", help="wait until there are more than N")
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help=f"wait at most this long, with --after (default: {DOWNLOAD_MS // 1000})",
    )


def downloads(options: argparse.Namespace) -> int:
    query: dict[str, Any] = (
        {} if options.after is None else {"after": options.after, "timeoutMs": DOWNLOAD_MS}
    )
    if options.timeout is not None:
        query["timeoutMs"] = options.timeout * 1000
    client = SocketClient(settings.session_socket(options.session))
    found = client.ask("x.uiap.tools.downloads", query)["payload"]["downloads"]
    lines = [
        f"{one['name']}  {one.get('size', 0):,} bytes  {one['url']}"
        if "name" in one
        else f"not saved: {one.get('reason', '')}  {one['url']}"
        for one in found
    ]
    print(json.dumps(found, indent=2) if options.json else "\n".join(lines) or "no downloads")
    return 0 if options.after is None or len(found) > options.after else 1


def state_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "do",
        nargs="?",
        choices=("list", "save", "load"),
        default="list",
        help="list, save or load (default: list)",
    )
    parser.add_argument("name", nargs="?", help="the name: letters, digits, - and _")


def state(options: argparse.Namespace) -> int:
    if options.do != "list" and options.name is None:
        print(f"uiap: name the state: uiap state {options.do} NAME", file=sys.stderr)
        return 2
    query = {"do": options.do, **({"name": options.name} if options.name else {})}
    client = SocketClient(settings.session_socket(options.session))
    names = client.ask("x.uiap.tools.storage", query)["payload"]["names"]
    if options.json:
        print(json.dumps({"names": names}, indent=2))
    elif options.do == "list":
        print("\n".join(names) or "no saved states")
    else:
        print(f"{'saved as' if options.do == 'save' else 'loaded'} `{options.name}`")
    return 0
