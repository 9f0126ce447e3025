"""Detect changes of an application's data: every row of every table, before and after."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple


class Data(NamedTuple):
    """The rows of each table by digest, or the bytes of each document."""

    tables: Mapping[str, Counter[str]]

    @property
    def rows(self) -> int:
        return sum(sum(rows.values()) for rows in self.tables.values())

    def changed(self, after: Data) -> dict[str, int]:
        """Return the number of changed rows by table."""
        names = sorted({*self.tables, *after.tables})
        found = {}
        for name in names:
            old, new = self.tables.get(name, Counter()), after.tables.get(name, Counter())
            differing = max(sum((old - new).values()), sum((new - old).values()))
            if differing:
                found[name] = differing
        return found


def of_database(path: Path, left_out: Mapping[str, tuple[str, ...]]) -> Data:
    """Read the rows. A table in `left_out` without columns is skipped; with columns, those columns are."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30) as db:
        names = [row[0] for row in db.execute("select name from sqlite_master where type = 'table'")]
        tables = {name: _rows(db, name, left_out.get(name, ())) for name in names if left_out.get(name) != ()}
    db.close()
    return Data(tables)


def _rows(db: sqlite3.Connection, table: str, without: tuple[str, ...]) -> Counter[str]:
    columns = [row[1] for row in db.execute(f'pragma table_info("{table}")') if row[1] not in without]
    chosen = ", ".join(f'"{one}"' for one in columns)
    found = db.execute(f'select {chosen} from "{table}"') if columns else ()
    return Counter(sha256(repr(row).encode()).hexdigest() for row in found)


def of_tree(folder: Path) -> Data:
    """Return the digest of every file."""
    files = sorted(one for one in folder.rglob("*") if one.is_file())
    return Data(
        {str(one.relative_to(folder)): Counter({sha256(one.read_bytes()).hexdigest(): 1}) for one in files}
    )


def of_bodies(bodies: list[bytes]) -> Data:
    """Return the digest of every entry of JSON bodies, each with its list in `data`."""
    entries = [entry for body in bodies for entry in json.loads(body)["data"]]
    return Data(
        {"entries": Counter(sha256(json.dumps(one, sort_keys=True).encode()).hexdigest() for one in entries)}
    )
