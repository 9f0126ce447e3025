"""`uiap tabs` and `uiap dialog`: the windows of a session, over the local socket. Standard library alone."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap import settings
from uiap.cli.socket_client import SocketClient


def _ask(options: argparse.Namespace, type: str, asked: dict[str, Any]) -> dict[str, Any]:
    wire = SocketClient(f"{settings.runtime()}/{options.session}.sock")
    told: dict[str, Any] = wire.ask(type, {k: v for k, v in asked.items() if v is not None})["payload"]
    return told


def tabs_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "do", nargs="?", choices=("list", "open", "show", "close"), help="what to do first (default: list)"
    )
    parser.add_argument("tab", nargs="?", help="which one to show or to close")


def tabs(options: argparse.Namespace) -> int:
    if options.do in ("show", "close") and options.tab is None:
        print(f"uiap: say which tab to {options.do}; `uiap tabs` lists them", file=sys.stderr)
        return 2
    told = _ask(options, "x.uiap.tools.tabs", {"do": options.do, "tab": options.tab})["tabs"]
    lines = [f"{'*' if tab['active'] else ' '} {tab['tab']}  {tab['url']}  {tab['title']}" for tab in told]
    print(json.dumps(told, indent=2, ensure_ascii=False) if options.json else "\n".join(lines))
    return 0


def dialog_options(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--accept", action="store_true", help="say yes; only a trusted session may")
    which.add_argument("--dismiss", action="store_true", help="say no, or close it")
    parser.add_argument("--text", help="what to answer a prompt with")


def dialog(options: argparse.Namespace) -> int:
    answer = True if options.accept else False if options.dismiss else None
    told = _ask(options, "x.uiap.tools.dialog", {"accept": answer, "text": options.text})
    if options.json:
        print(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        print(f"{told['kind']}: {told.get('message', '')}" if "kind" in told else "no dialog stands open")
    return 0
