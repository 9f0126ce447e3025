"""The audit: every decision, confirmation and result as one chain of records that nobody can rewrite unnoticed.

Each record's hash covers its number, its body and the hash before it, under a key that stays with the host; the head
is kept beside the chain. Whoever changes, removes, swaps or cuts off records breaks a link or misses the head.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from uiap.discovery.safety.redaction import clean_url
from uiap.drivers import events as seen
from uiap.host.clock import Clock
from uiap.host.observation.page import Page
from uiap.host.records import tables
from uiap.host.records.audit_chain import ORIGIN, record_hash
from uiap.host.records.store import Store
from uiap.host.records.writer import Writer
from uiap.ids import IdMaker, new_seed
from uiap.spec.base import JsonObject, Struct
from uiap.spec.policy import AuditRecord

AuditKind: TypeAlias = Literal[
    "decision",
    "asked",
    "granted",
    "denied",
    "grant_rejected",
    "unanswered",
    "handoff",
    "result",
    "opened",
    "secret",
    "notified",
    "rules",
    "blocked",
]
MAX_MEMORY_ENTRIES = 10_000
"""So many records are kept in memory where there is no store."""


class AuditEntry(Struct):
    """One record. `record` is the wire's own form, where the wire has one; nothing in it is secret."""

    kind: AuditKind
    ts: str
    session: str = ""
    handle: str = ""
    by: str = ""
    """Who did it: the person who answered, or the principal that acted."""
    reason: str = ""
    bond: str = ""
    """The digest of what was granted."""
    record: AuditRecord | UnsetType = UNSET
    detail: JsonObject | UnsetType = UNSET


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(AuditEntry).decode


class Audit:
    """Takes entries in order. With a writer they are chained on disk; without one they are kept in memory."""

    def __init__(self, clock: Clock, writer: Writer | None = None) -> None:
        self._clock, self._writer = clock, writer
        self._ids = IdMaker(new_seed())
        self._listeners: list[Callable[[AuditEntry], None]] = []
        self.memory_entries: list[AuditEntry] = []

    def new_id(self) -> str:
        return self._ids.secret("audit")

    def listen(self, heard: Callable[[AuditEntry], None]) -> None:
        self._listeners.append(heard)

    def record(self, kind: AuditKind, **members: Any) -> None:
        """Written when convenient, and before anything that is awaited after it."""
        entry = self._new_entry(kind, members)
        if self._writer is not None:
            self._writer.put(tables.audit, {"body": _encode(entry)})

    def record_durably(self, kind: AuditKind, **members: Any) -> asyncio.Future[None]:
        """Done once it is on disk; StoreFailed if it is not, and then nothing may happen (B2.6)."""
        entry = self._new_entry(kind, members)
        if self._writer is not None:
            return self._writer.submit((tables.audit, {"body": _encode(entry)}))
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        kept.set_result(None)
        return kept

    def _new_entry(self, kind: AuditKind, members: dict[str, Any]) -> AuditEntry:
        entry = AuditEntry(kind=kind, ts=self._clock.now().wall, **members)
        if self._writer is None and len(self.memory_entries) < MAX_MEMORY_ENTRIES:
            self.memory_entries.append(entry)
        for heard in self._listeners:
            heard(entry)
        return entry


def audit_blocked_requests(audit: Audit, page: Page) -> None:
    """H13, P11: a request that the network guard stopped is part of what happened, whoever asked."""

    def heard(event: seen.AnyEvent) -> None:
        if isinstance(event, seen.RequestBlocked):
            detail = {"method": event.method, "url": clean_url(event.url), "resource": event.resource}
            audit.record("blocked", reason=event.reason, detail=detail)

    page.listen(heard)


class AuditVerification(NamedTuple):
    """What a look at the whole chain found. `broken` is the number of the first record that does not fit."""

    records: int
    head: str
    first_broken: int | None = None
    problem: str = ""

    @property
    def intact(self) -> bool:
        return not self.problem


def verify(store: Store, *, head: str | None = None) -> AuditVerification:
    """Every link, the kept head, and the head the caller noted elsewhere (`SEQ:HASH`), if one is given."""
    found = check(store.audit(), store.audit_key, head)
    if not found.intact:
        return found
    kept = store.audit_head()
    if kept is None:
        kept = (0, ORIGIN)
    if kept != (found.records, bytes.fromhex(found.head)):
        problem = f"the head says record {kept[0]}, the chain ends at {found.records}: its end was cut off or added to"
        return found._replace(first_broken=min(kept[0], found.records) + 1, problem=problem)
    return found


def check(
    links: Iterable[tuple[int, bytes, bytes]], key: bytes, head: str | None = None
) -> AuditVerification:
    """One pass over records in the order of their numbers."""
    before, count = ORIGIN, 0
    noted, wanted = _parse_head(head)
    seen = noted is None
    for seq, body, hash in links:
        count += 1
        if seq != count:
            return AuditVerification(
                count - 1, before.hex(), count, f"record {count} is missing: the next one is {seq}"
            )
        before = record_hash(key, before, seq, body)
        if before != hash:
            return AuditVerification(
                count - 1, before.hex(), count, f"record {count} is not what was written"
            )
        if seq == noted:
            if before != wanted:
                return AuditVerification(
                    count, before.hex(), count, f"record {count} differs from the head you noted"
                )
            seen = True
    if not seen:
        return AuditVerification(
            count, before.hex(), count + 1, f"the head you noted is record {noted}; there are {count}"
        )
    return AuditVerification(count, before.hex())


def _parse_head(head: str | None) -> tuple[int | None, bytes]:
    if head is None:
        return None, b""
    seq, _, hash = head.partition(":")
    if not seq.isdigit() or len(hash) != sha256().digest_size * 2:
        raise ValueError(f"`{head}` is not a head; it looks like 12:9f86d0… as `uiap audit head` prints it")
    return int(seq), bytes.fromhex(hash)


def entries(store: Store) -> Iterator[tuple[int, AuditEntry | None]]:
    """Numbers and records; None for one that can no longer be read."""
    for seq, body, _hash in store.audit():
        try:
            yield seq, _decode(body)
        except msgspec.DecodeError:
            yield seq, None


def export(store: Store) -> Iterator[str]:
    """One JSON line a record, with what is needed to verify it elsewhere."""
    for seq, body, hash in store.audit():
        line = {"seq": seq, "hash": hash.hex(), "body": body.decode(errors="surrogateescape")}
        yield msgspec.json.encode(line).decode()


class _ExportLine(msgspec.Struct, forbid_unknown_fields=True):
    seq: int
    hash: str
    body: str


def read_export(lines: Iterable[str]) -> Iterator[tuple[int, bytes, bytes]]:
    """Links from an export; a torn or foreign line is a record that does not verify, never skipped."""
    for number, line in enumerate(lines, 1):
        try:
            one = msgspec.json.decode(line, type=_ExportLine)
            yield one.seq, one.body.encode(), bytes.fromhex(one.hash)
        except ValueError:
            yield number, b"", b""


def key_id(key: bytes) -> str:
    """Which key a chain was made with, told without telling the key."""
    return hmac.digest(key, b"uiap audit key", "sha256").hex()[:12]
