"""How audit records are linked: inside the same transaction that stores them, so that many writers make one chain."""

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
"""What the first record follows."""


def record_hash(key: bytes, before: bytes, seq: int, body: bytes) -> bytes:
    """The hash of a record: keyed, over its place, its body and everything before it."""
    return hmac.digest(key, before + seq.to_bytes(8, "big") + body, "sha256")


def link_rows(
    connection: Connection, rows: Sequence[Mapping[str, Any]], key: bytes
) -> list[Mapping[str, Any]]:
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
        seq, before = seq + 1, record_hash(key, before, seq + 1, row["body"])
        made.append({"seq": seq, "body": row["body"], "hash": before})
    connection.execute(update(heads).where(heads.c.id == 1).values(seq=seq, hash=before))
    return made


KEY_BYTES = 32


def load_key(file: Path | None, given: str | None = None) -> bytes:
    """The chain's key: given (`UIAP_AUDIT_KEY`), or kept in a file of this user's alone, made when first needed."""
    if given or file is None:
        return (given or "").encode()
    try:
        kept = bytes.fromhex(file.read_text().strip())
        if len(kept) == KEY_BYTES:
            return kept
        raise ValueError
    except FileNotFoundError:
        pass
    except ValueError:
        raise Unavailable(
            f"`{file}` holds no audit key; restore it, or move it away to begin a new chain"
        ) from None
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = secrets.token_bytes(KEY_BYTES)
    # whole before it is there: nobody may ever read half a key
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(made.hex())
        os.link(draft, file)
    except FileExistsError:  # somebody else was first
        return load_key(file)
    finally:
        draft.unlink(missing_ok=True)
    return made
