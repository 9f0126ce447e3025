"""The API without async: `with uiap.sync.open(url) as ui: ui.act(…)`.

Every method takes the arguments of the `uiap.Ui` method of the same name and waits for it. One event loop in a thread
runs all sessions.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar

from uiap.api import open_session
from uiap.api.found import ElementMatch, Expected, PageOutline, Waited
from uiap.api.graph import Graph
from uiap.api.result import Result
from uiap.api.trace import Trace
from uiap.api.ui import Ui
from uiap.host.execution.app_actions import Handler
from uiap.spec.action import ActionConfirmationRequestPayload
from uiap.spec.capability import CapabilityDocument
from uiap.spec.core import SessionInitializedPayload
from uiap.spec.discovery import DiscoveryEnvironment, DiscoveryPackage
from uiap.spec.policy import PolicyDecision, PolicyDocumentPayload
from uiap.spec.tools import (
    DownloadDescription,
    TabDescription,
    ToolsBundleToldPayload,
    ToolsDialogToldPayload,
    ToolsLoggedPayload,
    ToolsPendingListedPayload,
    TraceSummary,
)

__all__ = ["SyncUi", "connect", "open"]

T = TypeVar("T")


class _LoopThread:
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


_thread = _LoopThread()


class SyncUi:
    """An open session, without async. Close it, or use it in a `with` statement."""

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

    def page_outline(self, **options: Any) -> PageOutline:
        return _thread.run(self._ui.page_outline(**options))

    def find(self, text: str, **options: Any) -> list[ElementMatch]:
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

    def tabs(self, **options: Any) -> tuple[TabDescription, ...]:
        return _thread.run(self._ui.tabs(**options))

    def dialog(self, **options: Any) -> ToolsDialogToldPayload:
        return _thread.run(self._ui.dialog(**options))

    def pending(self) -> tuple[ActionConfirmationRequestPayload, ...]:
        return _thread.run(self._ui.pending())

    def waiting(self) -> ToolsPendingListedPayload:
        return _thread.run(self._ui.waiting())

    def grant(self, handle: str) -> None:
        _thread.run(self._ui.grant(handle))

    def deny(self, handle: str, reason: str | None = None) -> None:
        _thread.run(self._ui.deny(handle, reason))

    def cancel(self, handle: str, reason: str | None = None) -> None:
        _thread.run(self._ui.cancel(handle, reason))

    def hand_back(self, handle: str, *, done: bool = True) -> None:
        _thread.run(self._ui.hand_back(handle, done=done))

    def policies(self) -> PolicyDocumentPayload:
        return _thread.run(self._ui.policies())

    def preflight(self, action: str, **options: Any) -> PolicyDecision:
        return _thread.run(self._ui.preflight(action, **options))

    def log(self, what: Literal["lines", "network", "all"] = "all", **options: Any) -> ToolsLoggedPayload:
        return _thread.run(self._ui.log(what, **options))

    def traces(self, limit: int = 20) -> tuple[TraceSummary, ...]:
        return _thread.run(self._ui.traces(limit))

    def save_state(self, file: str | Path | None = None, *, name: str | None = None) -> None:
        _thread.run(self._ui.save_state(file, name=name))

    def load_state(self, file: str | Path | None = None, *, name: str | None = None) -> None:
        _thread.run(self._ui.load_state(file, name=name))

    def states(self) -> tuple[str, ...]:
        return _thread.run(self._ui.states())

    def downloads(self, **options: Any) -> tuple[DownloadDescription, ...]:
        return _thread.run(self._ui.downloads(**options))

    def bundle(self) -> ToolsBundleToldPayload:
        return _thread.run(self._ui.bundle())

    def explore(
        self, environment: DiscoveryEnvironment, *, timeout_s: float = 600.0
    ) -> DiscoveryPackage | None:
        """Return the package of the run; a run that exceeds the timeout is stopped."""
        return _thread.run(_explore(self._ui, environment, timeout_s))

    def register(self, id: str, handler: Handler, **options: Any) -> Callable[[], None]:
        return self._ui.register(id, handler, **options)

    def on_confirmation(self, ask: Callable[[Any], None]) -> Callable[[], None]:
        return self._ui.on_confirmation(ask)

    @property
    def person(self) -> SyncUi | None:
        return None if self._ui.person is None else SyncUi(self._ui.person)

    @property
    def session(self) -> SessionInitializedPayload:
        return self._ui.session

    def evaluate(self, expression: str) -> Any:
        return _thread.run(self._ui.evaluate(expression))


def open(url: str, **options: Any) -> SyncUi:
    """Open a session as `uiap.open` does."""
    return SyncUi(_thread.run(_await(open_session.open(url, **options))))


def connect(url: str, **options: Any) -> SyncUi:
    """Connect to a session as `uiap.connect` does."""
    return SyncUi(_thread.run(_await(open_session.connect(url, **options))))


async def _explore(ui: Ui, environment: DiscoveryEnvironment, timeout_s: float) -> DiscoveryPackage | None:
    run = await ui.explore(environment)
    if not await run.wait(timeout_s):
        await run.stop()
        await run.wait(30.0)
    return run.package


async def _await(opener: open_session.SessionOpener) -> Ui:
    ui: Ui = await opener
    return ui
