"""`uiap pdf`, `viewport`, `har` and `eval`: the page as a file, its size, its traffic and its values.

Standard library alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from uiap.cli.acting import connect

MAX_REQUESTS = 1_000


def pdf_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="where to write the PDF")


def pdf(options: argparse.Namespace) -> int:
    from base64 import b64decode

    reply = connect(options).ask("x.uiap.tools.capture", {"format": "pdf"})["payload"]
    return _write(options, b64decode(reply["data"]))


def viewport_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("size", metavar="WIDTHxHEIGHT", help="in CSS pixels, such as 390x844")


def viewport(options: argparse.Namespace) -> int:
    width, times, height = options.size.partition("x")
    if not times or not width.isdigit() or not height.isdigit():
        print(f"uiap: `{options.size}` is not a size; write WIDTHxHEIGHT, such as 390x844", file=sys.stderr)
        return 2
    size = connect(options).ask("x.uiap.tools.viewport", {"width": int(width), "height": int(height)})[
        "payload"
    ]
    _print(options, size, f"the page is {size['width']} by {size['height']} pixels now")
    return 0


def har_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", help="where to write it (default: print it)")


def har(options: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from uiap.client.har import har_document

    query = {"what": "network", "relevance": 0, "limit": MAX_REQUESTS}
    log = connect(options).ask("x.uiap.tools.log", query)["payload"]
    document = har_document(log, datetime.now(UTC))
    text = json.dumps(document, indent=2, ensure_ascii=False)
    if options.file is None:
        print(text)
        return 0
    return _write(options, text.encode())


def eval_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "expression", help="a JavaScript expression; only a session of `uiap open --trusted` runs it"
    )


def eval(options: argparse.Namespace) -> int:
    client = connect(options)
    reply = client.ask("x.uiap.tools.evaluate", {"expression": options.expression})["payload"]
    print(json.dumps(reply.get("value"), indent=2, ensure_ascii=False))
    return 0


def _write(options: argparse.Namespace, data: bytes) -> int:
    from pathlib import Path

    try:
        Path(options.file).write_bytes(data)
    except OSError as error:
        print(f"uiap: cannot write `{options.file}`: {error.strerror}", file=sys.stderr)
        return 1
    _print(options, {"file": options.file}, f"written: {options.file}")
    return 0


def _print(options: argparse.Namespace, payload: Any, text: str) -> None:
    print(json.dumps(payload, indent=2, ensure_ascii=False) if options.json else text)
