"""`uiap tabs` and `uiap dialog`: tabs and dialogs of a session. Standard library alone."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap import settings
from uiap.cli.socket_client import SocketClient


def _ask(options: argparse.Namespace, type: str, members: dict[str, Any]) -> dict[str, Any]:
    client = SocketClient(settings.session_socket(options.session))
    given = {name: value for name, value in members.items() if value is not None}
    reply: dict[str, Any] = client.ask(type, given)["payload"]
    return reply


def tabs_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "do",
        nargs="?",
        choices=("list", "open", "show", "close"),
        help="open, show or close one before the list is printed (default: list)",
    )
    parser.add_argument("tab", nargs="?", help="which tab to show or close")


def tabs(options: argparse.Namespace) -> int:
    if options.do in ("show", "close") and options.tab is None:
        print(f"uiap: name the tab to {options.do}; list them with: uiap tabs", file=sys.stderr)
        return 2
    tabs = _ask(options, "x.uiap.tools.tabs", {"do": options.do, "tab": options.tab})["tabs"]
    lines = [f"{'*' if tab['active'] else ' '} {tab['tab']}  {tab['url']}  {tab['title']}" for tab in tabs]
    print(json.dumps(tabs, indent=2, ensure_ascii=False) if options.json else "\n".join(lines))
    return 0


def dialog_options(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--accept", action="store_true", help="accept it; only a trusted session may")
    which.add_argument("--dismiss", action="store_true", help="dismiss it")
    parser.add_argument("--text", help="the answer to a prompt")


def dialog(options: argparse.Namespace) -> int:
    answer = True if options.accept else False if options.dismiss else None
    open_dialog = _ask(options, "x.uiap.tools.dialog", {"accept": answer, "text": options.text})
    if options.json:
        print(json.dumps(open_dialog, indent=2, ensure_ascii=False))
    else:
        kind, message = open_dialog.get("kind"), open_dialog.get("message", "")
        print(f"{kind}: {message}" if kind else "no dialog is open")
    return 0
