"""`uiap trace`: what an action caused, as text, as JSON, as one HTML file. Standard library alone."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap import settings
from uiap.cli.socket_client import SocketClient


def trace_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("list", "show"), help="the latest actions, or one of them")
    parser.add_argument("handle", nargs="?", help="which action (default: the last one)")
    parser.add_argument("--html", metavar="FILE", help="write it as one HTML file")
    parser.add_argument("--limit", type=int, default=20, help="how many to list")


def trace(options: argparse.Namespace) -> int:
    wire = SocketClient(f"{settings.runtime()}/{options.session}.sock")
    if options.what == "list":
        found = _list(wire, options.limit)
        lines = [
            f"{t['actionHandle']}  {t['ts']}  {t['durationMs']:>7.0f} ms  {t['status']:<9}  {t['actionId']}"
            for t in found
        ]
        print(json.dumps(found, indent=2) if options.json else "\n".join(lines) or "nothing was done yet")
        return 0
    handle = options.handle or next((t["actionHandle"] for t in _list(wire, 1)), None)
    if handle is None:
        print("uiap: nothing was done yet; there is no trace", file=sys.stderr)
        return 1
    shown = wire.ask("x.uiap.tools.trace", {"actionHandle": handle})["payload"]["trace"]
    if options.html:
        return _write(options.html, shown)
    print(json.dumps(shown, indent=2, ensure_ascii=False) if options.json else text(shown))
    return 0


def _list(wire: SocketClient, limit: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = wire.ask("x.uiap.tools.trace.list", {"limit": limit})["payload"]["traces"]
    return found


def _write(file: str, shown: dict[str, Any]) -> int:
    from pathlib import Path

    from uiap.api.trace_html import page

    try:
        Path(file).write_text(page(shown), "utf-8")
    except OSError as error:
        print(f"uiap: cannot write `{file}`: {error.strerror}", file=sys.stderr)
        return 1
    print(f"written: {file}")
    return 0


def text(shown: dict[str, Any]) -> str:
    """For the terminal: stages, then what it caused, in the order it came."""
    result = shown["result"]
    lines = [f"{shown['actionId']} {shown['status']}  {shown['durationMs']:.0f} ms  {shown['actionHandle']}"]
    if "error" in result:
        lines.append(f"  {result['error']['code']}: {result['error']['message']}")
    found = [
        (s["atMs"], "stage", s["stage"] + (f" ({s['note']})" if s.get("note") else ""), "")
        for s in shown["stages"]
    ]
    if shown.get("dispatchedMs") is not None:
        found.append((shown["dispatchedMs"], "input", "sent", ""))
    found += [
        (
            c["atMs"],
            "network",
            f"{c['method']} {c['url']} {c.get('failure') or c.get('status', '…')}",
            c["cause"],
        )
        for c in shown["network"]
    ]
    found += [
        (one["atMs"], one["kind"], f"{one['level']} {one['text']}", one["cause"]) for one in shown["lines"]
    ]
    found += [(one["atMs"], "signal", _signal(one["signal"]), one["cause"]) for one in shown["signals"]]
    lines += [
        f"{at:>8.0f} ms  {kind:<10} {what}{f'  [{cause}]' if cause else ''}"
        for at, kind, what, cause in sorted(found)
    ]
    if shown["noise"]:
        lines.append(f"{shown['noise']} more that do not belong to it are not listed")
    return "\n".join(lines)


def _signal(signal: dict[str, Any]) -> str:
    said = signal.get("text")
    return f"{signal['kind']} “{said}”" if said else str(signal["kind"])
