"""Stores of a run: evidence by content digest, the journal it can be resumed from, and the package (DISC-SEC.2).

Everything is redacted before it gets here. The journal has one line for each event. The graph of an event is a file of
its own, written before the line that names it. A killed run therefore loses at most the command that was pending.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import msgspec

from uiap.digests import content_digest
from uiap.discovery import events
from uiap.discovery.plan.plan import RunTerms
from uiap.errors import Unavailable
from uiap.spec.discovery import DiscoveryPackage

_EVENT_TYPES: Any = functools.reduce(
    operator.or_,
    [
        kind
        for kind in vars(events).values()
        if isinstance(kind, type) and issubclass(kind, events.Event) and kind is not events.Event
    ],
)


class ExplorationStore(Protocol):
    def write_terms(self, terms: RunTerms) -> None: ...

    def append_event(self, event: events.Event) -> None: ...

    def save_evidence(self, data: bytes, suffix: str) -> str:
        """Store the bytes and return their digest."""
        ...

    def write_package(self, package: DiscoveryPackage) -> None: ...


class MemoryExplorationStore:
    """A store for runs of which only the package is wanted: evidence has a digest but is not kept."""

    def write_terms(self, terms: RunTerms) -> None:
        pass

    def append_event(self, event: events.Event) -> None:
        pass

    def save_evidence(self, data: bytes, suffix: str) -> str:
        return content_digest(data)

    def write_package(self, package: DiscoveryPackage) -> None:
        pass


class FolderExplorationStore:
    """`package.json`, `evidence/` and `journal.jsonl` in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._evidence = folder / "evidence"
        self._evidence.mkdir(parents=True, exist_ok=True)
        self._journal = folder / "journal.jsonl"

    def write_terms(self, terms: RunTerms) -> None:
        self._journal.write_bytes(msgspec.json.encode(terms) + b"\n")

    def append_event(self, event: events.Event) -> None:
        observed = getattr(event, "observed", None)
        plain = msgspec.to_builtins(msgspec.structs.replace(event, observed=None) if observed else event)
        if observed is not None:
            plain["sight"] = {"digest": observed.digest}
        with self._journal.open("ab") as journal:
            journal.write(msgspec.json.encode(plain) + b"\n")

    def save_evidence(self, data: bytes, suffix: str) -> str:
        name = content_digest(data)
        path = self._evidence_path(name, suffix)
        if not path.exists():
            partial = path.with_suffix(".part")
            partial.write_bytes(data)
            partial.replace(path)  # a file named by its digest is always complete
        return name

    def write_package(self, package: DiscoveryPackage) -> None:
        text = msgspec.json.format(msgspec.json.encode(package), indent=2) + b"\n"
        partial = self.folder / "package.json.part"
        partial.write_bytes(text)
        partial.replace(self.folder / "package.json")
        self._remove_unused_evidence(package)

    def _remove_unused_evidence(self, package: DiscoveryPackage) -> None:
        """Delete the graphs that only the journal needed."""
        index = package.evidence_index
        used = {Path(str(one.uri)).name for one in index.items} if index else set()
        for path in self._evidence.iterdir():
            if path.name not in used:
                path.unlink()

    def _evidence_path(self, digest: str, suffix: str) -> Path:
        return self._evidence / f"{digest.removeprefix('sha256:')}.{suffix}"

    # -- resuming -------------------------------------------------------------------------------------------

    def read_terms(self) -> RunTerms | None:
        """Return the terms of a run that was started here and has not finished; else None."""
        if not self._journal.exists() or (self.folder / "package.json").exists():
            return None
        first = self._journal.read_bytes().partition(b"\n")[0]
        try:
            return msgspec.json.decode(first, type=RunTerms)
        except msgspec.DecodeError as error:
            raise Unavailable(f"`{self._journal}` cannot be read: {error}; use another folder") from None

    def read_events(self) -> Iterator[events.Event]:
        """Yield the events so far. A line that was cut off while it was written is removed."""
        data = self._journal.read_bytes()
        complete = data[: data.rfind(b"\n") + 1]
        if len(complete) < len(data):
            self._journal.write_bytes(complete)
        for line in complete.splitlines()[1:]:
            plain = msgspec.json.decode(line)
            if plain.get("sight"):
                graph = self._evidence_path(plain["sight"]["digest"], "json").read_bytes()
                plain["sight"]["graph"] = msgspec.json.decode(graph)
            yield msgspec.convert(plain, _EVENT_TYPES)
