"""The journal: every event of a machine, with a digest of the commands it returned. Append-only.

Fed to a fresh machine, the same events must give the same commands; `uiap replay` checks it. Credentials never get
here: callers are admitted before a machine or the journal sees their token. Private values are left out
(`privacy/journal_masking`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol, Union

import msgspec

from uiap.host.privacy.journal_masking import mask_session_step
from uiap.host.records import tables
from uiap.host.records.store import Row, Store
from uiap.host.records.writer import Writer
from uiap.instant import Instant
from uiap.protocol import events as session_events
from uiap.protocol.events import Event
from uiap.protocol.session import Session, SessionTerms
from uiap.runtime import events as action_events
from uiap.runtime.action import ActionTerms
from uiap.runtime.machine import ActionMachine

_compact = msgspec.msgpack.Encoder().encode


def _encode(value: Any) -> bytes:
    """Encode as MessagePack, or as JSON where MessagePack cannot (integers beyond 64 bits)."""
    try:
        return _compact(value)
    except OverflowError:
        return msgspec.json.encode(value)


def _decode(data: bytes, type: Any) -> Any:
    """Decode what `_encode` wrote. No MessagePack record of ours begins with a brace."""
    if data.startswith(b"{"):
        return msgspec.json.decode(data, type=type)
    return msgspec.msgpack.decode(data, type=type)


class JournaledMachine(Protocol):
    def handle(self, event: Any) -> Sequence[msgspec.Struct]: ...


class MachineKind(NamedTuple):
    """How to rebuild a kind of machine: its opening record, its constructor, its events."""

    terms: type[msgspec.Struct]
    build: Any
    events: Any


def _union(module: Any, base: type) -> Any:
    found = [
        v for v in vars(module).values() if isinstance(v, type) and issubclass(v, base) and v is not base
    ]
    return Union[tuple(found)]  # noqa: UP007 (built from a list)


KINDS: dict[str, MachineKind] = {
    "action": MachineKind(ActionTerms, ActionMachine, _union(action_events, action_events.Event)),
    "session": MachineKind(SessionTerms, Session, _union(session_events, Event)),
}


WITHHELD = "withheld"
"""The digest of a step whose values are not stored; such a step cannot be compared."""


def digest(commands: Sequence[msgspec.Struct]) -> str:
    """Return a digest that is equal for equal commands in the same order."""
    return blake2b(_encode(commands), digest_size=16).hexdigest()


class Journal:
    """Writes the steps of machines; the writer decides when they become durable."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def opened(self, machine: str, kind: str, at: Instant, terms: msgspec.Struct) -> None:
        self._writer.put(tables.journal, _row(machine, kind, 0, at, terms, ()))

    def stepped(
        self,
        machine: str,
        kind: str,
        step: int,
        event: Any,
        commands: Sequence[msgspec.Struct],
        *,
        mask: Callable[[Any], Any] | None = None,
    ) -> None:
        """Store one step. `mask` removes private values from the event; its commands are then not stored either."""
        if mask is not None:
            row = _row(machine, kind, step, event.at, mask(event), ()) | {"commands": WITHHELD}
        else:
            kept, wanted = mask_session_step(event, commands) if kind == "session" else (event, commands)
            row = _row(machine, kind, step, event.at, kept, wanted)
        self._writer.put(tables.journal, row)


def _row(
    machine: str, kind: str, step: int, at: Instant, event: Any, commands: Sequence[msgspec.Struct]
) -> dict[str, Any]:
    return {
        "machine": machine,
        "kind": kind,
        "step": step,
        "mono": at.mono,
        "wall": at.wall,
        "event": _encode(event),
        "commands": digest(commands),
    }


class Replayed(NamedTuple):
    """One machine fed again. `diverged` is the first step whose commands differ, or None.

    `gap` is the first step that never reached the store; later steps cannot be compared. `withheld` is true if private
    values were not stored, so that the machine cannot be replayed.
    """

    machine: str
    kind: str
    steps: int
    diverged: int | None
    gap: int | None = None
    withheld: bool = False


class _Rerun:
    """A fresh machine that is fed the journal of an old one."""

    def __init__(self, row: Row) -> None:
        self.name, self.kind = row["machine"], row["kind"]
        self.plan = KINDS.get(self.kind)
        self.live: JournaledMachine | None = None
        self.steps, self.next = 0, 0
        self.diverged: int | None = None
        self.gap: int | None = None
        self.withheld = False

    def feed(self, row: Row) -> None:
        step = row["step"]
        if step:
            self.steps += 1
        self.withheld = self.withheld or row["commands"] == WITHHELD
        if self.diverged is None and self.gap is None and not self.withheld:
            if step != self.next:
                self.gap = self.next
            elif not self._agrees(row):
                self.diverged = step
        self.next = step + 1

    def _agrees(self, row: Row) -> bool:
        """Return whether the machine answers as recorded. An unreadable record counts as a difference."""
        if self.plan is None:
            return False
        try:
            if row["step"] == 0:
                self.live = self.plan.build(_decode(row["event"], self.plan.terms))
                return True
            assert self.live is not None
            commands = self.live.handle(_decode(row["event"], self.plan.events))
            return digest(commands) == str(row["commands"])
        except Exception:
            return False


def replay(store: Store, machine: str | None = None) -> Iterator[Replayed]:
    """Feed the journal to fresh machines, and yield how each compares."""
    fed: dict[str, _Rerun] = {}
    for row in store.journal(machine):
        name = row["machine"]
        if name not in fed:
            fed[name] = _Rerun(row)
        fed[name].feed(row)
    for name, run in fed.items():
        yield Replayed(name, run.kind, run.steps, run.diverged, run.gap, run.withheld)
