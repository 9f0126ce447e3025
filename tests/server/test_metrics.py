"""Metrics in the Prometheus text format."""

from __future__ import annotations

import re
from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

from uiap.server.metrics import exposition, resident_bytes

LINE = re.compile(r'(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"\})? \d+)')


def metrics() -> str:
    counts = Counter({"sessions opened": 5, "sessions refused": 2, "message action.request": 7})
    loop = SimpleNamespace(connections={"a": 1, "b": 2})
    sessions = SimpleNamespace(counts=counts, host_loop=loop, max_sessions=8)
    pool = SimpleNamespace(browsers=[1], launched=3, denied_connections=4, open_contexts=2)
    return exposition(cast(Any, sessions), cast(Any, pool), cast(Any, SimpleNamespace(refused=9)))


def test_every_line_has_the_format_and_every_metric_its_type() -> None:
    lines = metrics().splitlines()
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    typed = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert {re.split(r"[ {]", line)[0] for line in lines if not line.startswith("#")} == typed


def test_counts_are_those_of_the_pool() -> None:
    text = metrics()
    for line in ("uiap_sessions 2", "uiap_sessions_opened_total 5", "uiap_requests_refused_total 9"):
        assert line in text
    assert 'uiap_messages_total{type="action.request"} 7' in text


def test_the_memory_of_this_process_is_measured() -> None:
    assert resident_bytes() > 1_000_000
