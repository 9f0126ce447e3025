"""Where the ledger of idempotency keys rests: in memory, and in the store where there is one.

Every entry has a slot of its own in the database, so that of two processes with the same key only one can claim it,
and only one can write its intent. The rule itself is `runtime.ledger`.
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

KEPT = 10_000
"""Keys remembered where no store is; the oldest are forgotten first."""


class LedgerClaim:
    """One request in the ledger: its claim if it has a key, and what it asks for."""

    def __init__(self, request: ActionRequestPayload, app: str, principal: str) -> None:
        key = request.idempotency_key
        self.owner = f"{app}\0{principal}"
        self.digest = rule.digest(request)
        self.key = rule.claim(app, principal, key) if isinstance(key, str) else None


class LedgerStore:
    """All keys of one store, or of one process."""

    def __init__(self, writer: Writer | None, clock: Clock) -> None:
        self._writer, self._clock = writer, clock
        self._known: dict[str, list[LedgerEntry]] = {}

    async def admit(
        self, held: LedgerClaim, handle: str, live: Container[str], *rows: tuple[Table, Row]
    ) -> Admission:
        """Admit the request; a fresh one is claimed, and `rows` are on disk with the claim."""
        if held.key is None:
            await self._write(*rows)
            return Fresh()
        for _ in range(3):  # somebody else may claim the key between our look and our claim
            admission = rule.admit(await self._entries(held.key), held.digest, live)
            if not isinstance(admission, Fresh):
                return admission
            try:
                slot = f"claim:{handle}" if admission.claimed else "claim"
                await self._write(*rows, self._row(held, "claim", handle, slot))
            except RowRefused:
                self._known.pop(held.key, None)
                continue
            self._remember(held, LedgerEntry("claim", handle, held.digest))
            return admission
        return rule.UnknownOutcome("the key is being claimed by somebody else; try again")

    async def record_intent(self, held: LedgerClaim, handle: str) -> None:
        """StoreFailed where it cannot be written down, or where another process already acts under this key."""
        row = {"handle": handle, "wall": self._clock.now().wall, "stage": "intent", "body": b""}
        rows: list[tuple[Table, Row]] = [(tables.stages, row)]
        if held.key is not None:
            rows.append(self._row(held, "intent", handle, "intent"))
        await self._write(*rows)
        self._remember(held, LedgerEntry("intent", handle, held.digest))

    def record_outcome(self, held: LedgerClaim, handle: str, result: ActionResultPayload) -> None:
        """Written when convenient: until it is, the intent alone stands there and says `unknown`."""
        wall, body = self._clock.now().wall, msgspec.json.encode(result)
        if self._writer is not None:
            row = {"handle": handle, "wall": wall, "stage": "result", "body": body}
            self._writer.put(tables.stages, row)
        if held.key is None or _refused(result):
            return
        self._remember(held, LedgerEntry("outcome", handle, held.digest, result))
        if self._writer is not None:
            self._writer.put(*self._row(held, "outcome", handle, f"outcome:{handle}", body))

    async def _entries(self, claim: str) -> list[LedgerEntry]:
        known = self._known.get(claim)
        if known is not None or self._writer is None:
            return known or []
        return await asyncio.to_thread(self._read, claim)

    def _read(self, claim: str) -> list[LedgerEntry]:
        assert self._writer is not None
        query = select(tables.ledger).where(tables.ledger.c.claim == claim).order_by(tables.ledger.c.seq)
        return [_entry(row) for row in self._writer.store.rows(query)]

    async def _write(self, *rows: tuple[Table, Row]) -> None:
        if self._writer is not None and rows:
            await self._writer.write(*rows)

    def _row(
        self, held: LedgerClaim, kind: EntryKind, handle: str, slot: str, body: bytes = b""
    ) -> tuple[Table, dict[str, Any]]:
        return tables.ledger, {
            "claim": held.key,
            "kind": kind,
            "slot": f"{held.key}:{slot}",
            "digest": held.digest,
            "handle": handle,
            "wall": self._clock.now().wall,
            "body": body,
        }

    def _remember(self, held: LedgerClaim, entry: LedgerEntry) -> None:
        if held.key is None:
            return
        self._known.setdefault(held.key, []).append(entry)
        if len(self._known) > KEPT:
            del self._known[next(iter(self._known))]


def _refused(result: ActionResultPayload) -> bool:
    """A refusal to try again is no outcome of the first try."""
    return result.error is not UNSET and result.error.code == "unsafe_retry_refused"


def _entry(row: Row) -> LedgerEntry:
    body = bytes(row["body"])
    result = msgspec.json.decode(body, type=ActionResultPayload) if body else None
    return LedgerEntry(row["kind"], row["handle"], row["digest"], result)
