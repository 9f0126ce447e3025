"""The interface of a contestant. It knows no tool by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Reply:
    """The answer of the tool to its caller, which may not be true."""

    claimed: bool
    """True when the tool reported no error."""
    text: str


class Peer(Protocol):
    name: str

    async def start(self) -> None: ...

    async def goto(self, url: str) -> None: ...

    async def look(self) -> str:
        """Return the page as this tool shows it to a model."""
        ...

    async def press(self, role: str, name: str, record: str | None) -> Reply:
        """Press an element of the last `look`; the reply includes the new state if the tool reports it."""
        ...

    async def write(self, role: str, name: str, text: str) -> Reply: ...

    async def evaluate(self, expression: str) -> Any:
        """Evaluate a script, not as part of the contest: to change the page, and to read its truth."""
        ...

    async def close(self) -> None: ...


def line_of(snapshot: str, role: str, name: str, record: str | None) -> str:
    """Return the line of the snapshot with this role and name, after the line of the record if one is named."""
    lines = snapshot.splitlines()
    begin = 0 if record is None else next(i for i, line in enumerate(lines) if record in line)
    wanted = f'{role} "{name}"'
    found = [line for line in lines[begin:] if wanted in line]
    if not found:
        raise LookupError(f"{wanted} is not in the snapshot")
    return found[0]
