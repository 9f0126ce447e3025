"""The verbs as commands: `uiap click "Create video"`, `uiap fill Title "Hello"`, … Standard library alone.

Options and help come from the table in `uiap.client.verbs`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from uiap.cli.acting import ActionCall, answer_options, exit_code, perform, report_waiting
from uiap.cli.socket_client import SocketClient
from uiap.client.signal_words import signal_of
from uiap.client.verbs import VERBS, Verb, VerbError, action_request, element_ref
from uiap.graph.picking import is_clear_best

SEVERAL = ("texts", "files")


def verb_options(parser: argparse.ArgumentParser, name: str) -> None:
    verb = VERBS[name]
    _positionals(parser, name, verb)
    if verb.target != "none":
        parser.add_argument("--role", help="only an element with this role: button, link, textbox, …")
        parser.add_argument("--near", metavar="TEXT", help="only in the row, card or section with this text")
        parser.add_argument("--within", metavar="PART", help="only inside this form, dialog or region")
    if name == "fill":
        parser.add_argument("--secret", metavar="NAME", help="type this named secret instead of TEXT")
    if name == "invoke":
        parser.add_argument("args", nargs="*", metavar="NAME=VALUE", help="arguments of the action")
    answer_options(parser)
    parser.set_defaults(verb=name)


def _positionals(parser: argparse.ArgumentParser, name: str, verb: Verb) -> None:
    target = ("target", "the element: its name in quotes, or its ref from observe or find")
    several = verb.kind in SEVERAL
    optional = verb.value == "optional" or name == "fill"
    count = ("*" if optional else "+") if several else ("?" if optional else None)
    if name == "press":  # the key comes first, because the target is optional
        parser.add_argument("value", metavar=verb.word, help="Enter, a, Control+Shift+K, …")
    if verb.target != "none":
        parser.add_argument(target[0], nargs="?" if verb.target == "optional" else None, help=target[1])
    if verb.value != "none" and name != "press":
        parser.add_argument("value", nargs=count, metavar=verb.word)


def run_verb(options: argparse.Namespace) -> int:
    try:
        request = _request(options)
    except ValueError as error:
        print(f"uiap: {error}", file=sys.stderr)
        return 2
    if VERBS[options.verb].returns:
        return _read(options, request)
    return perform(options, request)


def _request(options: argparse.Namespace) -> dict[str, Any]:
    verb = VERBS[options.verb]
    given = {name: getattr(options, name, None) for name in ("role", "near", "within")}
    value = getattr(options, "value", None)
    if getattr(options, "secret", None):
        value = {"secret": options.secret}
    args = {"args": _members(options.args)} if getattr(options, "args", None) else {}
    target = getattr(options, "target", None)
    if verb.kind == "element" and value is not None and element_ref(value) is None:
        value = find_ref(options, value)
    if verb.kind == "files":
        value = [absolute(one) for one in value or ()]
    request = action_request(
        options.verb, target, value or None if value == [] else value, args=args, **given
    )
    if options.expect:
        signals = [signal_of(word) for word in options.expect]
        request["verification"] = {"policy": "all", "signals": signals}
    if options.key:
        request["idempotencyKey"] = options.key
    return request


def absolute(file: str) -> str:
    """Return the path as the session finds it: a file of this folder by its whole path."""
    return os.path.abspath(file) if os.path.exists(file) else file  # noqa: PTH100, PTH110 (pathlib is slow to import)


def _members(words: list[str]) -> dict[str, Any]:
    members = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise VerbError(f"`{word}` is not an argument; write name=value")
        members[name] = value
    return members


def find_ref(options: argparse.Namespace, words: str) -> str:
    """Return the ref of an element that is an argument, such as the place to drop something on."""
    from uiap.cli.acting import connect

    client: SocketClient = connect(options)
    found = client.ask("x.uiap.tools.find", {"text": words, "limit": 5})["payload"]["matches"]
    client.close()
    if not found:
        raise VerbError(f"no element matches `{words}`; name it by its ref from: uiap observe")
    if not is_clear_best([one["confidence"] for one in found]):
        names = ", ".join(f"{one['element']['instanceId']} {one['element'].get('name', '')}" for one in found)
        raise VerbError(f"several elements match `{words}`: {names}; name one by its ref")
    return str(found[0]["element"]["instanceId"])


def _read(options: argparse.Namespace, request: dict[str, Any]) -> int:
    """Print the value that was read, or the rows of a table as lines."""
    call = ActionCall(options)
    result = call.run(request)
    if result is None:
        return report_waiting(options, call.waiting or {})
    if result["status"] != "succeeded":
        from uiap.cli.acting import report_result

        return report_result(options, call.client, result)
    value = result.get("returnValue", {})
    value = value.get(VERBS[options.verb].returns, value)
    print(json.dumps(value, indent=2, ensure_ascii=False) if options.json else read_text(value))
    return exit_code(result)


def read_text(value: Any) -> str:
    """Return the value that a verb read, as text: rows as lines, a state as JSON."""
    if isinstance(value, str):
        return value
    return _table_text(value) if isinstance(value, list) else json.dumps(value, indent=2, ensure_ascii=False)


def _table_text(rows: list[dict[str, str]]) -> str:
    """Return rows as lines with ` | ` between the cells, the names of the columns first."""
    if not rows:
        return "no rows"
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = [" | ".join(columns)] if columns != ["text"] else []
    return "\n".join([*lines, *(" | ".join(row.get(name, "") for name in columns) for row in rows)])
