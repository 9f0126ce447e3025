"""`uiap approve` and `uiap handoff`: a person's answers, signed with the approval secret.

Standard library alone. `approval_page` offers the same in a browser.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap import settings
from uiap.cli.socket_client import SessionNotOpen, SocketClient, not_open_text
from uiap.cli.terminal import one_line


def approver_client(session: str) -> tuple[SocketClient, str]:
    """Return a connection as the approver, and the secret that proves it."""
    socket = settings.session_socket(session)
    try:
        with open(f"{socket.removesuffix('.sock')}.approve") as file:  # noqa: PTH123 (pathlib is slow to import)
            secret = file.read()
    except OSError:
        raise SessionNotOpen(not_open_text(session, settings.runtime())) from None
    return SocketClient(socket, token=secret), secret


def list_pending(client: SocketClient) -> dict[str, Any]:
    """Return the confirmation requests as `details` and the handed over steps as `handoffs`."""
    payload: dict[str, Any] = client.ask("x.uiap.tools.pending.list", {})["payload"]
    return payload


def grant(client: SocketClient, secret: str, question: dict[str, Any], *, remember: bool = False) -> None:
    """Sign exactly the question that was shown, once or for the session; if it changed since, the session refuses."""
    from uiap.host.consent.grant_signature import for_session, sign_grant

    token = sign_grant(secret, for_session(question["bond"]) if remember else question["bond"])
    payload = {"actionHandle": question["actionHandle"], "token": token}
    client.ask("x.uiap.tools.pending.grant", {**payload, "remember": "session"} if remember else payload)


def deny(client: SocketClient, question: dict[str, Any], reason: str | None = None) -> None:
    payload = {"actionHandle": question["actionHandle"]}
    client.ask("action.confirmation.deny", {**payload, "reason": reason} if reason else payload)


# -- approve ------------------------------------------------------------------------------------------------


def approve_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("handle", nargs="?", help="which action (default: the only one that waits)")
    parser.add_argument("--yes", action="store_true", help="grant what is shown without asking again")
    parser.add_argument(
        "--for-session", action="store_true", help="grant this kind of question until the session ends"
    )
    parser.add_argument("--deny", action="store_true", help="deny it instead")
    parser.add_argument("--list", action="store_true", help="only list what waits for an answer")
    parser.add_argument("--web", action="store_true", help="answer on a page in your own browser")
    parser.add_argument("--port", type=int, default=0, help="port of that page (default: a free one)")
    parser.add_argument("--reason", help="the reason, with --deny")


def approve(options: argparse.Namespace) -> int:
    if options.web:
        from uiap.cli.approval_page import serve

        return serve(options.session, options.port)
    client, secret = approver_client(options.session)
    pending = list_pending(client)
    waiting, handoffs = pending.get("details", []), pending.get("handoffs", [])
    if not waiting and (dialog := open_dialog(client)):
        return _answer_dialog(options, client, dialog)
    if options.list or not waiting:
        lines = [*map(_question_text, waiting), *map(_handoff_text, handoffs)]
        _print(options, [*waiting, *handoffs], "\n".join(lines) or "nothing waits for a person")
        return 0 if options.list or waiting else 1
    chosen = [one for one in waiting if options.handle in (None, one["actionHandle"])]
    if len(chosen) != 1:
        print(
            "uiap: several actions wait, or none has this handle; list them with: uiap approve --list",
            file=sys.stderr,
        )
        return 2
    if options.deny:
        deny(client, chosen[0], options.reason)
    elif (answer := "session" if options.for_session else _answer(options, chosen[0])) != "no":
        grant(client, secret, chosen[0], remember=answer == "session")
    else:
        print("uiap: not granted; answer with: uiap approve --yes, or --deny", file=sys.stderr)
        return 1
    answer = "denied" if options.deny else "granted"
    _print(options, {answer: chosen[0]["actionHandle"]}, f"{answer}: {summary(chosen[0])}")
    return 0


def open_dialog(client: SocketClient) -> dict[str, Any] | None:
    """Return the JavaScript dialog of the page that waits for an answer, or None."""
    dialog: dict[str, Any] = client.ask("x.uiap.tools.dialog", {})["payload"]
    return dialog if dialog.get("kind") else None


def _answer_dialog(options: argparse.Namespace, client: SocketClient, dialog: dict[str, Any]) -> int:
    """Accept or dismiss the dialog of the page, as the person said."""
    question = one_line(f"the page asks: {dialog['kind']} `{dialog.get('message', '')}`")
    if options.list:
        _print(options, [dialog], question)
        return 0
    accept = not options.deny
    if accept and not (options.yes or options.for_session):
        print(question)
        accept = sys.stdin.isatty() and input("accept it? [y/N]: ").strip().lower() in ("y", "yes")
        if not accept:
            print("uiap: not accepted; answer with: uiap approve --yes, or --deny", file=sys.stderr)
            return 1
    client.ask("x.uiap.tools.dialog", {"accept": accept})
    answer = "accepted" if accept else "dismissed"
    _print(options, {answer: dialog["kind"]}, f"{answer}: {question}")
    return 0


def _answer(options: argparse.Namespace, question: dict[str, Any]) -> str:
    """Return `once`, `session` or `no`. Without a terminal nobody has read the question, so the answer is no."""
    if options.yes:
        return "once"
    print(_question_text(question))
    if not sys.stdin.isatty():
        return "no"
    choices = "[y] once, [s] for this session, [N] no: " if question.get("kind") else "[y] once, [N] no: "
    word = input(f"allow it? {choices}").strip().lower()
    return "once" if word in ("y", "yes") else "session" if word == "s" and question.get("kind") else "no"


def summary(question: dict[str, Any]) -> str:
    request = question["request"]
    return one_line(str(request.get("preview", {}).get("summary", request["actionId"])))


def _question_text(question: dict[str, Any]) -> str:
    request = question["request"]
    lines = [summary(question)]
    args = request.get("preview", {}).get("args")
    if args:
        lines.append(f"with {json.dumps(args, ensure_ascii=False)}")
    lines += [f"field {name}: {value}" for name, value in question.get("fields", ())]
    lines.append(f"on {question.get('origin', 'this page')}, requested by {question['principal']}")
    lines.append(f"reason: {request['risk'].get('reason', question.get('decidedBy', 'the policy asks'))}")
    if question.get("kind"):
        lines.append(f"for this session would allow: {question['kind']}")
    lines.append(f"expires in {question['expiresInMs'] / 1000:.0f} s")
    return f"{question['actionHandle']}  " + "\n  ".join(map(one_line, lines))


def _handoff_text(step: dict[str, Any]) -> str:
    handle = step["actionHandle"]
    return f"{handle}  {one_line(step['note'])}\n  do it in the page, then report it with: uiap handoff done {handle}"


# -- handoff ------------------------------------------------------------------------------------------------


def handoff_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "outcome",
        choices=("done", "declined", "list"),
        help="the outcome, or list the steps that wait for you",
    )
    parser.add_argument("handle", nargs="?", help="which action (default: the only one handed to you)")


def handoff(options: argparse.Namespace) -> int:
    client, _secret = approver_client(options.session)
    waiting = list_pending(client).get("handoffs", [])
    if options.outcome == "list" or not waiting:
        lines = [f"{one['actionHandle']}  {one['note']}" for one in waiting]
        _print(options, waiting, "\n".join(lines) or "no step is handed to you")
        return 0 if options.outcome == "list" else 1
    chosen = [one for one in waiting if options.handle in (None, one["actionHandle"])]
    if len(chosen) != 1:
        print(
            "uiap: several steps wait, or none has this handle; list them with: uiap handoff list",
            file=sys.stderr,
        )
        return 2
    payload = {"actionHandle": chosen[0]["actionHandle"], "outcome": options.outcome}
    client.ask("x.uiap.tools.handoff.end", payload)
    _print(options, payload, f"{options.outcome}: {chosen[0]['note']}")
    return 0


def _print(options: argparse.Namespace, payload: Any, text: str) -> None:
    print(json.dumps(payload, indent=2, ensure_ascii=False) if options.json else text)
