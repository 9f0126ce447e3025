"""The audit log: decisions, confirmations and results as a chain of records that reveals every later change.

The hash of a record covers its number, its body and the previous hash, under a key that stays with the host. The head
of the chain is stored next to it. A changed, removed, swapped or cut-off record breaks a link or the head.
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
    "replayed",
]
MAX_MEMORY_ENTRIES = 10_000
"""The number of records kept in memory if there is no store."""


class AuditEntry(Struct):
    """One record. `record` is its form on the wire, if it has one. No member holds a secret."""

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
    """Records entries in order: chained in the store with a writer, else in memory."""

    def __init__(self, clock: Clock, writer: Writer | None = None) -> None:
        self._clock, self._writer = clock, writer
        self._ids = IdMaker(new_seed())
        self._listeners: list[Callable[[AuditEntry], None]] = []
        self.memory_entries: list[AuditEntry] = []

    def new_id(self) -> str:
        return self._ids.secret("audit")

    def listen(self, listener: Callable[[AuditEntry], None]) -> None:
        self._listeners.append(listener)

    def record(self, kind: AuditKind, **members: Any) -> None:
        """Record an entry without waiting. It is stored before anything that is awaited later."""
        entry = self._new_entry(kind, members)
        if self._writer is not None:
            self._writer.put(tables.audit, {"body": _encode(entry)})

    def record_durably(self, kind: AuditKind, **members: Any) -> asyncio.Future[None]:
        """Return a future that ends once the entry is on disk. It raises StoreFailed; then nothing may happen."""
        entry = self._new_entry(kind, members)
        if self._writer is not None:
            return self._writer.submit((tables.audit, {"body": _encode(entry)}))
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    def _new_entry(self, kind: AuditKind, members: dict[str, Any]) -> AuditEntry:
        entry = AuditEntry(kind=kind, ts=self._clock.now().wall, **members)
        if self._writer is None and len(self.memory_entries) < MAX_MEMORY_ENTRIES:
            self.memory_entries.append(entry)
        for listener in self._listeners:
            listener(entry)
        return entry


def audit_blocked_requests(audit: Audit, page: Page) -> None:
    """Record every request that the network guard blocks, whatever its cause."""

    def on_event(event: seen.AnyEvent) -> None:
        if isinstance(event, seen.RequestBlocked):
            detail = {"method": event.method, "url": clean_url(event.url), "resource": event.resource}
            audit.record("blocked", reason=event.reason, detail=detail)

    page.listen(on_event)


class AuditVerification(NamedTuple):
    """The result of a check of the whole chain. `first_broken` is the number of the first invalid record."""

    records: int
    head: str
    first_broken: int | None = None
    problem: str = ""

    @property
    def intact(self) -> bool:
        return not self.problem


def verify(store: Store, *, head: str | None = None) -> AuditVerification:
    """Verify every link, the stored head, and the given head (`SEQ:HASH`) if the caller noted one elsewhere."""
    found = check(store.audit(), store.audit_key, head)
    if not found.intact:
        return found
    stored = store.audit_head()
    if stored is None:
        stored = (0, ORIGIN)
    if stored != (found.records, bytes.fromhex(found.head)):
        problem = f"the head is record {stored[0]}, but the chain ends at {found.records}: it was cut off or extended"
        return found._replace(first_broken=min(stored[0], found.records) + 1, problem=problem)
    return found


def check(
    links: Iterable[tuple[int, bytes, bytes]], key: bytes, head: str | None = None
) -> AuditVerification:
    """Verify links in the order of their numbers, and the noted head if one is given."""
    before, count = ORIGIN, 0
    head_seq, head_hash = _parse_head(head)
    head_found = head_seq is None
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
        if seq == head_seq:
            if before != head_hash:
                return AuditVerification(
                    count, before.hex(), count, f"record {count} differs from the head you noted"
                )
            head_found = True
    if not head_found:
        return AuditVerification(
            count, before.hex(), count + 1, f"the head you noted is record {head_seq}; there are {count}"
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
    """Yield numbers and records; None for a record that cannot be decoded."""
    for seq, body, _hash in store.audit():
        try:
            yield seq, _decode(body)
        except msgspec.DecodeError:
            yield seq, None


def export(store: Store) -> Iterator[str]:
    """Yield one JSON line per record, with everything needed to verify it elsewhere."""
    for seq, body, hash in store.audit():
        line = {"seq": seq, "hash": hash.hex(), "body": body.decode(errors="surrogateescape")}
        yield msgspec.json.encode(line).decode()


class _ExportLine(msgspec.Struct, forbid_unknown_fields=True):
    seq: int
    hash: str
    body: str


def read_export(lines: Iterable[str]) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the links of an export. A damaged line becomes a record that does not verify; no line is skipped."""
    for number, line in enumerate(lines, 1):
        try:
            one = msgspec.json.decode(line, type=_ExportLine)
            yield one.seq, one.body.encode(), bytes.fromhex(one.hash)
        except ValueError:
            yield number, b"", b""


def key_id(key: bytes) -> str:
    """Return a short id of an audit key that does not reveal the key."""
    return hmac.digest(key, b"uiap audit key", "sha256").hex()[:12]
