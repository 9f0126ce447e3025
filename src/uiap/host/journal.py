"""The journal: every event a machine was given, and a digest of the commands it answered with. Append-only.

Fed to a fresh machine, the same events must give the same commands; `uiap replay` checks it. Credentials never
get here: the hall admits callers before a machine or the journal sees their token.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol, Union

import msgspec

from uiap.host import tables
from uiap.host.store import Row, Store
from uiap.host.writer import Writer
from uiap.protocol import events as session_events
from uiap.protocol.events import Event, Instant
from uiap.protocol.session import Session, Terms

_encode = msgspec.msgpack.Encoder().encode


class Machine(Protocol):
    def handle(self, event: Any) -> Sequence[msgspec.Struct]: ...


class MachineKind(NamedTuple):
    """How a kind of machine is rebuilt: its opening record, its constructor, its events."""

    terms: type[msgspec.Struct]
    build: Any
    events: Any


def _union(module: Any, base: type) -> Any:
    found = [
        v for v in vars(module).values() if isinstance(v, type) and issubclass(v, base) and v is not base
    ]
    return Union[tuple(found)]  # noqa: UP007 (built from a list)


KINDS: dict[str, MachineKind] = {"session": MachineKind(Terms, Session, _union(session_events, Event))}


def digest(commands: Sequence[msgspec.Struct]) -> str:
    """Equal for equal commands, in order."""
    return blake2b(_encode(commands), digest_size=16).hexdigest()


class Journal:
    """Writes steps of machines; the writer decides when they reach the disk."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def opened(self, machine: str, kind: str, at: Instant, terms: msgspec.Struct) -> None:
        self._writer.put(tables.journal, _row(machine, kind, 0, at, terms, ()))

    def stepped(
        self, machine: str, kind: str, step: int, event: Any, commands: Sequence[msgspec.Struct]
    ) -> None:
        self._writer.put(tables.journal, _row(machine, kind, step, event.at, event, commands))


def _row(
    machine: str, kind: str, step: int, at: Instant, event: Any, commands: Sequence[msgspec.Struct]
) -> Row:
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
    """One machine fed again. `diverged` is the first step whose commands differ, or None."""

    machine: str
    kind: str
    steps: int
    diverged: int | None


def replay(store: Store, machine: str | None = None) -> Iterator[Replayed]:
    """Feed the journal to fresh machines and compare what they want done."""
    fed: dict[str, tuple[Machine, str, int, int | None]] = {}
    for row in store.journal(machine):
        name, kind, step = row["machine"], row["kind"], row["step"]
        plan = KINDS[kind]
        if step == 0:
            fed[name] = (plan.build(msgspec.msgpack.decode(row["event"], type=plan.terms)), kind, 0, None)
            continue
        if name not in fed:
            continue  # opened before the journal began, or in a gap
        live, _, steps, diverged = fed[name]
        if diverged is None:
            event = msgspec.msgpack.decode(row["event"], type=plan.events)
            if digest(live.handle(event)) != row["commands"]:
                diverged = step
        fed[name] = (live, kind, steps + 1, diverged)
    for name, (_, kind, steps, diverged) in fed.items():
        yield Replayed(name, kind, steps, diverged)
