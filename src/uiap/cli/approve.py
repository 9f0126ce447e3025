"""`uiap approve` and `uiap handoff`: a person's answers, signed with the approval secret. Standard library alone."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap import settings
from uiap.cli.socket_client import SessionNotOpen, SocketClient


def approver_client(session: str) -> tuple[SocketClient, str]:
    """A session as the person, and the secret that proves it."""
    folder = settings.read().runtime
    try:
        secret = (folder / f"{session}.approve").read_text()
    except OSError:
        raise SessionNotOpen(f"no session `{session}` is open; start one with: uiap open URL") from None
    return SocketClient(folder / f"{session}.sock", token=secret), secret


def list_pending(wire: SocketClient) -> dict[str, Any]:
    said: dict[str, Any] = wire.ask("x.uiap.tools.pending.list", {})["payload"]
    return said


def grant(wire: SocketClient, secret: str, one: dict[str, Any]) -> None:
    """Sign exactly what was shown; if it changed since, the session refuses."""
    from uiap.host.consent.grant_signature import sign

    token = sign(secret, one["bond"])
    wire.ask("x.uiap.tools.pending.grant", {"actionHandle": one["actionHandle"], "token": token})


def deny(wire: SocketClient, one: dict[str, Any], reason: str | None = None) -> None:
    said = {"actionHandle": one["actionHandle"]}
    wire.ask("action.confirmation.deny", {**said, "reason": reason} if reason else said)


# -- approve ------------------------------------------------------------------------------------------------


def approve_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("handle", nargs="?", help="which action; the only one that waits, if left out")
    parser.add_argument("--deny", action="store_true", help="say no instead")
    parser.add_argument("--list", action="store_true", help="only show what waits")
    parser.add_argument("--web", action="store_true", help="answer on a page of your own browser")
    parser.add_argument("--port", type=int, default=0, help="port of that page (default: a free one)")
    parser.add_argument("--reason", help="why not, with --deny")


def approve(options: argparse.Namespace) -> int:
    if options.web:
        from uiap.cli.approval_page import serve

        return serve(options.session, options.port)
    wire, secret = approver_client(options.session)
    waiting = list_pending(wire).get("details", [])
    if options.list or not waiting:
        _show(options, waiting, "\n".join(map(_told, waiting)) or "nothing waits for a person")
        return 0 if options.list or waiting else 1
    chosen = [one for one in waiting if options.handle in (None, one["actionHandle"])]
    if len(chosen) != 1:
        print("uiap: say which one; see: uiap approve --list", file=sys.stderr)
        return 2
    if options.deny:
        deny(wire, chosen[0], options.reason)
    else:
        grant(wire, secret, chosen[0])
    said = "denied" if options.deny else "granted"
    _show(options, {said: chosen[0]["actionHandle"]}, f"{said}: {summary(chosen[0])}")
    return 0


def summary(one: dict[str, Any]) -> str:
    request = one["request"]
    return str(request.get("preview", {}).get("summary", request["actionId"]))


def _told(one: dict[str, Any]) -> str:
    request = one["request"]
    lines = [f"{one['actionHandle']}  {summary(one)}"]
    args = request.get("preview", {}).get("args")
    if args:
        lines.append(f"  with {json.dumps(args, ensure_ascii=False)}")
    lines.append(f"  on {one.get('origin', 'this page')}, asked by {one['principal']}")
    lines.append(f"  because {request['risk'].get('reason', one.get('decidedBy', 'policy asks'))}")
    lines.append(f"  {one['expiresInMs'] / 1000:.0f} s left")
    return "\n".join(lines)


# -- handoff ------------------------------------------------------------------------------------------------


def handoff_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "outcome", choices=("done", "declined", "list"), help="how it went, or what is waiting"
    )
    parser.add_argument("handle", nargs="?", help="which action; the only one in your hands, if left out")


def handoff(options: argparse.Namespace) -> int:
    wire, _secret = approver_client(options.session)
    waiting = list_pending(wire).get("handoffs", [])
    if options.outcome == "list" or not waiting:
        lines = [f"{one['actionHandle']}  {one['note']}" for one in waiting]
        _show(options, waiting, "\n".join(lines) or "nothing is in your hands")
        return 0 if options.outcome == "list" else 1
    chosen = [one for one in waiting if options.handle in (None, one["actionHandle"])]
    if len(chosen) != 1:
        print("uiap: say which one; see: uiap handoff list", file=sys.stderr)
        return 2
    said = {"actionHandle": chosen[0]["actionHandle"], "outcome": options.outcome}
    wire.ask("x.uiap.tools.handoff.end", said)
    _show(options, said, f"{options.outcome}: {chosen[0]['note']}")
    return 0


def _show(options: argparse.Namespace, payload: Any, text: str) -> None:
    print(json.dumps(payload, indent=2, ensure_ascii=False) if options.json else text)
