"""Simple journal rows, for tests that only check which rows are stored."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Table

from uiap.host.records import tables
from uiap.host.records.store import Store

WALL = "2026-03-26T14:00:00.000Z"


def row(step: int, machine: str = "m", **members: Any) -> tuple[Table, dict[str, Any]]:
    body = {
        "machine": machine,
        "kind": "session",
        "step": step,
        "mono": 1.0,
        "wall": WALL,
        "event": b"e",
        "commands": "",
    }
    return tables.journal, {**body, **members}


def steps(store: Store, machine: str | None = None) -> list[int]:
    return [found["step"] for found in store.journal(machine)]
