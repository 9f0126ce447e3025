"""`uiap capabilities` and `uiap preview`: the available actions, and what the policy decides about one.

Standard library alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap import settings
from uiap.cli.arguments import typed_arguments
from uiap.cli.socket_client import SocketClient

TOOLS, POLICY = "x.uiap.tools", "uiap.policy"


def capabilities_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", help="only this action, with its arguments")
    parser.add_argument(
        "--bundle", action="store_true", help="print the application's bundle instead, as JSON"
    )
    parser.add_argument("--rules", action="store_true", help="print the policies in force instead, as JSON")


def capabilities(options: argparse.Namespace) -> int:
    extensions = (TOOLS, POLICY) if options.rules else (TOOLS,)
    client = SocketClient(settings.session_socket(options.session), extensions=extensions)
    if options.bundle or options.rules:
        type = "uiap.policy.get" if options.rules else "x.uiap.tools.bundle"
        print(json.dumps(client.ask(type, {})["payload"], indent=2, ensure_ascii=False))
        return 0
    document = client.ask("capabilities.list", {})["payload"]["document"]
    actions = [a for a in document["actions"] if options.action in (None, a["id"])]
    if not actions:
        print(
            f"uiap: `{options.action}` is not an action here; list them with: uiap capabilities",
            file=sys.stderr,
        )
        return 1
    if options.json:
        print(json.dumps(actions[0] if options.action else document, indent=2, ensure_ascii=False))
    else:
        print("\n".join(_action_text(action, long=options.action is not None) for action in actions))
    return 0


def _action_text(action: dict[str, Any], *, long: bool) -> str:
    args = action.get("args", [])
    names = " ".join(f"{a['name']}" + ("" if a.get("required") else "?") for a in args)
    head = f"{action['id']:24} {action.get('title', '')}" + (f"  {{{names}}}" if names else "")
    if not long:
        return head
    return "\n".join([head, *(f"  {a['name']}: {a['type']}  {a.get('description', '')}" for a in args)])


def preview_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", help="ui.activate, ui.enterText, …")
    parser.add_argument("ref", nargs="?", help="the element, by its ref from observe or find")
    parser.add_argument("--role", help="the element, by its role: button, link, textbox, …")
    parser.add_argument("--name", help="and by its name")
    parser.add_argument("--scope", help="only inside this part of the page")
    parser.add_argument(
        "--arg", action="append", default=[], metavar="NAME=VALUE", help="an argument of the action"
    )


def preview(options: argparse.Namespace) -> int:
    query: dict[str, Any] = {"operation": "act", "actionId": options.action}
    if options.ref:
        query["target"] = {"by": "instanceId", "value": options.ref}
    elif options.role:
        ref = {"by": "semantic", "role": options.role, "name": options.name, "scope": options.scope}
        query["target"] = {key: value for key, value in ref.items() if value is not None}
    try:
        query |= {"args": typed_arguments(options, options.arg)} if options.arg else {}
    except ValueError as error:
        print(f"uiap: {error}", file=sys.stderr)
        return 2
    client = SocketClient(settings.session_socket(options.session), extensions=(TOOLS, POLICY))
    decision = client.ask("uiap.policy.evaluate", query)["payload"]["decision"]
    if options.json:
        print(json.dumps(decision, indent=2, ensure_ascii=False))
    else:
        rules = ", ".join(decision.get("matchedRules", ()))
        print(f"{decision['effect']}: {decision.get('message', '')}" + (f" ({rules})" if rules else ""))
    return 3 if decision["effect"] == "deny" else 0
