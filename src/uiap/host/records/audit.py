"""The audit log: decisions, confirmations and results as a chain of records that reveals every later change.

The hash of a record covers its number, its body and the previous hash, under a key that stays with the host. The head
of the chain is sealed with the key. A changed, removed, swapped or cut-off record breaks a link or the head. A restored
older copy does not reach the high-water mark, which is outside of the database.
"""

from __future__ import annotations

import asyncio
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
from uiap.host.records.audit_chain import CUT_PREFIX, ORIGIN, ChainHead, lost_records, record_hash
from uiap.host.records.high_water import Forged, Mark
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
    "cut",
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


class NotedHead(NamedTuple):
    """A head that was noted outside of the chain. `source` says where, in words."""

    seq: int
    hash: bytes
    source: str


class AuditVerification(NamedTuple):
    """The result of a check of the whole chain. `first_broken` is the number of the first invalid record."""

    records: int
    head: str
    first_broken: int | None = None
    problem: str = ""

    @property
    def intact(self) -> bool:
        return not self.problem


def verify(store: Store, *, heads: Iterable[NotedHead] = ()) -> AuditVerification:
    """Verify every link, the stored head, the high-water mark, and the heads that the caller noted elsewhere."""
    noted = list(heads)
    # a session may write at the same time: the head before the chain is in it, and the head after it covers it
    stored, mark = store.audit_head(), store.audit_mark.read(store.audit_key)
    if isinstance(mark, Mark) and mark.seq:
        noted.append(NotedHead(mark.seq, mark.hash, "the high-water mark"))
    if stored is not None and stored.seq:
        noted.append(NotedHead(stored.seq, stored.hash, "the stored head"))
    found = check(store.audit(), store.audit_key, noted)
    if not found.intact:
        return found
    problem = _head_problem(store, stored, found.records) or _mark_problem(store, mark, found.records, noted)
    return found._replace(first_broken=found.records + 1, problem=problem) if problem else found


def _head_problem(store: Store, before: ChainHead | None, records: int) -> str:
    after = store.audit_head()
    if after is None or before is None:
        return "the head is missing: it was removed" if records else ""
    if not (before.is_sealed(store.audit_key) and after.is_sealed(store.audit_key)):
        return "the head was not written with this key" if records or before.seq else ""
    if not before.seq <= records <= after.seq:
        return f"the head is record {after.seq}, but the chain ends at {records}: it was cut off or extended"
    return ""


def _mark_problem(store: Store, mark: Mark | Forged | None, records: int, noted: list[NotedHead]) -> str:
    """Return what is wrong with the high-water mark. A head that the caller noted replaces a missing one."""
    if isinstance(mark, Forged):
        return f"the high-water mark `{mark.file}` was not written with this key"
    outside = any(head.source != "the stored head" for head in noted)
    if mark is None and records and not store.shared and not outside:
        file = store.audit_mark.file
        return f"the high-water mark `{file}` is missing; without it, give a head that you noted: --head"
    return ""


def check(
    links: Iterable[tuple[int, bytes, bytes]], key: bytes, heads: Iterable[NotedHead] = ()
) -> AuditVerification:
    """Verify links in the order of their numbers, and that the chain contains the noted heads."""
    before, count = ORIGIN, 0
    noted: dict[int, list[NotedHead]] = {}
    for head in heads:
        noted.setdefault(head.seq, []).append(head)
    cut: tuple[int, str] | None = None
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
        if body.startswith(CUT_PREFIX) and cut is None:
            cut = seq, _cut_reason(body)
        if seq in noted and (other := next((h for h in noted.pop(seq) if h.hash != before), None)):
            return AuditVerification(
                count, before.hex(), count, f"record {count} differs from {other.source}"
            )
    if cut is not None:
        return AuditVerification(count, before.hex(), *cut)
    if noted:
        highest = noted[max(noted)][0]
        problem = f"{lost_records(count, highest.seq)} ({highest.source})"
        return AuditVerification(count, before.hex(), count + 1, problem)
    return AuditVerification(count, before.hex())


def _cut_reason(body: bytes) -> str:
    try:
        return _decode(body).reason
    except msgspec.DecodeError:
        return "records before it were lost"


def parse_head(head: str) -> NotedHead:
    """Return a head as `uiap audit head` prints it. Raise ValueError for another text."""
    seq, _, hash = head.partition(":")
    if not seq.isdigit() or len(hash) != sha256().digest_size * 2:
        raise ValueError(f"`{head}` is not a head; it looks like 12:9f86d0… as `uiap audit head` prints it")
    return NotedHead(int(seq), bytes.fromhex(hash), "the head you noted")


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
