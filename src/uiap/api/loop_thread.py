"""One event loop in a thread of its own, for callers without async."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """An event loop in its own thread, started on first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._started_loop())
        try:
            return future.result()
        except BaseException:  # an interrupt must also cancel the coroutine in the loop
            future.cancel()
            raise

    def _started_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="uiap-sync", daemon=True).start()
            return self._loop


thread = LoopThread()
"""The thread of all sessions."""
