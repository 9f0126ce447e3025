"""A store of run records that a run waits for: a database that is away costs time, and never a page or a step."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat
from typing import TypeVar

from uiap.host.workflows.run_store import STORE_FAILURES, IntentClaim, RunStore, StoredMessage

T = TypeVar("T")
RETRY_S = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""How long a run waits after each failure. The last one repeats, except for an intent: then nothing is done."""
log = logging.getLogger("uiap.workflows")


class WaitingStore:
    """The records of one run. Calls that may take long do not block the event loop."""

    def __init__(self, store: RunStore, run_id: str) -> None:
        self._store, self._run_id = store, run_id

    async def claim(self, key: str, token: str, held: tuple[int, ...]) -> IntentClaim:
        """Claim an intent. Claiming again is safe: the token tells a claim of this execution from any other."""
        return await self._ask(lambda: self._store.claim(key, token, held), RETRY_S)

    async def claim_of(self, key: str) -> IntentClaim | None:
        return await self._ask(lambda: self._store.claim_of(key))

    async def deadline(self, key: str, wall_s: float) -> float:
        return await self._ask(lambda: self._store.deadline(key, wall_s))

    async def messages_after(self, number: int) -> Sequence[StoredMessage]:
        return await self._ask(lambda: self._store.messages_after(self._run_id, number))

    async def wants_picture(self, key: str) -> bool:
        return await self._ask(lambda: self._store.wants_picture(key), ())

    async def keep_picture(self, key: str, png: str) -> None:
        await self._ask(lambda: self._store.keep_picture(key, png), ())

    async def picture(self, key: str) -> str:
        return await self._ask(lambda: self._store.picture(key))

    async def _ask(self, call: Callable[[], T], waits: Iterable[float] | None = None) -> T:
        """Return the answer of the store. While it fails, wait and ask again."""
        for wait_s in chain(RETRY_S, repeat(RETRY_S[-1])) if waits is None else waits:
            try:
                return await self._once(call)
            except STORE_FAILURES as error:
                log.warning("run %s waits for its database: %s", self._run_id, error)
                await asyncio.sleep(wait_s)
        return await self._once(call)

    async def _once(self, call: Callable[[], T]) -> T:
        return await asyncio.to_thread(call) if self._store.blocks else call()
