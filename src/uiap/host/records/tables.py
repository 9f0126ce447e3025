"""The tables of the store, for SQLite and PostgreSQL."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, Index, Integer, LargeBinary, MetaData, String, Table, Text

metadata = MetaData()

_serial = BigInteger().with_variant(Integer(), "sqlite")

journal = Table(
    "journal",
    metadata,
    Column("seq", _serial, primary_key=True, autoincrement=True),
    Column("machine", String(160), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("step", Integer, nullable=False),
    Column("mono", Float, nullable=False),
    Column("wall", String(32), nullable=False),
    Column("event", LargeBinary, nullable=False),
    Column("commands", String(64), nullable=False),
    Index("journal_by_machine", "machine", "step"),
)
"""The events of each machine and a digest of its commands. Rows are only added."""

gaps = Table(
    "gaps",
    metadata,
    Column("seq", _serial, primary_key=True, autoincrement=True),
    Column("wall", String(32), nullable=False),
    Column("lost", Integer, nullable=False),
    Column("reason", Text, nullable=False),
)
"""Counts of journal entries that a failing store did not take, so that a replay can report them."""

actions = Table(
    "actions",
    metadata,
    Column("seq", _serial, primary_key=True, autoincrement=True),
    Column("handle", String(64), nullable=False, unique=True),
    Column("session", String(160), nullable=False),
    Column("action", String(200), nullable=False),
    Column("key", String(200), nullable=True, index=True),
    Column("digest", String(64), nullable=False),
    Column("stage", String(16), nullable=False),
    Column("wall", String(32), nullable=False),
)
"""Every accepted action, stored before `action.accepted` is sent."""

ledger = Table(
    "ledger",
    metadata,
    Column("seq", _serial, primary_key=True, autoincrement=True),
    Column("claim", String(64), nullable=False, index=True),
    Column("kind", String(16), nullable=False),
    Column("slot", String(200), nullable=False, unique=True),
    Column("digest", String(64), nullable=False),
    Column("handle", String(64), nullable=False),
    Column("wall", String(32), nullable=False),
    Column("body", LargeBinary, nullable=False),
)
"""Idempotency keys: claim, intent and outcome. The unique slot ensures that only one process writes each."""

traces = Table(
    "traces",
    metadata,
    Column("seq", _serial, primary_key=True, autoincrement=True),
    Column("handle", String(64), nullable=False, unique=True),
    Column("action", String(200), nullable=False),
    Column("status", String(16), nullable=False),
    Column("wall", String(32), nullable=False),
    Column("duration", Float, nullable=False),
    Column("body", LargeBinary, nullable=False),
)
"""The trace of each action."""

stages = Table(
    "stages",
    metadata,
    Column("seq", _serial, primary_key=True, autoincrement=True),
    Column("handle", String(64), nullable=False, index=True),
    Column("stage", String(16), nullable=False),
    Column("wall", String(32), nullable=False),
    Column("body", LargeBinary, nullable=False),
)
"""The intent before dispatch and the result after it. An intent without a result is unknown and is not retried."""

audit = Table(
    "audit",
    metadata,
    Column("seq", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
)
"""Decisions, confirmations and results, each linked to the previous one. The hash covers every stored column."""

audit_head = Table(
    "audit_sealed_head",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("seal", LargeBinary, nullable=False),
)
"""The number and hash of the last audit record, sealed with the key. They reveal a cut-off chain."""
