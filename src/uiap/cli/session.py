"""observe, find, act, close, approve: argv to a local socket to the terminal, on the standard library alone."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from uiap import settings
from uiap.cli import approve as answer
from uiap.cli import capabilities, session_files, windows
from uiap.cli import expect as expecting
from uiap.cli import log as logging
from uiap.cli import trace as tracing
from uiap.cli.expectations import argument, expectation
from uiap.cli.socket_client import RequestRefused, SessionNotOpen, SocketClient

REFUSED = ("policy_denied", "confirmation_denied", "forbidden", "unauthorized")


def main(arguments: Sequence[str]) -> int:
    """One session command; exit codes as in `uiap.cli.main`."""
    options = _parser(arguments[0] if arguments else None).parse_args(list(arguments))
    try:
        return int(options.run(options))
    except SessionNotOpen as error:
        print(f"uiap: {error}", file=sys.stderr)
        return 1
    except RequestRefused as error:
        if options.json:
            print(json.dumps({"error": error.payload}, indent=2, ensure_ascii=False))
        else:
            print(f"uiap: {_about(error)} ({error.payload.get('code')})", file=sys.stderr)
        code = error.payload.get("code")
        return 3 if code in REFUSED else 2 if code == "invalid_payload" else 1
    except TimeoutError:
        print("uiap: the session did not answer in time", file=sys.stderr)
        return 1


def _about(error: RequestRefused) -> str:
    """A member of a message is an option here: it is named without the way to it."""
    detail = error.payload.get("detail") or {}
    if error.payload.get("code") != "invalid_payload" or "path" not in detail:
        return str(error)
    words = [word for word in detail["path"].split("/") if word and not word.isdigit()]
    return f"`{words[-1]}` is not valid: {detail.get('expected', 'see --help')}".replace(
        "Expected", "expected"
    )


class _Parser(argparse.ArgumentParser):
    """Bad input gets one sentence; the usage is asked for with --help."""

    def error(self, message: str) -> NoReturn:
        print(f"uiap: {message}\ntry: {self.prog} --help", file=sys.stderr)
        raise SystemExit(2)


def _parser(only: str | None = None) -> argparse.ArgumentParser:
    """Of one command, because making all of them takes longer than asking the session; of all without a name."""
    parser = _Parser(prog="uiap", formatter_class=_help)
    # with a name of its own it need not format a usage to make one up
    commands = parser.add_subparsers(dest="command", required=True, prog="uiap")
    for name, (run, summary, fill) in COMMANDS.items():
        if only is not None and name != only:
            continue
        one = commands.add_parser(name, help=summary, description=summary, formatter_class=_help)
        one.add_argument(
            "--session", default="default", metavar="NAME", help="which open session (default: default)"
        )
        one.add_argument("--json", action="store_true", help="print one JSON document instead of text")
        fill(one)
        one.set_defaults(run=run)
    return parser


def _help(prog: str) -> argparse.HelpFormatter:
    """Told how wide the terminal is: to find out, argparse loads what takes longer than the rest of a command."""
    try:
        width = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        width = 80
    return argparse.HelpFormatter(prog, width=width - 2)


def _wire(options: argparse.Namespace) -> SocketClient:
    return SocketClient(f"{settings.runtime()}/{options.session}.sock")


def _show(options: argparse.Namespace, payload: Any, text: str) -> None:
    print(json.dumps(payload, indent=2, ensure_ascii=False) if options.json else text)


# -- observe ------------------------------------------------------------------------------------------------


def _observe_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", metavar="REV", help="only what changed since this revision")
    parser.add_argument("--scope", metavar="NAME", help="only this part of the page")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="at most this many tokens")


def observe(options: argparse.Namespace) -> int:
    wire = _wire(options)
    if options.json:
        graph = wire.ask("web.state.get", {})["payload"]["graph"]
        print(json.dumps(graph, indent=2, ensure_ascii=False))
        return 0
    print(_outline(wire, scope=options.scope, since=options.since, budget=options.budget)["text"])
    return 0


def _outline(wire: SocketClient, **asked: Any) -> dict[str, Any]:
    wanted = {name: value for name, value in asked.items() if value is not None}
    payload: dict[str, Any] = wire.ask("x.uiap.tools.outline", wanted)["payload"]
    return payload


# -- find ---------------------------------------------------------------------------------------------------


def _find_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", help="what it says, is called or holds")
    parser.add_argument("--role", help="button, link, textbox, …")
    parser.add_argument("--scope", metavar="NAME", help="only inside this part of the page")
    parser.add_argument("--near", metavar="TEXT", help="only in the row, card or scope that says this")
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument(
        "--scroll", action="store_true", default=None, help="scroll lists for what they have not drawn yet"
    )


def find(options: argparse.Namespace) -> int:
    names = ("text", "role", "scope", "near", "limit", "scroll")
    asked = {name: value for name in names if (value := getattr(options, name)) is not None}
    found = _wire(options).ask("x.uiap.tools.find", asked)["payload"]
    lines = [_found_line(match) for match in found["matches"]]
    _show(options, found, "\n".join(lines) if lines else f"nothing on the page fits `{options.text}`")
    return 0 if lines else 1


def _found_line(match: dict[str, Any]) -> str:
    element = match["element"]
    record = f"  in {match['record']}" if match.get("record") else ""
    name = json.dumps(element.get("name", ""), ensure_ascii=False)
    return f"[{element['instanceId']}] {element['role']} {name}  {match['confidence']:.2f} {match['reason']}{record}"


# -- act ----------------------------------------------------------------------------------------------------


def _act_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", help="ui.activate, ui.enterText, ui.toggle, ui.read, nav.navigate, …")
    parser.add_argument("ref", nargs="?", help="the element, by its reference from observe or find")
    parser.add_argument("--id", dest="stable_id", help="the element, by the app's own stable id")
    parser.add_argument("--role")
    parser.add_argument("--name")
    parser.add_argument("--scope")
    parser.add_argument("--near", metavar="TEXT", help="the one in the row, card or scope that says this")
    parser.add_argument(
        "--arg", action="append", default=[], metavar="NAME=VALUE", help="an argument of the action"
    )
    parser.add_argument(
        "--expect", action="append", default=[], metavar="SIGNAL", help="toast.contains:…, route.changed:…"
    )
    parser.add_argument("--policy", choices=("any", "all", "none"), help="how many expectations must be seen")
    parser.add_argument(
        "--mode",
        action="append",
        default=[],
        help="appAction, semanticUi, externalDriver, inputSynthesis, visionAssist; several in order",
    )
    parser.add_argument(
        "--trace",
        nargs="?",
        const="outline,screenshot",
        metavar="WHAT",
        help="what its trace keeps of the page before and after: outline, screenshot (default: both)",
    )
    parser.add_argument(
        "--present",
        nargs="?",
        const="cursor,outline",
        metavar="HOW",
        help="show a person what is done: cursor, outline or spotlight, slow (default: cursor,outline)",
    )
    parser.add_argument("--say", metavar="TEXT", help="a sentence shown to the person")
    parser.add_argument("--timeout", type=float, metavar="SECONDS")
    parser.add_argument("--key", help="idempotency key")


def act(options: argparse.Namespace) -> int:
    try:
        request = _request(options)
    except ValueError as error:
        print(f"uiap: {error}", file=sys.stderr)
        return 2
    wire = _wire(options)
    if options.near and not (options.ref or options.stable_id):
        picked = _picked(wire, options)
        if picked is None:
            return 1
        request["target"] = {"ref": {"by": "instanceId", "value": picked}}
    handle = wire.ask("action.request", request)["payload"]["actionHandle"]
    try:
        result = _await(wire, handle)
    except KeyboardInterrupt:  # nobody waits for it any more; whether something happened is in its trace
        wire.send("action.cancel", {"actionHandle": handle, "reason": "interrupted"})
        raise
    if options.json:
        print(json.dumps(result, indent=2, ensure_ascii=False))
    else:
        print(_told(result))
        before = result.get("metadata", {}).get("baseRevision")
        if before is not None:
            print(_outline(wire, since=before, budget=400)["text"])
    return _code(result)


def _picked(wire: SocketClient, options: argparse.Namespace) -> str | None:
    """`--near` goes through find: one clear best match, or what was found instead."""
    asked = {"text": options.name or "", "role": options.role, "scope": options.scope, "near": options.near}
    wanted = {name: value for name, value in asked.items() if value is not None}
    found = wire.ask("x.uiap.tools.find", {**wanted, "limit": 5})["payload"]["matches"]
    if not found:
        print(f"uiap: nothing near `{options.near}` fits (target_not_found)", file=sys.stderr)
        return None
    if len(found) > 1 and found[0]["confidence"] - found[1]["confidence"] < 0.1:
        shown = "\n".join(f"  {_found_line(match)}" for match in found)
        print(f"uiap: several fit; say which (target_ambiguous)\n{shown}", file=sys.stderr)
        return None
    return str(found[0]["element"]["instanceId"])


def _request(options: argparse.Namespace) -> dict[str, Any]:
    request: dict[str, Any] = {"actionId": options.action}
    target = _target(options)
    if target:
        request["target"] = target
    if options.arg:
        request["args"] = dict(argument(word) for word in options.arg)
    if options.expect or options.policy:
        signals = [expectation(word) for word in options.expect]
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
    if options.timeout is not None:
        request["timeoutMs"] = options.timeout * 1000
    if options.key:
        request["idempotencyKey"] = options.key
    return request


_HINTS: dict[str, tuple[str, Any]] = {
    "cursor": ("ghostCursor", True),
    "outline": ("highlight", "outline"),
    "spotlight": ("highlight", "spotlight"),
    "slow": ("pace", "humanized"),
}


def _presentation(how: str, words: str | None) -> dict[str, Any]:
    asked = [word for word in how.split(",") if word]
    if unknown := [word for word in asked if word not in _HINTS]:
        raise ValueError(f"`{unknown[0]}` is no way to show it; there are {', '.join(_HINTS)}")
    return dict(_HINTS[word] for word in asked) | ({"narration": words} if words else {})


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


def _await(wire: SocketClient, handle: str) -> dict[str, Any]:
    """The result; a wait for a person is said as soon as it begins."""
    while True:
        said = wire.events.pop(0) if wire.events else wire.next()
        payload: dict[str, Any] = said["payload"]
        if payload.get("actionHandle") != handle:
            continue
        if said["type"] == "action.confirmation.request":
            summary = payload.get("preview", {}).get("summary", payload["actionId"])
            print(f"waiting for a person: {summary}; to answer: uiap approve", file=sys.stderr, flush=True)
        if said["type"] == "action.progress" and payload.get("stage") == "waiting_for_user":
            note = payload.get("note", "")
            print(
                f"in a person's hands: {note}; when it is done: uiap handoff done",
                file=sys.stderr,
                flush=True,
            )
        if said["type"] == "action.result":
            return payload


def _told(result: dict[str, Any]) -> str:
    metadata = result.get("metadata", {})
    if result["status"] == "succeeded":
        if result.get("returnValue") is not None:
            return json.dumps(result["returnValue"], indent=2, ensure_ascii=False)
        why = metadata.get("evidence") or ("it was so already" if metadata.get("outcome") == "no_op" else "")
        return f"succeeded: {why} ({metadata.get('durationMs', 0):.0f} ms)"
    error = result.get("error", {})
    lines = [f"{result['status']}: {error.get('message', '')} ({error.get('code', '')})"]
    lines.append(f"side effect: {result.get('sideEffectState', 'unknown')}")
    for candidate in error.get("detail", {}).get("candidates", []):
        lines.append(
            f'  [{candidate["instanceId"]}] {candidate["role"]} "{candidate["name"]}" {candidate.get("record", "")}'
        )
    return "\n".join(lines)


def _code(result: dict[str, Any]) -> int:
    if result["status"] == "succeeded":
        return 0
    error = result.get("error", {})
    denied = error.get("detail", {}).get("reason") == "policy_denied"
    return 3 if denied or error.get("code") in REFUSED else 1


# -- cancel -------------------------------------------------------------------------------------------------


def _cancel_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("handle", help="the action, e.g. from: uiap approve --list")
    parser.add_argument("--reason", help="kept with its result")


def cancel(options: argparse.Namespace) -> int:
    asked = {"actionHandle": options.handle, "reason": options.reason}
    wanted = {name: value for name, value in asked.items() if value is not None}
    told = _wire(options).ask("action.cancel", wanted)["payload"]
    _show(options, told, f"given up; what came of it: uiap trace show {options.handle}")
    return 0


# -- screenshot ---------------------------------------------------------------------------------------------


def _screenshot_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="where to write the PNG")
    parser.add_argument("--refs", action="store_true", help="draw the references of the controls on it")


def screenshot(options: argparse.Namespace) -> int:
    from base64 import b64decode
    from pathlib import Path

    asked = {"annotated": True} if options.refs else {}
    shot = _wire(options).ask("x.uiap.tools.capture", asked)["payload"]
    try:
        Path(options.file).write_bytes(b64decode(shot["data"]))
    except OSError as error:
        print(f"uiap: cannot write `{options.file}`: {error.strerror}", file=sys.stderr)
        return 1
    _show(options, {"file": options.file}, f"written: {options.file}")
    return 0


# -- close --------------------------------------------------------------------------------------------------


def close(options: argparse.Namespace) -> int:
    from uiap.cli.resident_process import end

    ended = end(options.session)
    _show(options, {"closed": ended}, "closed" if ended else f"no session `{options.session}` is open")
    return 0


Filled = tuple[Callable[[argparse.Namespace], int], str, Callable[[argparse.ArgumentParser], None]]
COMMANDS: dict[str, Filled] = {
    "observe": (observe, "What is on the page, as a model reads it.", _observe_options),
    "find": (find, "Elements that fit a text, best first.", _find_options),
    "act": (act, "Act, and report success only if its effect was observed.", _act_options),
    "cancel": (cancel, "Give up an action that is under way.", _cancel_options),
    "approve": (
        answer.approve,
        "Answer, as the person, what waits for a confirmation.",
        answer.approve_options,
    ),
    "handoff": (
        answer.handoff,
        "Say, as the person, how a step went that was left to you.",
        answer.handoff_options,
    ),
    "expect": (
        expecting.expect,
        "Are these signals seen? Since a revision, or as it is.",
        expecting.expect_options,
    ),
    "wait": (
        expecting.wait,
        "Wait for a change, for signals, or until nothing loads.",
        expecting.wait_options,
    ),
    "log": (
        logging.log,
        "What the application wrote and requested of late.",
        logging.log_options,
    ),
    "trace": (
        tracing.trace,
        "What an action caused, and what only happened beside it.",
        tracing.trace_options,
    ),
    "screenshot": (
        screenshot,
        "A picture of the page, with references on it if wanted.",
        _screenshot_options,
    ),
    "tabs": (windows.tabs, "List the tabs, or open, show or close one.", windows.tabs_options),
    "dialog": (windows.dialog, "Look at the page's own dialog, or answer it.", windows.dialog_options),
    "downloads": (
        session_files.downloads,
        "What was downloaded into the folder you declared.",
        session_files.downloads_options,
    ),
    "state": (
        session_files.state,
        "Keep who is logged in under a name, or be so again.",
        session_files.state_options,
    ),
    "capabilities": (
        capabilities.capabilities,
        "What can be done here, and with which arguments.",
        capabilities.capabilities_options,
    ),
    "preview": (
        capabilities.preview,
        "What the rules would say to an action, without doing it.",
        capabilities.preview_options,
    ),
    "close": (close, "End an open session and its browser.", lambda _parser: None),
}
