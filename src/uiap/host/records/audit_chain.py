"""Links audit records inside the transaction that stores them, so that several writers build one chain.

The head of the chain is sealed with the key, so that nobody else can move it back. A chain that lost records is
continued with a record `cut` that says so: the loss can be seen from then on, and cannot be written over.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, select, text, update

from uiap.errors import Unavailable
from uiap.host.records import tables
from uiap.host.records.high_water import Forged, HighWaterMark, Mark

ORIGIN = b"\0" * 32
"""The hash before the first record."""
CUT_PREFIX = b'{"kind":"cut"'
"""The beginning of the body of every `cut` record."""


class ChainHead(NamedTuple):
    """The last record of the chain, and the proof that the holder of the key wrote it."""

    seq: int
    hash: bytes
    seal: bytes

    def is_sealed(self, key: bytes) -> bool:
        return hmac.compare_digest(self.seal, seal(key, self.seq, self.hash))


class LinkedRows(NamedTuple):
    """Rows with numbers and hashes, the new head as a mark, and whether records before them were lost."""

    rows: list[Mapping[str, Any]]
    mark: Mark
    cut: bool


class _Stamp(msgspec.Struct):
    ts: str = ""


def record_hash(key: bytes, before: bytes, seq: int, body: bytes) -> bytes:
    """Return the keyed hash of a record, over its number, its body and the previous hash."""
    return hmac.digest(key, before + seq.to_bytes(8, "big") + body, "sha256")


def seal(key: bytes, seq: int, hash: bytes) -> bytes:
    """Return the proof that the chain ended with this record. Without the key nobody can make one."""
    return hmac.digest(key, b"uiap audit head" + seq.to_bytes(8, "big") + hash, "sha256")


def link_rows(
    connection: Connection,
    rows: Sequence[Mapping[str, Any]],
    key: bytes,
    high_water: HighWaterMark,
    *,
    mark_required: bool,
) -> LinkedRows:
    """Return the rows with numbers and hashes, and move the head in the same transaction.

    `mark_required`: this machine alone writes to the store, so a missing mark was removed.
    """
    head = _take_head(connection)
    seq, before = head.seq, head.hash
    # the mark exists from the first record on, so that a second writer never finds a chain without one
    mark = high_water.read(key)
    if mark is None and seq == 0:
        high_water.rise(Mark(0, ORIGIN), key)
    loss = _loss(connection, head, key, mark, mark_required)
    bodies = [row["body"] for row in rows]
    if loss:
        bodies.insert(0, _cut_body(loss, bodies))
    linked: list[Mapping[str, Any]] = []
    for body in bodies:
        seq, before = seq + 1, record_hash(key, before, seq + 1, body)
        linked.append({"seq": seq, "body": body, "hash": before})
    heads = tables.audit_head
    moved = {"seq": seq, "hash": before, "seal": seal(key, seq, before)}
    connection.execute(update(heads).where(heads.c.id == 1).values(**moved))
    return LinkedRows(linked, Mark(seq, before), bool(loss))


def _take_head(connection: Connection) -> ChainHead:
    """Return the head. The update takes the write lock first, so that a second writer waits for the new head."""
    heads = tables.audit_head
    claim = update(heads).where(heads.c.id == 1).values(seq=heads.c.seq)
    if connection.execute(claim).rowcount == 0:
        _insert_head(connection)
        connection.execute(claim)
    row = connection.execute(select(heads.c.seq, heads.c.hash, heads.c.seal).where(heads.c.id == 1)).one()
    return ChainHead(row[0], bytes(row[1]), bytes(row[2]))


def _insert_head(connection: Connection) -> None:
    """Insert a head at the last record there is. It has no seal, so a chain that lost its head shows it."""
    rows = tables.audit
    last = connection.execute(select(rows.c.seq, rows.c.hash).order_by(rows.c.seq.desc()).limit(1)).first()
    seq, hash = (0, ORIGIN) if last is None else (last[0], bytes(last[1]))
    head = "insert into audit_sealed_head (id, seq, hash, seal) values (1, :seq, :hash, :seal)"
    first = text(f"{head} on conflict do nothing")  # another writer may insert it at the same time
    connection.execute(first, {"seq": seq, "hash": hash, "seal": b""})


def _loss(
    connection: Connection, head: ChainHead, key: bytes, mark: Mark | Forged | None, mark_required: bool
) -> str:
    """Return which records were lost, in words; "" if none were."""
    if head.seq and not head.is_sealed(key):
        return "the head of the audit log was removed or replaced"
    if isinstance(mark, Forged):
        return f"the high-water mark `{mark.file.name}` was replaced"
    if mark is None:
        return "the high-water mark was removed" if head.seq and mark_required else ""
    if mark.seq > head.seq:
        return lost_records(head.seq, mark.seq)
    rows = tables.audit
    stored = connection.execute(select(rows.c.hash).where(rows.c.seq == mark.seq)).scalar_one_or_none()
    if mark.seq and (stored is None or bytes(stored) != mark.hash):
        return f"record {mark.seq} is not the one that was stored"
    return ""


def lost_records(end: int, mark: int) -> str:
    """Return the message for a chain that ends before its high-water mark."""
    return f"records {end + 1} to {mark} are missing: the log was cut off, or an older copy was restored"


def _cut_body(loss: str, bodies: Sequence[bytes]) -> bytes:
    stamp = ""
    with suppress(msgspec.DecodeError):
        stamp = msgspec.json.decode(bodies[0], type=_Stamp).ts
    return msgspec.json.encode({"kind": "cut", "ts": stamp, "reason": loss})


def key_id(key: bytes) -> str:
    """Return a short id of an audit key that does not reveal the key."""
    return hmac.digest(key, b"uiap audit key", "sha256").hex()[:12]


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
