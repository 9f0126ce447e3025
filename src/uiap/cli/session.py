"""The session commands: parse the arguments, ask the resident session over its socket, print the reply.

Standard library alone, so that a command starts fast. This module holds observe, find, act, cancel, screenshot and
close; the command table names the modules of the others.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from uiap.cli.acting import REFUSED, answer_options, connect, perform
from uiap.cli.arguments import typed_arguments
from uiap.cli.command_table import COMMANDS, SESSION_COMMANDS
from uiap.cli.socket_client import RequestRefused, SessionNotOpen, SocketClient
from uiap.client.looks import match_line
from uiap.client.signal_words import signal_of
from uiap.errors import Unavailable
from uiap.graph.picking import is_clear_best
from uiap.settings import session_name


def main(arguments: Sequence[str]) -> int:
    """Run one session command; exit codes as in `uiap.cli.main`."""
    options = session_parser(arguments[0] if arguments else None).parse_args(list(arguments))
    try:
        return int(options.run(options))
    except (SessionNotOpen, Unavailable) as error:
        print(f"uiap: {error}", file=sys.stderr)
        return 1
    except RequestRefused as error:
        if options.json:
            print(json.dumps({"error": error.payload}, indent=2, ensure_ascii=False))
        else:
            print(f"uiap: {_describe(error)} ({error.payload.get('code')})", file=sys.stderr)
        code = error.payload.get("code")
        return 3 if code in REFUSED else 2 if code == "invalid_payload" else 1
    except TimeoutError:
        print(
            "uiap: the session did not answer in time; try again, or end it with: uiap close", file=sys.stderr
        )
        return 1


def _describe(error: RequestRefused) -> str:
    """Return the message; a member of the payload is called by its last name, because that is the option here."""
    detail = error.payload.get("detail") or {}
    if error.payload.get("code") != "invalid_payload" or "path" not in detail:
        return str(error)
    words = [word for word in detail["path"].split("/") if word and not word.isdigit()]
    return f"`{words[-1]}` is not valid: {detail.get('expected', 'see --help')}".replace(
        "Expected", "expected"
    )


class _Parser(argparse.ArgumentParser):
    """Reports bad input in one sentence and leaves the usage to --help."""

    def error(self, message: str) -> NoReturn:
        print(f"uiap: {message}\ntry: {self.prog} --help", file=sys.stderr)
        raise SystemExit(2)


def session_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of one command, or of all without a name.

    Building all of them takes longer than asking the session.
    """
    prog = "uiap" if only is None else f"uiap {only}"  # of a message about words that no option takes
    parser = _Parser(prog=prog, formatter_class=_help_formatter)
    # a given prog spares argparse from formatting a usage to derive one
    commands = parser.add_subparsers(dest="command", required=True, prog="uiap")
    for name in SESSION_COMMANDS if only is None else (only,):
        entry = COMMANDS[name]
        module = importlib.import_module(entry.module)
        one = commands.add_parser(
            name, help=entry.summary, description=entry.summary, formatter_class=_help_formatter
        )
        one.add_argument(
            "--session", default=session_name(), metavar="NAME", help="which open session (default: default)"
        )
        one.add_argument("--json", action="store_true", help="print one JSON document instead of text")
        if entry.verb:
            module.verb_options(one, entry.verb)
        else:
            getattr(module, f"{name}_options")(one)
        one.set_defaults(run=module.run_verb if entry.verb else getattr(module, name))
    return parser


def _help_formatter(prog: str) -> argparse.HelpFormatter:
    """Return a formatter that knows the terminal's width: argparse imports shutil to ask, which is slow."""
    try:
        width = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        width = 80
    return argparse.HelpFormatter(prog, width=width - 2)


def _print(options: argparse.Namespace, payload: Any, text: str) -> None:
    print(json.dumps(payload, indent=2, ensure_ascii=False) if options.json else text)


# -- observe ------------------------------------------------------------------------------------------------


def observe_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", metavar="REV", help="only what changed since this revision")
    parser.add_argument("--scope", metavar="NAME", help="only this part of the page")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="at most this many tokens")


