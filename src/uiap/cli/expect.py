"""`uiap expect` and `uiap wait`: verify and wait without acting. Standard library alone."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap import settings
from uiap.cli.expectations import expectation
from uiap.cli.socket_client import SocketClient


def _wire(options: argparse.Namespace) -> SocketClient:
    patience = (options.timeout or 0.0) + 30.0
    return SocketClient(f"{settings.runtime()}/{options.session}.sock", timeout=patience)


def _signals(words: list[str]) -> list[dict[str, Any]] | None:
    try:
        return [expectation(word) for word in words]
    except ValueError as error:
        print(f"uiap: {error}", file=sys.stderr)
        return None


def _asked(options: argparse.Namespace, **more: Any) -> dict[str, Any]:
    asked = {"since": options.since, **more}
    if options.timeout is not None:
        asked["timeoutMs"] = options.timeout * 1000
    return {name: value for name, value in asked.items() if value is not None}


def expect_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "signals", nargs="+", metavar="SIGNAL", help="toast.contains:…, route.changed:…, JSON"
    )
    parser.add_argument("--since", metavar="REV", help="what came after this revision (default: as it is)")
    parser.add_argument("--any", action="store_true", help="one of them is enough")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="how long to look (default: 5)")


def expect(options: argparse.Namespace) -> int:
    signals = _signals(options.signals)
    if signals is None:
        return 2
    asked = _asked(options, signals=signals, policy="any" if options.any else "all")
    seen = _wire(options).ask("x.uiap.tools.expect", asked)["payload"]
    if options.json:
        print(json.dumps(seen, indent=2, ensure_ascii=False))
    else:
        for verdict in seen["verdicts"]:
            already = " (already)" if verdict.get("already") else ""
            print(f"{'seen    ' if verdict['holds'] else 'not seen'} {verdict['signal']['kind']}{already}")
        print(
            f"{'passed' if seen['passed'] else 'failed'} at {seen['revision']} ({seen['elapsedMs']:.0f} ms)"
        )
    return 0 if seen["passed"] else 1


def wait_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "signals", nargs="*", metavar="SIGNAL", help="until these are seen (default: any change)"
    )
    parser.add_argument("--since", metavar="REV", help="since this revision; what already landed counts")
    parser.add_argument("--idle", action="store_true", help="until nothing loads any more")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="how long to wait (default: 10)")


def wait(options: argparse.Namespace) -> int:
    signals = _signals(options.signals)
    if signals is None:
        return 2
    asked = _asked(options, until=signals or None, idle=options.idle or None)
    seen = _wire(options).ask("x.uiap.tools.wait", asked)["payload"]
    if options.json:
        print(json.dumps(seen, indent=2, ensure_ascii=False))
    elif seen["done"]:
        print(seen.get("changes") or f"nothing loads; {seen['revision']}")
    else:
        print(f"not yet: {seen.get('reason', '')} ({seen['elapsedMs']:.0f} ms)", file=sys.stderr)
    return 0 if seen["done"] else 1
