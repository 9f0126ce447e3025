"""The example application of the demo, as its own server knows it."""

from __future__ import annotations

import json
import urllib.request
from typing import Any


def server_truth(url: str) -> dict[str, Any]:
    """Return what the application's server recorded."""
    with urllib.request.urlopen(f"{url}/__truth", timeout=10) as answer:
        truth: dict[str, Any] = json.load(answer)
    return truth


def set_knob(url: str, name: str, value: Any) -> None:
    """Change how the application behaves from now on."""
    body = json.dumps({name: value}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/__knobs", body, headers, method="POST")
    urllib.request.urlopen(request, timeout=10).close()