def observe(options: argparse.Namespace) -> int:
    client = connect(options)
    if options.json:
        graph = client.ask("web.state.get", {})["payload"]["graph"]
        print(json.dumps(graph, indent=2, ensure_ascii=False))
        return 0
    print(_outline(client, scope=options.scope, since=options.since, budget=options.budget)["text"])
    return 0


def _outline(client: SocketClient, **options: Any) -> dict[str, Any]:
    given = {name: value for name, value in options.items() if value is not None}
    payload: dict[str, Any] = client.ask("x.uiap.tools.outline", given)["payload"]
    return payload


# -- find ---------------------------------------------------------------------------------------------------


def find_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", help="text, name or value of the element")
    parser.add_argument("--role", help="button, link, textbox, …")
    parser.add_argument("--scope", metavar="NAME", help="only inside this part of the page")
    parser.add_argument("--near", metavar="TEXT", help="only in the row, card or scope with this text")
    parser.add_argument("--limit", type=int, default=10, help="at most this many matches (default: 10)")
    parser.add_argument(
        "--scroll", action="store_true", default=None, help="also scroll lists that draw their rows on demand"
    )


def find(options: argparse.Namespace) -> int:
    names = ("text", "role", "scope", "near", "limit", "scroll")
    query = {name: value for name in names if (value := getattr(options, name)) is not None}
    found = connect(options).ask("x.uiap.tools.find", query)["payload"]
    lines = [match_line(match) for match in found["matches"]]
    nothing = f"no element matches `{options.text}`; try fewer words, or: uiap observe"
    _print(options, found, "\n".join(lines) or nothing)
    return 0 if lines else 1


# -- act ----------------------------------------------------------------------------------------------------


def act_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", help="ui.activate, ui.enterText, ui.toggle, ui.read, nav.navigate, …")
    parser.add_argument("ref", nargs="?", help="the element, by its ref from observe or find")
    parser.add_argument("--id", dest="stable_id", help="the element, by the application's own stable id")
    parser.add_argument("--role", help="the element, by its role: button, link, textbox, …")
    parser.add_argument("--name", help="and by its name")
    parser.add_argument("--scope", help="only inside this part of the page")
    parser.add_argument("--near", metavar="TEXT", help="the element in the row, card or scope with this text")
    parser.add_argument(
        "--arg", action="append", default=[], metavar="NAME=VALUE", help="an argument of the action"
    )
    parser.add_argument(
        "--policy",
        choices=("any", "all", "none"),
        help="how many expectations must be observed (default: all)",
    )
    parser.add_argument(
        "--mode",
        action="append",
        default=[],
        help="appAction, semanticUi, externalDriver, inputSynthesis or visionAssist; repeat it for several",
    )
    parser.add_argument(
        "--trace",
        nargs="?",
        const="outline,screenshot",
        metavar="WHAT",
        help="record the page before and after in the trace: outline, screenshot (default: both)",
    )
    parser.add_argument(
        "--present",
        nargs="?",
        const="cursor,outline",
        metavar="HOW",
        help="show a person the action: cursor, outline or spotlight, slow (default: cursor,outline)",
    )
    parser.add_argument("--say", metavar="TEXT", help="show the person this sentence")
    answer_options(parser, part="--only")


def act(options: argparse.Namespace) -> int:
    try:
        request = _request(options)
    except ValueError as error:
        print(f"uiap: {error}", file=sys.stderr)
        return 2
    if options.near and not (options.ref or options.stable_id):
        picked = _pick_near(connect(options), options)
        if picked is None:
            return 1
        request["target"] = {"ref": {"by": "instanceId", "value": picked}}
    return perform(options, request)


def _pick_near(client: SocketClient, options: argparse.Namespace) -> str | None:
    """Return the ref of the one clear best match of `--near`, or None after printing why there is none."""
    query = {"text": options.name or "", "role": options.role, "scope": options.scope, "near": options.near}
    given = {name: value for name, value in query.items() if value is not None}
    found = client.ask("x.uiap.tools.find", {**given, "limit": 5})["payload"]["matches"]
    if not found:
        print(
            f"uiap: no element near `{options.near}` matches; try fewer words (target_not_found)",
            file=sys.stderr,
        )
        return None
    if not is_clear_best([match["confidence"] for match in found]):
        candidates = "\n".join(f"  {match_line(match)}" for match in found)
        print(
            f"uiap: several elements match; name one by its ref (target_ambiguous)\n{candidates}",
            file=sys.stderr,
        )
        return None
    return str(found[0]["element"]["instanceId"])


