"""The script that refuses sockets: its patterns. `browser/test_network_guard.py` runs it in a browser."""

from __future__ import annotations

import json
import re

from uiap.drivers.chromium.page.connection_script import connection_script


def patterns_of(script: str) -> list[str]:
    found: list[str] = json.loads(script[script.rindex("([") + 1 : -1])
    return found


def test_permitted_sockets_are_patterns_of_whole_addresses() -> None:
    [pattern] = patterns_of(connection_script(["wss://app.example/live/*"]))
    assert re.match(pattern, "wss://app.example/live/1")
    assert not re.match(pattern, "wss://app.example/other")
    assert not re.match(pattern, "wss://evil.example/?wss://app.example/live/1")


def test_without_patterns_no_socket_is_permitted() -> None:
    assert connection_script([]).endswith("([])")
