"""A second, plain connection to the browser: it reads the truth of a page without the driver."""

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
ANSWER_TIMEOUT_S = 30.0


class Witness:
    """A connection to one tab."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = itertools.count(1)

    async def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in the page's own world."""
        number = next(self._numbers)
        params = {"expression": expression, "returnByValue": True}
        await self._connection.send(
            json.dumps({"id": number, "method": "Runtime.evaluate", "params": params})
        )
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            while (answer := json.loads(await self._connection.recv())).get("id") != number:
                continue
        return answer["result"]["result"].get("value")


@asynccontextmanager
async def witness(profile: Path, target: str) -> AsyncIterator[Witness]:
    """Connect to the tab `target` of the browser that runs in this profile with `PORT`."""
    port = (profile / "DevToolsActivePort").read_text().split()[0]
    async with connect(f"ws://127.0.0.1:{port}/devtools/page/{target}", max_size=None) as connection:
        yield Witness(connection)
