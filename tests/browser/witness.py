"""A second, plain connection to the browser: it reads what a page says of itself and knows nothing of the driver."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

PORT = "--remote-debugging-port=0"
ANSWERS_S = 30.0


class Witness:
    """One tab, seen from beside."""

    def __init__(self, wire: ClientConnection) -> None:
        self._wire = wire
        self._numbers = itertools.count(1)

    async def says(self, expression: str) -> Any:
        """The value of an expression in the page's own world."""
        number = next(self._numbers)
        params = {"expression": expression, "returnByValue": True}
        await self._wire.send(json.dumps({"id": number, "method": "Runtime.evaluate", "params": params}))
        async with asyncio.timeout(ANSWERS_S):
            while (answer := json.loads(await self._wire.recv())).get("id") != number:
                continue
        return answer["result"]["result"].get("value")


@asynccontextmanager
async def witness(profile: Path, target: str) -> AsyncIterator[Witness]:
    """Of the browser that runs in this profile with `PORT`, and of the tab with this target."""
    port = (profile / "DevToolsActivePort").read_text().split()[0]
    async with connect(f"ws://127.0.0.1:{port}/devtools/page/{target}", max_size=None) as wire:
        yield Witness(wire)
