"""What a contestant must be able to do, and what it answers. Knows no tool by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Reply:
    """What the caller was told; the tool's own word, not the truth."""

    claimed: bool
    """It did not say that anything went wrong."""
    text: str


class Peer(Protocol):
    name: str

    async def start(self) -> None: ...

    async def goto(self, url: str) -> None: ...

    async def look(self) -> str:
        """The page as this tool shows it to a model."""
        ...

    async def press(self, role: str, name: str, record: str | None) -> Reply:
        """Press what was seen at the last `look`, with whatever the tool tells afterwards of the new state."""
        ...

    async def write(self, role: str, name: str, text: str) -> Reply: ...

    async def evaluate(self, expression: str) -> Any:
        """Outside the contest: what happens meanwhile, and the page's own truth afterwards."""
        ...

    async def close(self) -> None: ...


def line_of(snapshot: str, role: str, name: str, record: str | None) -> str:
    """The line an agent would point at: role and name, after the record's own line if one is named."""
    lines = snapshot.splitlines()
    begin = 0 if record is None else next(i for i, line in enumerate(lines) if record in line)
    wanted = f'{role} "{name}"'
    found = [line for line in lines[begin:] if wanted in line]
    if not found:
        raise LookupError(f"{wanted} is not in the snapshot")
    return found[0]
