"""One tab: its sessions, its frames, and everything that can block a call to the page.

A call waits for its reply and for everything that can prevent it: a JavaScript dialog, a crash, a closed tab, the
timeout. Messages of the page script are handled in `graph_feed.py`, gestures in `input/perform.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from uiap.drivers.chromium.connection.cdp import DEFAULT_TIMEOUT_S, CdpSession
from uiap.drivers.chromium.page import connection_script
from uiap.drivers.chromium.page.app_registry import install_registry
from uiap.drivers.chromium.page.console import watch_console
from uiap.drivers.chromium.page.frames import Document, Frame, Frames
from uiap.drivers.chromium.page.graph_feed import GraphFeed
from uiap.drivers.chromium.page.network import NetworkWatcher
from uiap.drivers.chromium.page.world import (
    BINDING,
    WorldConfig,
    as_target_gone,
    evaluation_params,
    install_page_script,
    install_tracer,
    replace_world,
    value_of,
)
from uiap.drivers.driver import Dialog, TabInfo
from uiap.drivers.errors import BlockedByDialog, CallFailed, CallTimedOut, DriverError, TargetGone
from uiap.drivers.events import (
    Crashed,
    FileChooserOpened,
    Hung,
    Navigated,
    PageDialogClosed,
    PageDialogOpened,
    Sink,
)


class Tab:
    """A page target and every out-of-process frame below it."""

    def __init__(
        self,
        tab_id: str,
        target_id: str,
        session: CdpSession,
        *,
        world: WorldConfig,
        emit: Sink,
        next_key: Callable[[], str],
        opener: str | None = None,
        guard_script: str = "",
    ) -> None:
        self.id = tab_id
        self.target_id = target_id
        self.session = session
        self.world = world
        self.opener = opener
        self.guard_script = guard_script
        """The script that the network guard runs in every document and worker; empty without a guard."""
        self.dialog: Dialog | None = None
        self.crashed = False
        self.crashes = 0
        self.chooser: dict[str, Any] | None = None
        self.closed: DriverError | None = None
        self.navigations = 0
        self._loading_stops = 0
        """The number of times the root document was replaced."""
        self._emit = emit
        self._waiters: list[asyncio.Future[None]] = []
        self._loaded: set[tuple[str, str]] = set()
        self._world_count = 0
        self._guard_script_id = ""
        self.network = NetworkWatcher(tab_id, target_id, emit)
        self.frames = Frames(
            target_id, session, binding=BINDING, next_key=next_key, listener=self, world=world.name
        )
        self.feed = GraphFeed(self, emit)
        session.on("Page.javascriptDialogOpening", self._on_dialog_opened)
        session.on("Page.javascriptDialogClosed", self._on_dialog_closed)
        session.on("Page.lifecycleEvent", self._on_lifecycle_event)
        session.on("Page.fileChooserOpened", self._on_chooser_opened)
        session.on_end(self._on_session_ended)

    async def start(self) -> None:
        """Prepare the tab, then let it run; a new tab is paused until then."""
        ready = self._prepare(self.session, self.target_id, None)
        self.session.send_and_forget("Emulation.setFocusEmulationEnabled", {"enabled": True})
        self.session.send_and_forget("Page.setLifecycleEventsEnabled", {"enabled": True})
        self.session.send_and_forget("Page.setInterceptFileChooserDialog", {"enabled": True})
        resumed = self.session.post("Runtime.runIfWaitingForDebugger")
        async with asyncio.timeout(DEFAULT_TIMEOUT_S):
            await asyncio.gather(ready, resumed)

    @property
    def info(self) -> TabInfo:
        return TabInfo(
            tab=self.id,
            url=self.frames.root.url,
            title=self.feed.title,
            opener=self.opener,
            crashed=self.crashed,
        )

    async def set_guard_script(self, source: str) -> None:
        """Run the script of the network guard in later documents and workers; an empty one ends that."""
        self.guard_script = source
        if self._guard_script_id:
            await connection_script.uninstall(self.session, self._guard_script_id)
        self._guard_script_id = await connection_script.install(self.session, source) if source else ""

    async def leave_page(self) -> None:
        """Replace the page by an empty one, which ends its workers and connections, and stop service workers."""
        await self.session.send("Page.navigate", {"url": "about:blank"})
        await self.session.send("ServiceWorker.enable")
        await self.session.send("ServiceWorker.stopAllWorkers")
        await self.session.send("ServiceWorker.disable")

    # ------------------------------------------------------------------ calls to the page

    async def evaluate_isolated(
        self, document: Document, expression: str, *, timeout: float = DEFAULT_TIMEOUT_S
    ) -> Any:
        """Evaluate an expression in the document's isolated world; never while a dialog is open."""
        return await self.evaluate(document.session, evaluation_params(document, expression), timeout=timeout)

    async def evaluate(self, session: CdpSession, params: dict[str, Any], *, timeout: float) -> Any:
        return value_of(await self.call(session, "Runtime.evaluate", params, timeout=timeout))

    async def call(
        self, session: CdpSession, method: str, params: dict[str, Any], *, timeout: float = DEFAULT_TIMEOUT_S
    ) -> dict[str, Any]:
        """Call a method that the page itself must answer; raise if a dialog blocks it or it hangs."""
        if self.dialog is not None:
            raise _blocked_by(self.dialog)
        reply = session.post(method, params)
        answered = await self.wait_until(lambda: reply.done() or self.dialog is not None, timeout, reply)
        if reply.done():
            try:
                return reply.result()
            except CallFailed as error:
                raise as_target_gone(error) from error
        reply.cancel()
        if self.dialog is not None:
            raise _blocked_by(self.dialog)
        assert not answered
        self._emit(Hung(tab=self.id, at=time.monotonic(), seconds=timeout))
        raise CallTimedOut(method, timeout)

    def evaluate_and_forget(self, document: Document, expression: str) -> None:
        """Evaluate without waiting; do nothing while a dialog is open (see `GraphFeed.resume`)."""
        if self.dialog is None and not document.gone:
            document.session.send_and_forget("Runtime.evaluate", evaluation_params(document, expression))

    async def wait_until(
        self, condition: Callable[[], Any], timeout: float, *futures: asyncio.Future[Any]
    ) -> bool:
        """Wait until `condition` holds, and return whether it does; recheck it after every event of this tab."""
        for future in futures:
            future.add_done_callback(lambda _: self.notify())
        try:
            async with asyncio.timeout(timeout):
                while not condition():
                    waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                    self._waiters.append(waiter)
                    await waiter
        except TimeoutError:
            return bool(condition())
        return True

    def notify(self) -> None:
        """Make everyone in `wait_until` recheck the condition."""
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    def has_loaded(self, loader: str, stage: str = "DOMContentLoaded") -> bool:
        return (loader, stage) in self._loaded

    # ------------------------------------------------------------------ dialogs, choosers, crashes

    async def answer_dialog(self, accept: bool, text: str | None) -> None:
        if self.dialog is None:
            raise CallFailed("dialog", 0, "no dialog is open")
        params: dict[str, Any] = {"accept": accept}
        if text is not None:
            params["promptText"] = text
        is_leaving = accept and self.dialog.kind == "beforeunload"
        stops, navigations = self._loading_stops, self.navigations
        await self.session.send("Page.handleJavaScriptDialog", params)
        await self.wait_until(lambda: self.dialog is None or self.closed, DEFAULT_TIMEOUT_S)
        if is_leaving:  # a read after the answer must see the page that was agreed to

            def has_left() -> bool:
                shows_next = self.navigations != navigations and self.feed.has_published
                return bool(shows_next or self._loading_stops != stops or self.dialog or self.closed)

            await self.wait_until(has_left, DEFAULT_TIMEOUT_S)

    def _on_dialog_opened(self, event: dict[str, Any]) -> None:
        self.dialog = Dialog(
            kind=event["type"],
            message=event["message"],
            default=event.get("defaultPrompt", ""),
            url=event["url"],
        )
        self._emit(
            PageDialogOpened(
                tab=self.id,
                at=time.monotonic(),
                kind=self.dialog.kind,
                message=self.dialog.message,
                default=self.dialog.default,
                url=self.dialog.url,
            )
        )
        self.notify()

    def _on_dialog_closed(self, event: dict[str, Any]) -> None:
        self.dialog = None
        self._emit(PageDialogClosed(tab=self.id, at=time.monotonic(), accepted=bool(event["result"])))
        self.feed.resume()
        self.notify()

    def _on_chooser_opened(self, event: dict[str, Any]) -> None:
        self.chooser = event
        multiple = event.get("mode") == "selectMultiple"
        self._emit(FileChooserOpened(tab=self.id, at=time.monotonic(), multiple=multiple))
        self.notify()

    def _on_crashed(self, session: CdpSession) -> None:
        gone = TargetGone("the tab crashed; navigate to continue")
        session.fail_pending(gone)
        self.frames.remove_documents_of(session)
        if session is self.session and not self.crashed:
            self.crashed = True
            self.crashes += 1
            self.dialog = None
            self.network.fail_all()
            self._emit(Crashed(tab=self.id, at=time.monotonic()))
        self.notify()

    def _on_session_ended(self, reason: DriverError) -> None:
        self.closed = reason
        self.dialog = None
        self.notify()

    def _on_loading_stopped(self, event: dict[str, Any]) -> None:
        self._loading_stops += 1
        self.notify()

    def _on_lifecycle_event(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self.frames.root.id:
            if event["name"] == "init":
                self._loaded.clear()
            self._loaded.add((event["loaderId"], event["name"]))
            self.notify()

    # ------------------------------------------------------------------ sessions

    def _prepare(
        self, session: CdpSession, frame_id: str, parent_id: str | None
    ) -> asyncio.Future[dict[str, Any]]:
        """Send everything that a session needs before its documents run, without waiting in between."""
        self.frames.watch(session, frame_id, parent_id)
        session.on("Inspector.targetCrashed", lambda _: self._on_crashed(session))
        session.on("Target.attachedToTarget", self._on_target_attached)
        session.on("Page.frameStoppedLoading", self._on_loading_stopped)
        session.send_and_forget("Page.enable")
        session.post("Page.getFrameTree", then=lambda reply: self.frames.seed(session, reply["frameTree"]))
        session.send_and_forget("Runtime.enable")
        # With async stacks, a request sent by a timer is not mistaken for the effect of an input.
        session.send_and_forget("Runtime.setAsyncCallStackDepth", {"maxDepth": 8})
        install_tracer(session, self.world)
        install_page_script(session, self.world)
        install_registry(session)
        if self.guard_script:
            connection_script.install_at_start(session, self.guard_script)
        self.network.watch(session)
        watch_console(session, self.id, self._emit)
        return session.post(
            "Target.setAutoAttach",
            {
                "autoAttach": True,
                "waitForDebuggerOnStart": True,
                "flatten": True,
                # Workers also wait for a debugger, so we must attach to them and resume them.
                "filter": [{"type": "iframe"}, {"type": "worker"}],
            },
        )

    def _on_target_attached(self, event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        session = self.session.sibling(event["sessionId"])
        if target["type"] == "worker":
            connection_script.start_worker(session, self.guard_script)
            return
        self._prepare(session, target["targetId"], target.get("parentFrameId"))
        session.send_and_forget("Runtime.runIfWaitingForDebugger")
        if not event["waitingForDebugger"]:  # its document existed before we attached
            self.network.end_navigation_of(target["targetId"])

    # ------------------------------------------------------------------ FrameListener

    def document_created(self, document: Document) -> None:
        self.feed.add(document)

    def document_replaced(self, frame: Frame) -> None:
        self._world_count += 1
        created = replace_world(frame, self.world, self._world_count)
        created.add_done_callback(lambda _: self._run_page_script(frame))

    def _run_page_script(self, frame: Frame) -> None:
        """Run our script ourselves, because the browser does not run it in a world that we created."""
        if (document := frame.document) is not None:
            self.feed.send(document, self.world.source())
            self.feed.boot(document)

    def document_gone(self, document: Document) -> None:
        self.feed.remove(document)
        self.notify()

    def frame_gone(self, frame: Frame) -> None:
        self.network.fail_requests_of(frame.id)
        self.feed.remove_frame(frame)

    def frame_navigated(self, frame: Frame, new_document: bool) -> None:
        if new_document:
            self.network.fail_requests_of(frame.id, frame.loader)
        if new_document and frame.session is not frame.host_session:
            self.network.end_navigation_of(frame.id)
        if frame.is_root:
            self.crashed = False
            self.navigations += new_document
        document = None if frame.is_root or frame.document is None else frame.document.key
        if frame.is_root or document is not None:
            self._emit(
                Navigated(
                    tab=self.id,
                    at=time.monotonic(),
                    url=frame.url if frame.is_root else "",
                    new_document=new_document,
                    document=document,
                )
            )
        self.notify()

    def message_pushed(self, document: Document, payload: str) -> None:
        self.feed.receive(document, payload)
        self.notify()


def _blocked_by(dialog: Dialog) -> BlockedByDialog:
    return BlockedByDialog(f"a JavaScript {dialog.kind} is open: `{dialog.message[:200]}`; answer it first")
