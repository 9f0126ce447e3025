"""`uiap trace`: the effects of an action as text, JSON or one HTML file. Standard library alone."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap import settings
from uiap.cli.socket_client import SocketClient


def trace_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("list", "show"), help="list the latest actions, or show one")
    parser.add_argument("handle", nargs="?", help="which action (default: the latest)")
    parser.add_argument("--html", metavar="FILE", help="write it as one HTML file")
    parser.add_argument("--limit", type=int, default=20, help="list at most this many (default: 20)")


def trace(options: argparse.Namespace) -> int:
    client = SocketClient(settings.session_socket(options.session))
    if options.what == "list":
        found = _list(client, options.limit)
        lines = [
            f"{t['actionHandle']}  {t['ts']}  {t['durationMs']:>7.0f} ms  {t['status']:<9}  {t['actionId']}"
            for t in found
        ]
        print(json.dumps(found, indent=2) if options.json else "\n".join(lines) or "no actions yet")
        return 0
    handle = options.handle or next((t["actionHandle"] for t in _list(client, 1)), None)
    if handle is None:
        print("uiap: no actions yet; act first, such as with: uiap click", file=sys.stderr)
        return 1
    trace = client.ask("x.uiap.tools.trace", {"actionHandle": handle})["payload"]["trace"]
    if options.html:
        return _write(options.html, trace)
    print(json.dumps(trace, indent=2, ensure_ascii=False) if options.json else text(trace))
    return 0


def _list(client: SocketClient, limit: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.ask("x.uiap.tools.trace.list", {"limit": limit})["payload"]["traces"]
    return found


def _write(file: str, trace: dict[str, Any]) -> int:
    from pathlib import Path

    from uiap.api.trace_html import page

    try:
        Path(file).write_text(page(trace), "utf-8")
    except OSError as error:
        print(f"uiap: cannot write `{file}`: {error.strerror}", file=sys.stderr)
        return 1
    print(f"written: {file}")
    return 0


def text(trace: dict[str, Any]) -> str:
    """Return the stages, requests, lines and signals in order of time, for the terminal."""
    result = trace["result"]
    lines = [f"{trace['actionId']} {trace['status']}  {trace['durationMs']:.0f} ms  {trace['actionHandle']}"]
    if "error" in result:
        lines.append(f"  {result['error']['code']}: {result['error']['message']}")
    rows = [
        (s["atMs"], "stage", s["stage"] + (f" ({s['note']})" if s.get("note") else ""), "")
        for s in trace["stages"]
    ]
    if trace.get("dispatchedMs") is not None:
        rows.append((trace["dispatchedMs"], "input", "sent", ""))
    rows += [
        (
            c["atMs"],
            "network",
            f"{c['method']} {c['url']} {c.get('failure') or c.get('status', '…')}",
            c["cause"],
        )
        for c in trace["network"]
    ]
    rows += [
        (one["atMs"], one["kind"], f"{one['level']} {one['text']}", one["cause"]) for one in trace["lines"]
    ]
    rows += [(one["atMs"], "signal", _signal(one["signal"]), one["cause"]) for one in trace["signals"]]
    lines += [
        f"{at:>8.0f} ms  {kind:<10} {what}{f'  [{cause}]' if cause else ''}"
        for at, kind, what, cause in sorted(rows)
    ]
    if trace["noise"]:
        lines.append(f"{trace['noise']} unrelated events are not listed")
    return "\n".join(lines)


def _signal(signal: dict[str, Any]) -> str:
    text = signal.get("text")
    return f"{signal['kind']} “{text}”" if text else str(signal["kind"])
