"""Send an action from the shell, wait for its result, and print what it changed. Standard library alone.

A command never waits for a person: it prints the handle and how to answer, and ends with exit code 4. `uiap wait action
HANDLE` continues. `--timeout` bounds everything, and SIGTERM cancels the action and withdraws its question.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from typing import Any

from uiap import settings
from uiap.cli.socket_client import SocketClient
from uiap.client.looks import Look, look_result
from uiap.client.way_forward import way_forward
from uiap.timeouts import ACTION_MS, REPLY_S

REFUSED = ("policy_denied", "confirmation_denied", "forbidden", "unauthorized")
CHANGE_TOKENS = 400
GRACE_S = 0.7
"""How long a result may arrive after the timeout, which the session itself keeps."""
WAITS = 4
"""The exit code of a command whose action waits for a person."""


class Interrupted(Exception):
    """SIGTERM arrived."""


class TimeIsOver(Exception):
    """The time of `--timeout` is over."""


def connect(options: argparse.Namespace, timeout_s: float | None = None) -> SocketClient:
    path = settings.session_socket(options.session)
    return SocketClient(path) if timeout_s is None else SocketClient(path, timeout=timeout_s)


def answer_options(parser: argparse.ArgumentParser, part: str = "--scope") -> None:
    """Add the options that every verb and `act` have in common; `part` is the option that limits what is printed."""
    parser.add_argument(
        "--expect",
        action="append",
        default=[],
        metavar="SIGNAL",
        help="an effect that must be observed: toast.contains:…, route.changed:…",
    )
    parser.add_argument("--key", help="idempotency key")
    parser.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="end after this long, with or without a result"
    )
    parser.add_argument(
        "--wait", type=float, metavar="SECONDS", help="wait this long for a person (default: do not wait)"
    )
    print_options(parser, part)


def print_options(parser: argparse.ArgumentParser, part: str = "--scope") -> None:
    """Add the options that limit what a command prints of the page."""
    parser.add_argument(
        "--budget", type=int, metavar="TOKENS", help=f"print at most this much (default: {CHANGE_TOKENS})"
    )
    parser.add_argument(
        part, dest="only", metavar="PART", help="print only this part of the page: a name or a ref"
    )
    parser.add_argument("--quiet", action="store_true", help="print the outcome, not the changes")


class ActionCall:
    """One action: its request, its events and its result."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        timeout = options.timeout
        self._deadline = time.monotonic() + timeout + GRACE_S if timeout is not None else None
        limit_s = timeout if timeout is not None else ACTION_MS / 1000 + REPLY_S + (options.wait or 0.0)
        self.client = connect(options, limit_s + 1.0)
        self.handle: str | None = None
        self.waiting: dict[str, Any] | None = None

    def run(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """Return the result, or None if the action waits for a person; `waiting` then says for what."""
        if self._options.timeout is not None:
            request = {**request, "timeoutMs": self._options.timeout * 1000}
        previous = signal.signal(signal.SIGTERM, _interrupt)
        try:
            self.handle = self.client.ask("action.request", request)["payload"]["actionHandle"]
            return self._result()
        except (KeyboardInterrupt, Interrupted, TimeIsOver, TimeoutError) as error:
            self._cancel(error)
            raise
        finally:
            signal.signal(signal.SIGTERM, previous)

    def look(self, look: Look) -> dict[str, Any]:
        """Return the result of a step that only looks; the time that is left bounds it too."""
        members = dict(look.members)
        if self._deadline is not None:
            left_s = self._deadline - time.monotonic()
            if left_s <= 0:
                raise TimeIsOver
            self.client.set_timeout(left_s + GRACE_S)
            if "timeoutMs" in members:
                members["timeoutMs"] = min(members["timeoutMs"], max(left_s - GRACE_S, 0.0) * 1000)
        return look_result(look, self.client.ask(look.message, members)["payload"])

    def _result(self) -> dict[str, Any] | None:
        while True:
            event = self.client.events.pop(0) if self.client.events else self._next()
            payload: dict[str, Any] = event["payload"]
            if payload.get("actionHandle") != self.handle:
                continue
            if event["type"] == "action.result":
                return payload
            if (waiting := _waiting(event)) is not None:
                self.waiting = waiting
                if not self._options.wait:
                    self.keep()
                    return None
                print(f"{waiting['text']}; {waiting['answer']}", file=sys.stderr, flush=True)
                self._deadline = min(self._deadline or float("inf"), time.monotonic() + self._options.wait)

    def _next(self) -> dict[str, Any]:
        if self._deadline is None:
            return self.client.next()
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeIsOver
        self.client.set_timeout(left)
        try:
            return self.client.next()
        except TimeoutError:
            raise TimeIsOver from None

    def keep(self) -> None:
        """Let the action wait on, after this command has ended."""
        self.client.set_timeout(REPLY_S)
        self.client.ask("x.uiap.tools.result", {"actionHandle": self.handle, "keep": True})

    def _cancel(self, error: BaseException) -> None:
        if self.handle is None:
            return
        if isinstance(error, TimeIsOver) and self.waiting is not None and self._options.timeout is None:
            self.keep()
        else:
            self.client.send("action.cancel", {"actionHandle": self.handle, "reason": "interrupted"})


def _interrupt(_number: int, _frame: object) -> None:
    raise Interrupted


def _waiting(event: dict[str, Any]) -> dict[str, Any] | None:
    """Return what an event of an action waits for, and how a person answers; None for other events."""
    payload, handle = event["payload"], event["payload"]["actionHandle"]
    if event["type"] == "action.confirmation.request":
        summary = payload.get("preview", {}).get("summary", payload["actionId"])
        text, answer = f"a person has to confirm: {summary}", f"they answer with: uiap approve {handle}"
        return {"action": handle, "for": "confirmation", "text": text, "answer": answer}
    if event["type"] == "action.progress" and payload.get("stage") == "waiting_for_user":
        if payload.get("detail", {}).get("waitsFor") == "dialog":
            text = f"a person has to answer: {payload.get('note', '')}"
            return {
                "action": handle,
                "for": "dialog",
                "text": text,
                "answer": "they answer with: uiap approve",
            }
        text = f"a person has to do this: {payload.get('note', '')}"
        answer = f"when it is done they report: uiap handoff done {handle}"
        return {"action": handle, "for": "handoff", "text": text, "answer": answer}
    return None


def perform(options: argparse.Namespace, request: dict[str, Any]) -> int:
    """Run one action and print it; return the exit code of the command."""
    call = ActionCall(options)
    try:
        result = call.run(request)
    except (TimeIsOver, TimeoutError):
        return report_timeout(options, call)
    except Interrupted:
        print("uiap: cancelled by SIGTERM", file=sys.stderr)
        return 143
    if result is None:
        return report_waiting(options, call.waiting or {})
    return report_result(options, call.client, result)


def report_timeout(options: argparse.Namespace, call: ActionCall) -> int:
    if call.waiting is not None and options.timeout is None:
        return report_waiting(options, call.waiting)
    print(
        f"uiap: no result within {options.timeout or ACTION_MS / 1000:g} s; the action was cancelled; "
        f"see what happened with: uiap trace show {call.handle}",
        file=sys.stderr,
    )
    return 1


def report_waiting(options: argparse.Namespace, waiting: dict[str, Any]) -> int:
    """Print what waits for a person, how to answer, and how to go on."""
    session = "" if options.session == "default" else f" --session {options.session}"
    then = f"uiap wait action {waiting['action']}{session}"
    if waiting.get("for") == "dialog":
        then = f"uiap observe{session}"
    if options.json:
        print(json.dumps({"waiting": {**waiting, "then": then}}, indent=2, ensure_ascii=False))
    else:
        print(f"waiting: {waiting['text']}\n{waiting['answer']}{session}\nthen: {then}")
    return WAITS


def report_result(options: argparse.Namespace, client: SocketClient, result: dict[str, Any]) -> int:
    if options.json:
        print(json.dumps(result, indent=2, ensure_ascii=False))
        return exit_code(result)
    print(result_text(result))
    base = result.get("metadata", {}).get("baseRevision")
    if base is not None and not options.quiet:
        print(changes(client, options, base))
    return exit_code(result)


def changes(client: SocketClient, options: argparse.Namespace, base: str) -> str:
    """Return the changes of the page since a revision, or the part that `--only` names."""
    client.set_timeout(REPLY_S)
    budget = options.budget or CHANGE_TOKENS
    query = {"scope": options.only} if options.only else {"since": base}
    return str(client.ask("x.uiap.tools.outline", {**query, "budget": budget})["payload"]["text"])


def result_text(result: dict[str, Any]) -> str:
    """Return the outcome as text; a failure begins with its reason."""
    metadata = result.get("metadata", {})
    if metadata.get("replayed"):
        first = {**result, "metadata": {**metadata, "replayed": False}}
        original = metadata.get("originalHandle", "")
        return f"replayed: nothing was done now; this is the result of {original}\n{result_text(first)}"
    if result["status"] == "succeeded":
        if result.get("returnValue") is not None:
            return json.dumps(result["returnValue"], indent=2, ensure_ascii=False)
        evidence = metadata.get("evidence") or (
            "nothing to do: the state was already as requested" if metadata.get("outcome") == "no_op" else ""
        )
        pending = ", ".join(metadata.get("pending", ()))
        unsettled = f"; not settled: {pending} may still change it" if pending else ""
        return f"succeeded: {evidence} ({metadata.get('durationMs', 0):.0f} ms){unsettled}"
    error = result.get("error", {})
    lines = [f"{reason_of(result)}: {error.get('message', '')}"]
    lines.append(f"side effect: {result.get('sideEffectState', 'unknown')}")
    if forward := way_forward(reason_of(result), error.get("detail") or {}):
        lines.append(f"next: {forward}")
    lines += map(_candidate_line, error.get("detail", {}).get("candidates", []))
    return "\n".join(lines)


def _candidate_line(candidate: dict[str, Any]) -> str:
    record = f" in {candidate['record']}" if candidate.get("record") else ""
    beside = f' beside "{candidate["beside"]}"' if candidate.get("beside") else ""
    return f'  [{candidate["instanceId"]}] {candidate["role"]} "{candidate["name"]}"{beside}{record}'


def reason_of(result: dict[str, Any]) -> str:
    """Return why an action failed, in one word: the code of its error, or `policy_denied`."""
    error = result.get("error", {})
    if error.get("detail", {}).get("reason") == "policy_denied":
        return "policy_denied"
    return str(error.get("code") or result["status"])


def exit_code(result: dict[str, Any]) -> int:
    if result["status"] == "succeeded":
        return 0
    return 3 if reason_of(result) in REFUSED else 1
