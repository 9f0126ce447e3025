"""`uiap capabilities` and `uiap preview`: what can be done here, and what the rules would say. Standard library."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap import settings
from uiap.cli.expectations import argument
from uiap.cli.socket_client import SocketClient

BOTH = ("x.uiap.tools", "uiap.policy")


def capabilities_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", help="only this one, with its arguments")
    parser.add_argument("--bundle", action="store_true", help="instead, the application's contract, as JSON")
    parser.add_argument("--rules", action="store_true", help="instead, the rules in force, as JSON")


def capabilities(options: argparse.Namespace) -> int:
    wire = SocketClient(
        f"{settings.runtime()}/{options.session}.sock", extensions=BOTH if options.rules else BOTH[:1]
    )
    if options.bundle or options.rules:
        type = "uiap.policy.get" if options.rules else "x.uiap.tools.bundle"
        print(json.dumps(wire.ask(type, {})["payload"], indent=2, ensure_ascii=False))
        return 0
    document = wire.ask("capabilities.list", {})["payload"]["document"]
    wanted = [a for a in document["actions"] if options.action in (None, a["id"])]
    if not wanted:
        print(f"uiap: `{options.action}` is not an action here; see: uiap capabilities", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(wanted[0] if options.action else document, indent=2, ensure_ascii=False))
    else:
        print("\n".join(_line(action, long=options.action is not None) for action in wanted))
    return 0


def _line(action: dict[str, Any], *, long: bool) -> str:
    given = action.get("args", [])
    names = " ".join(f"{a['name']}" + ("" if a.get("required") else "?") for a in given)
    head = f"{action['id']:24} {action.get('title', '')}" + (f"  {{{names}}}" if names else "")
    if not long:
        return head
    return "\n".join([head, *(f"  {a['name']}: {a['type']}  {a.get('description', '')}" for a in given)])


def preview_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", help="ui.activate, ui.enterText, …")
    parser.add_argument("ref", nargs="?", help="the element, by its reference from observe or find")
    parser.add_argument("--role")
    parser.add_argument("--name")
    parser.add_argument("--scope")
    parser.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE")


def preview(options: argparse.Namespace) -> int:
    asked: dict[str, Any] = {"operation": "act", "actionId": options.action}
    if options.ref:
        asked["target"] = {"by": "instanceId", "value": options.ref}
    elif options.role:
        ref = {"by": "semantic", "role": options.role, "name": options.name, "scope": options.scope}
        asked["target"] = {key: value for key, value in ref.items() if value is not None}
    try:
        asked |= {"args": dict(argument(word) for word in options.arg)} if options.arg else {}
    except ValueError as error:
        print(f"uiap: {error}", file=sys.stderr)
        return 2
    wire = SocketClient(f"{settings.runtime()}/{options.session}.sock", extensions=BOTH)
    decision = wire.ask("uiap.policy.evaluate", asked)["payload"]["decision"]
    if options.json:
        print(json.dumps(decision, indent=2, ensure_ascii=False))
    else:
        rules = ", ".join(decision.get("matchedRules", ()))
        print(f"{decision['effect']}: {decision.get('message', '')}" + (f" ({rules})" if rules else ""))
    return 3 if decision["effect"] == "deny" else 0
