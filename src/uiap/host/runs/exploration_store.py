"""Where a run keeps what it saw: evidence by content hash, and a journal from which it can go on (DISC-SEC.2).

Everything that gets here is redacted already. The journal is one line for each event; an event's page is a file of
its own, written before the line that names it, so a killed run loses at most what was under way.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import msgspec

from uiap.digests import content_digest
from uiap.discovery import events as when
from uiap.discovery.plan.plan import RunTerms
from uiap.errors import Unavailable
from uiap.spec.discovery import DiscoveryPackage

_EVENT_TYPES: Any = functools.reduce(
    operator.or_,
    [
        kind
        for kind in vars(when).values()
        if isinstance(kind, type) and issubclass(kind, when.Event) and kind is not when.Event
    ],
)


class ExplorationStore(Protocol):
    def opened(self, terms: RunTerms) -> None: ...

    def stepped(self, event: when.Event) -> None: ...

    def keep(self, data: bytes, ending: str) -> str:
        """Keep these bytes; their digest is how they are found again."""
        ...

    def finished(self, package: DiscoveryPackage) -> None: ...


class MemoryExplorationStore:
    """For runs whose package alone is wanted: what was seen is vouched for and let go, however long it takes."""

    def opened(self, terms: RunTerms) -> None:
        pass

    def stepped(self, event: when.Event) -> None:
        pass

    def keep(self, data: bytes, ending: str) -> str:
        return content_digest(data)

    def finished(self, package: DiscoveryPackage) -> None:
        pass


class FolderExplorationStore:
    """`package.json`, `evidence/` and `journal.jsonl` in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._evidence = folder / "evidence"
        self._evidence.mkdir(parents=True, exist_ok=True)
        self._journal = folder / "journal.jsonl"

    def opened(self, terms: RunTerms) -> None:
        self._journal.write_bytes(msgspec.json.encode(terms) + b"\n")

    def stepped(self, event: when.Event) -> None:
        observed = getattr(event, "observed", None)
        plain = msgspec.to_builtins(msgspec.structs.replace(event, observed=None) if observed else event)
        if observed is not None:
            plain["sight"] = {"digest": observed.digest}
        with self._journal.open("ab") as journal:
            journal.write(msgspec.json.encode(plain) + b"\n")

    def keep(self, data: bytes, ending: str) -> str:
        name = content_digest(data)
        path = self._path(name, ending)
        if not path.exists():
            part = path.with_suffix(".part")
            part.write_bytes(data)
            part.replace(path)  # never half a file under a name that vouches for its content
        return name

    def finished(self, package: DiscoveryPackage) -> None:
        text = msgspec.json.format(msgspec.json.encode(package), indent=2) + b"\n"
        part = self.folder / "package.json.part"
        part.write_bytes(text)
        part.replace(self.folder / "package.json")
        self._tidy(package)

    def _tidy(self, package: DiscoveryPackage) -> None:
        """Pages that only the journal needed are not evidence of anything."""
        index = package.evidence_index
        named = {Path(str(one.uri)).name for one in index.items} if index else set()
        for path in self._evidence.iterdir():
            if path.name not in named:
                path.unlink()

    def _path(self, name: str, ending: str) -> Path:
        return self._evidence / f"{name.removeprefix('sha256:')}.{ending}"

    # -- going on -------------------------------------------------------------------------------------------

    def terms(self) -> RunTerms | None:
        """Of a run that was begun here and has not finished."""
        if not self._journal.exists() or (self.folder / "package.json").exists():
            return None
        first = self._journal.read_bytes().partition(b"\n")[0]
        try:
            return msgspec.json.decode(first, type=RunTerms)
        except msgspec.DecodeError as error:
            raise Unavailable(f"`{self._journal}` cannot be read: {error}; begin in another folder") from None

    def events(self) -> Iterator[when.Event]:
        """What happened so far; a line that was cut off while it was written does not count."""
        data = self._journal.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            self._journal.write_bytes(whole)
        for line in whole.splitlines()[1:]:
            plain = msgspec.json.decode(line)
            if plain.get("sight"):
                seen = self._path(plain["sight"]["digest"], "json").read_bytes()
                plain["sight"]["graph"] = msgspec.json.decode(seen)
            yield msgspec.convert(plain, _EVENT_TYPES)
