"""`uiap expect` and `uiap wait`: check signals or wait, without acting. Standard library alone."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from uiap import settings
from uiap.cli.acting import WAITS, print_options, report_result
from uiap.cli.socket_client import SocketClient
from uiap.client.signal_words import signal_of
from uiap.timeouts import EXPECT_MS, REPLY_S, WAIT_MS

SURE_TEXT = 0.5
"""The least match level of a text that is waited for; below it, only some of the words are there."""


def _connect(options: argparse.Namespace) -> SocketClient:
    timeout_s = (options.timeout or 0.0) + REPLY_S
    return SocketClient(settings.session_socket(options.session), timeout=timeout_s)


def _signals(words: list[str]) -> list[dict[str, Any]] | None:
    try:
        return [signal_of(word) for word in words]
    except ValueError as error:
        print(f"uiap: {error}", file=sys.stderr)
        return None


def _query(options: argparse.Namespace, **more: Any) -> dict[str, Any]:
    query = {"since": options.since, **more}
    if options.timeout is not None:
        query["timeoutMs"] = options.timeout * 1000
    return {name: value for name, value in query.items() if value is not None}


def expect_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "signals", nargs="+", metavar="SIGNAL", help="toast.contains:…, route.changed:…, JSON"
    )
    parser.add_argument(
        "--since",
        metavar="REV",
        help="count only what happened after this revision (default: the page as it is)",
    )
    parser.add_argument("--any", action="store_true", help="one of the signals is enough")
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help=f"wait at most this long (default: {EXPECT_MS // 1000})",
    )


def expect(options: argparse.Namespace) -> int:
    signals = _signals(options.signals)
    if signals is None:
        return 2
    query = _query(options, signals=signals, policy="any" if options.any else "all")
    reply = _connect(options).ask("x.uiap.tools.expect", query)["payload"]
    if options.json:
        print(json.dumps(reply, indent=2, ensure_ascii=False))
    else:
        for verdict in reply["verdicts"]:
            already = " (already)" if verdict.get("already") else ""
            print(f"{'observed' if verdict['holds'] else 'missing '} {verdict['signal']['kind']}{already}")
        print(
            f"{'passed' if reply['passed'] else 'failed'} at {reply['revision']} ({reply['elapsedMs']:.0f} ms)"
        )
    return 0 if reply["passed"] else 1


def wait_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "signals",
        nargs="*",
        metavar="SIGNAL",
        help='until these are observed; or `text "Saved"`; or `action [HANDLE]` (default: until any change)',
    )
    parser.add_argument(
        "--since", metavar="REV", help="count changes since this revision, also those that already happened"
    )
    parser.add_argument("--idle", action="store_true", help="until nothing is loading")
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help=f"wait at most this long (default: {WAIT_MS // 1000})",
    )
    print_options(parser)


def wait(options: argparse.Namespace) -> int:
    first, rest = (options.signals[:1] or [""])[0], options.signals[1:]
    if first == "text":
        return wait_for_text(options, " ".join(rest))
    if first == "action":
        return wait_for_action(options, rest)
    signals = _signals(options.signals)
    if signals is None:
        return 2
    query = _query(options, until=signals or None, idle=options.idle or None)
    reply = _connect(options).ask("x.uiap.tools.wait", query)["payload"]
    if options.json:
        print(json.dumps(reply, indent=2, ensure_ascii=False))
    elif reply["done"]:
        print(reply.get("changes") or f"nothing is loading; {reply['revision']}")
    else:
        print(f"timed out: {reply.get('reason', '')} ({reply['elapsedMs']:.0f} ms)", file=sys.stderr)
    return 0 if reply["done"] else 1


def wait_for_text(options: argparse.Namespace, text: str) -> int:
    """Wait until a text is on the page; search again after every change."""
    if not text:
        print('uiap: write the text to wait for: uiap wait text "Saved"', file=sys.stderr)
        return 2
    client = _connect(options)
    left_s = options.timeout if options.timeout is not None else WAIT_MS / 1000
    deadline = time.monotonic() + left_s
    while True:
        found = client.ask("x.uiap.tools.find", {"text": text, "limit": 1})["payload"]
        sure = [one for one in found["matches"] if one["confidence"] * _alike(one["reason"]) >= SURE_TEXT]
        left_ms = (deadline - time.monotonic()) * 1000
        if sure or left_ms <= 0:
            break
        client.ask("x.uiap.tools.wait", {"since": found["revision"], "timeoutMs": left_ms})
    if options.json:
        print(json.dumps({"found": bool(sure), "matches": sure}, indent=2, ensure_ascii=False))
    elif sure:
        element = sure[0]["element"]
        shown = json.dumps(element.get("name") or element.get("text", ""), ensure_ascii=False)
        print(f"[{element['instanceId']}] {element['role']} {shown}; {found['revision']}")
    else:
        print(f"timed out: `{text}` is not on the page", file=sys.stderr)
    return 0 if sure else 1


def _alike(reason: str) -> int:
    """Return how many elements matched equally well, because they share the confidence."""
    count = reason.rpartition("one of ")[2].removesuffix(" alike").replace(",", "")
    return int(count) if count.isdigit() else 1


def _still(stage: str, handle: str) -> str:
    """Return what an action without a result waits for, and what comes next."""
    if stage == "awaiting_confirmation":
        return f"waiting: a person has to confirm it; they answer with: uiap approve {handle}"
    if stage == "waiting_for_user":
        return f"waiting: a person has to do it; when it is done they report: uiap handoff done {handle}"
    return f"waiting: it is {stage.replace('_', ' ')}; ask again, or end it with: uiap cancel {handle}"


def wait_for_action(options: argparse.Namespace, words: list[str]) -> int:
    """Wait for the result of an action that waited for a person."""
    timeout_ms = (options.timeout if options.timeout is not None else WAIT_MS / 1000) * 1000
    client = _connect(options)
    query: dict[str, Any] = {"timeoutMs": timeout_ms}
    if words:
        query["actionHandle"] = words[0]
    reply = client.ask("x.uiap.tools.result", query)["payload"]
    if "result" in reply:
        return report_result(options, client, reply["result"])
    if options.json:
        print(json.dumps(reply, indent=2))
    else:
        print(_still(reply.get("stage", ""), reply["actionHandle"]))
    return WAITS
