"""Links audit records inside the transaction that stores them, so that several writers build one chain."""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select, text, update

from uiap.errors import Unavailable
from uiap.host.records import tables

ORIGIN = b"\0" * 32
"""The hash before the first record."""


def record_hash(key: bytes, before: bytes, seq: int, body: bytes) -> bytes:
    """Return the keyed hash of a record, over its number, its body and the previous hash."""
    return hmac.digest(key, before + seq.to_bytes(8, "big") + body, "sha256")


def link_rows(
    connection: Connection, rows: Sequence[Mapping[str, Any]], key: bytes
) -> list[Mapping[str, Any]]:
    """Return the rows with numbers and hashes, and move the head in the same transaction."""
    heads = tables.audit_head
    # the update takes the write lock before the head is read, so that a second writer waits for the new head
    claim = update(heads).where(heads.c.id == 1).values(seq=heads.c.seq)
    if connection.execute(claim).rowcount == 0:
        first = "insert into audit_head (id, seq, hash) values (1, 0, :origin) on conflict do nothing"
        connection.execute(text(first), {"origin": ORIGIN})
        connection.execute(claim)
    seq, before = connection.execute(select(heads.c.seq, heads.c.hash).where(heads.c.id == 1)).one()
    linked: list[Mapping[str, Any]] = []
    for row in rows:
        seq, before = seq + 1, record_hash(key, before, seq + 1, row["body"])
        linked.append({"seq": seq, "body": row["body"], "hash": before})
    connection.execute(update(heads).where(heads.c.id == 1).values(seq=seq, hash=before))
    return linked


KEY_BYTES = 32


def load_key(file: Path | None, given: str | None = None) -> bytes:
    """Return the key of the chain: the given one (`UIAP_AUDIT_KEY`), or the one in the file.

    The file is created on first use; only this user can read it.
    """
    if given or file is None:
        return (given or "").encode()
    try:
        stored = bytes.fromhex(file.read_text().strip())
        if len(stored) == KEY_BYTES:
            return stored
        raise ValueError
    except FileNotFoundError:
        pass
    except ValueError:
        raise Unavailable(
            f"`{file}` holds no audit key; restore it, or move it away to start a new chain"
        ) from None
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new_key = secrets.token_bytes(KEY_BYTES)
    # written under another name first, so that nobody ever reads half a key
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(new_key.hex())
        os.link(draft, file)
    except FileExistsError:  # another process created it first
        return load_key(file)
    finally:
        draft.unlink(missing_ok=True)
    return new_key
