"""How audit records are linked: inside the same transaction that stores them, so that many writers make one chain."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, text, update

from uiap.host import tables

ORIGIN = b"\0" * 32
"""What the first record follows."""


def seal(key: bytes, before: bytes, seq: int, body: bytes) -> bytes:
    """The hash of a record: keyed, over its place, its body and everything before it."""
    return hmac.digest(key, before + seq.to_bytes(8, "big") + body, "sha256")


def linked(connection: Connection, rows: Sequence[Mapping[str, Any]], key: bytes) -> list[Mapping[str, Any]]:
    """The rows with their numbers and hashes; the head moves with them, or neither does."""
    heads = tables.audit_head
    # the update takes the write lock before the head is read: of two writers, one waits for the other's head
    claim = update(heads).where(heads.c.id == 1).values(seq=heads.c.seq)
    if connection.execute(claim).rowcount == 0:
        first = "insert into audit_head (id, seq, hash) values (1, 0, :origin) on conflict do nothing"
        connection.execute(text(first), {"origin": ORIGIN})
        connection.execute(claim)
    seq, before = connection.execute(select(heads.c.seq, heads.c.hash).where(heads.c.id == 1)).one()
    made: list[Mapping[str, Any]] = []
    for row in rows:
        seq, before = seq + 1, seal(key, before, seq + 1, row["body"])
        made.append({"seq": seq, "body": row["body"], "hash": before})
    connection.execute(update(heads).where(heads.c.id == 1).values(seq=seq, hash=before))
    return made
