"""The texts of the specifications, if they are next to the checkout; tests that need them are skipped otherwise."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "spec"
needs_texts = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the specification texts are not beside this checkout"
)


def text(prefix: str) -> str:
    if not FOLDER.is_dir():
        return ""
    (path,) = FOLDER.glob(f"{prefix}*")
    # The host of the published pages replaced the at-sign token by this placeholder.
    return path.read_text(encoding="utf-8").replace("[email\N{NO-BREAK SPACE}protected]", "web@0.1")


def balanced(source: str, start: int) -> str:
    """The braces that open at `start`, with all that is between them."""
    depth = 0
    for end in range(start, len(source)):
        depth += {"{": 1, "}": -1}.get(source[end], 0)
        if depth == 0:
            return source[start : end + 1]
    return source[start:]


def json_objects(source: str) -> Iterator[dict[str, Any]]:
    """Every outermost JSON object with at least one member that stands in the text."""
    at = 0
    while (start := source.find("{", at)) >= 0:
        candidate = balanced(source, start)
        try:
            value = json.loads(candidate)
        except ValueError:
            at = start + 1
            continue
        at = start + len(candidate)
        if value:
            yield value
