"""Stores the ledger of idempotency keys: in memory, and in the database if there is one.

Every entry has its own unique slot in the database. Of two processes with the same key, only one can claim it, and only
one can write its intent. `runtime.ledger` defines the rules.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container
from typing import Any

import msgspec
from msgspec import UNSET
from sqlalchemy import Table, select

from uiap.host.clock import Clock
from uiap.host.records import tables
from uiap.host.records.store import Row, RowRefused
from uiap.host.records.writer import Writer
from uiap.runtime import ledger as rule
from uiap.runtime.ledger import Admission, EntryKind, Fresh, LedgerEntry
from uiap.spec.action import ActionRequestPayload, ActionResultPayload

MAX_MEMORY_KEYS = 10_000
"""The number of keys kept in memory. The oldest are forgotten first."""


class LedgerClaim:
    """One request in the ledger: its owner, its digest, and its key if it has one."""

    def __init__(self, request: ActionRequestPayload, app: str, principal: str, address: str = "") -> None:
        key = request.idempotency_key
        self.owner = f"{app}\0{principal}"
        self.digest = rule.digest(request)
        self.key = rule.claim(app, principal, key) if isinstance(key, str) else None
        self._address = address
        self._request = request

    @property
    def digest_there(self) -> str:
        """Return the digest of the request together with the page that it acts on."""
        return f"{self.digest} {self._address}"

    def accepted_row(self, handle: str, session: str, wall: str) -> tuple[Table, Row]:
        """Return the row of the accepted action."""
        key = self._request.idempotency_key
        return tables.actions, {
            "handle": handle,
            "session": session,
            "action": self._request.action_id,
            "key": key if isinstance(key, str) else None,
            "digest": self.digest,
            "stage": "accepted",
            "wall": wall,
        }


class LedgerStore:
    """The keys of one store, or of one process without a store."""

    def __init__(self, writer: Writer | None, clock: Clock) -> None:
        self._writer, self._clock = writer, clock
        self._known: dict[str, list[LedgerEntry]] = {}
        self._here: dict[str, None] = {}
        """The handles of the actions with a key that were admitted for this page, oldest first."""

    async def admit(
        self, claim: LedgerClaim, handle: str, live: Container[str], *rows: tuple[Table, Row]
    ) -> Admission:
        """Admit a request. A fresh one is claimed, and `rows` are stored together with the claim."""
        if claim.key is None:
            await self._write(*rows)
            return Fresh()
        for _ in range(3):  # another process may claim the key between our read and our claim
            admission = rule.admit(await self._entries(claim.key), claim.digest, live, self._here)
            if not isinstance(admission, Fresh):
                return admission
            try:
                slot = f"claim:{handle}" if admission.claimed else "claim"
                await self._write(*rows, self._row(claim, "claim", handle, slot))
            except RowRefused:
                self._known.pop(claim.key, None)
                continue
            self._remember(claim, LedgerEntry("claim", handle, claim.digest))
            return admission
        return rule.UnknownOutcome("another process is claiming the key; try again")

    async def record_intent(self, claim: LedgerClaim, handle: str) -> None:
        """Store the intent. Raise StoreFailed if that fails, or if another process already acts under this key."""
        row = {"handle": handle, "wall": self._clock.now().wall, "stage": "intent", "body": b""}
        rows: list[tuple[Table, Row]] = [(tables.stages, row)]
        if claim.key is not None:
            rows.append(self._row(claim, "intent", handle, "intent"))
        await self._write(*rows)
        self._remember(claim, LedgerEntry("intent", handle, claim.digest))

    def record_outcome(
        self, claim: LedgerClaim, handle: str, result: ActionResultPayload, *, in_page: bool = False
    ) -> None:
        """Store the outcome without waiting. Until then the intent alone means that the outcome is unknown.

        `in_page`: the effect lives only in the open page, so other sessions do not get this result.
        """
        wall, body = self._clock.now().wall, msgspec.json.encode(result)
        if self._writer is not None:
            row = {"handle": handle, "wall": wall, "stage": "result", "body": body}
            self._writer.put(tables.stages, row)
        if claim.key is None or _is_refused_retry(result):
            return
        kind: EntryKind = "page_outcome" if in_page else "outcome"
        self._remember(claim, LedgerEntry(kind, handle, claim.digest, result))
        if self._writer is not None:
            self._writer.put(*self._row(claim, kind, handle, f"outcome:{handle}", body))

    async def _entries(self, key: str) -> list[LedgerEntry]:
        known = self._known.get(key)
        if known is not None or self._writer is None:
            return known or []
        return await asyncio.to_thread(self._read, key)

    def _read(self, key: str) -> list[LedgerEntry]:
        assert self._writer is not None
        query = select(tables.ledger).where(tables.ledger.c.claim == key).order_by(tables.ledger.c.seq)
        return [_entry(row) for row in self._writer.store.rows(query)]

    async def _write(self, *rows: tuple[Table, Row]) -> None:
        if self._writer is not None and rows:
            await self._writer.write(*rows)

    def _row(
        self, claim: LedgerClaim, kind: EntryKind, handle: str, slot: str, body: bytes = b""
    ) -> tuple[Table, dict[str, Any]]:
        return tables.ledger, {
            "claim": claim.key,
            "kind": kind,
            "slot": f"{claim.key}:{slot}",
            "digest": claim.digest,
            "handle": handle,
            "wall": self._clock.now().wall,
            "body": body,
        }

    def _remember(self, claim: LedgerClaim, entry: LedgerEntry) -> None:
        if claim.key is None:
            return
        self._known.setdefault(claim.key, []).append(entry)
        self._here[entry.handle] = None
        for remembered in (self._here, self._known):
            if len(remembered) > MAX_MEMORY_KEYS:
                _forget_oldest(remembered)


def _forget_oldest(remembered: dict[str, Any]) -> None:
    del remembered[next(iter(remembered))]


def _is_refused_retry(result: ActionResultPayload) -> bool:
    """Return whether the result only refuses a retry, which is not an outcome of the first attempt."""
    return result.error is not UNSET and result.error.code == "unsafe_retry_refused"


def _entry(row: Row) -> LedgerEntry:
    body = bytes(row["body"])
    result = msgspec.json.decode(body, type=ActionResultPayload) if body else None
    return LedgerEntry(row["kind"], row["handle"], row["digest"], result)
