"""The same without async: `with uiap.sync.open(url) as ui: ui.act(…)`. One loop thread serves all of them.

Every method has the arguments of its namesake on `uiap.Ui` and waits for it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from types import TracebackType
from typing import Any, TypeVar

from uiap.api import opening
from uiap.api.graph import Graph
from uiap.api.result import Result
from uiap.api.seen import Expected, Waited
from uiap.api.trace import Trace
from uiap.api.ui import Found, Ui
from uiap.spec.capability import CapabilityDocument
from uiap.spec.tools import TabDescription, ToolsDialogToldPayload

__all__ = ["SyncUi", "connect", "open"]

T = TypeVar("T")


class _LoopThread:
    """An event loop on a thread of its own, started when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._running())
        try:
            return future.result()
        except BaseException:  # an interrupt here must not leave the work running there
            future.cancel()
            raise

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="uiap-sync", daemon=True).start()
            return self._loop


_thread = _LoopThread()


class SyncUi:
    """An open session, without async. Close it, or leave its `with`."""

    def __init__(self, ui: Ui) -> None:
        self._ui = ui

    def __enter__(self) -> SyncUi:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        _thread.run(self._ui.close())

    def observe(self) -> Graph:
        return _thread.run(self._ui.observe())

    def outline(self, **options: Any) -> str:
        return _thread.run(self._ui.outline(**options))

    def find(self, text: str, **options: Any) -> list[Found]:
        return _thread.run(self._ui.find(text, **options))

    def act(self, action: str, **options: Any) -> Result:
        return _thread.run(self._ui.act(action, **options))

    def navigate(self, url: str, **options: Any) -> Result:
        return _thread.run(self._ui.navigate(url, **options))

    def expect(self, signals: Sequence[Any], **options: Any) -> Expected:
        return _thread.run(self._ui.expect(signals, **options))

    def wait(self, **options: Any) -> Waited:
        return _thread.run(self._ui.wait(**options))

    def trace(self, of: Result | str) -> Trace:
        return _thread.run(self._ui.trace(of))

    def capabilities(self) -> CapabilityDocument:
        return _thread.run(self._ui.capabilities())

    def screenshot(self, *, annotated: bool = False) -> bytes:
        return _thread.run(self._ui.screenshot(annotated=annotated))

    def tabs(self, **asked: Any) -> tuple[TabDescription, ...]:
        return _thread.run(self._ui.tabs(**asked))

    def dialog(self, **asked: Any) -> ToolsDialogToldPayload:
        return _thread.run(self._ui.dialog(**asked))

    def evaluate(self, expression: str) -> Any:
        return _thread.run(self._ui.evaluate(expression))


def open(url: str, **options: Any) -> SyncUi:
    """`uiap.open`, waited for."""
    return SyncUi(_thread.run(_opened(opening.open(url, **options))))


def connect(url: str, **options: Any) -> SyncUi:
    """`uiap.connect`, waited for."""
    return SyncUi(_thread.run(_opened(opening.connect(url, **options))))


async def _opened(waiting: opening.Opening) -> Ui:
    ui: Ui = await waiting
    return ui