def _request(options: argparse.Namespace) -> dict[str, Any]:
    request: dict[str, Any] = {"actionId": options.action}
    target = _target(options)
    if target:
        request["target"] = target
    if options.arg:
        request["args"] = typed_arguments(options, options.arg)
    if options.expect or options.policy:
        signals = [signal_of(word) for word in options.expect]
        request["verification"] = {
            "policy": options.policy or "all",
            **({"signals": signals} if signals else {}),
        }
    if options.mode:
        request["preferredExecutionModes"] = options.mode
    if options.present or options.say:
        request["presentation"] = _presentation(options.present or "", options.say)
    if options.trace:
        request["metadata"] = {"trace": [word for word in options.trace.split(",") if word]}
    if options.key:
        request["idempotencyKey"] = options.key
    return request


_HINTS: dict[str, tuple[str, Any]] = {
    "cursor": ("ghostCursor", True),
    "outline": ("highlight", "outline"),
    "spotlight": ("highlight", "spotlight"),
    "slow": ("pace", "humanized"),
}


def _presentation(how: str, narration: str | None) -> dict[str, Any]:
    names = [name for name in how.split(",") if name]
    if unknown := [name for name in names if name not in _HINTS]:
        raise ValueError(f"`{unknown[0]}` is not a way to show an action; use {', '.join(_HINTS)}")
    return dict(_HINTS[name] for name in names) | ({"narration": narration} if narration else {})


def _target(options: argparse.Namespace) -> dict[str, Any]:
    if options.ref or options.stable_id:
        by, value = ("instanceId", options.ref) if options.ref else ("stableId", options.stable_id)
        target: dict[str, Any] = {"ref": {"by": by, "value": value}}
        for member, given in (("expectedRole", options.role), ("expectedName", options.name)):
            if given:
                target[member] = given
        return target
    if not options.role:
        return {}
    ref = {"by": "semantic", "role": options.role, "name": options.name, "scope": options.scope}
    return {"ref": {key: value for key, value in ref.items() if value is not None}}


# -- cancel -------------------------------------------------------------------------------------------------


def cancel_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("handle", nargs="?", help="the action (default: the latest that waits)")
    parser.add_argument("--reason", help="recorded with its result")


def cancel(options: argparse.Namespace) -> int:
    client = connect(options)
    handle = options.handle or client.ask("x.uiap.tools.result", {"timeoutMs": 0})["payload"]["actionHandle"]
    members = {"actionHandle": handle, "reason": options.reason}
    payload = {name: value for name, value in members.items() if value is not None}
    reply = client.ask("action.cancel", payload)["payload"]
    _print(options, reply, f"cancelled; see what happened with: uiap trace show {handle}")
    return 0


# -- screenshot ---------------------------------------------------------------------------------------------


def screenshot_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="where to write the PNG")
    parser.add_argument("--refs", action="store_true", help="draw the refs of the controls on it")


def screenshot(options: argparse.Namespace) -> int:
    from base64 import b64decode
    from pathlib import Path

    payload = {"annotated": True} if options.refs else {}
    shot = connect(options).ask("x.uiap.tools.capture", payload)["payload"]
    try:
        Path(options.file).write_bytes(b64decode(shot["data"]))
    except OSError as error:
        print(f"uiap: cannot write `{options.file}`: {error.strerror}", file=sys.stderr)
        return 1
    _print(options, {"file": options.file}, f"written: {options.file}")
    return 0


# -- close --------------------------------------------------------------------------------------------------


def close_options(_parser: argparse.ArgumentParser) -> None:
    """Add nothing: --session is enough."""


def close(options: argparse.Namespace) -> int:
    from uiap.cli.resident_process import end

    ended = end(options.session)
    _print(options, {"closed": ended}, "closed" if ended else f"no session `{options.session}` is open")
    return 0
