"""One tab: its sessions, its frames, and what stands in the way of asking it anything.

Answers of the page are awaited together with everything that can prevent them: a JavaScript dialog, a
crash, a closed tab, the bound. Meaning of the publisher's messages is in `graph_feed.py`, gestures in `perform.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from uiap.drivers.chromium.connection.cdp import DEFAULT_TIMEOUT, CdpSession
from uiap.drivers.chromium.page.app_registry import install_registry
from uiap.drivers.chromium.page.console import watch_console
from uiap.drivers.chromium.page.frames import Document, Frame, Frames
from uiap.drivers.chromium.page.graph_feed import GraphFeed
from uiap.drivers.chromium.page.network import Network
from uiap.drivers.chromium.page.world import (
    BINDING,
    WorldConfig,
    evaluation,
    gone_if_navigated,
    install,
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
    ) -> None:
        self.id = tab_id
        self.target_id = target_id
        self.session = session
        self.world = world
        self.opener = opener
        self.dialog: Dialog | None = None
        self.crashed = False
        self.crashes = 0
        self.chooser: dict[str, Any] | None = None
        self.closed: DriverError | None = None
        self.navigations = 0
        """Counts what replaced the root document."""
        self._emit = emit
        self._waiting: list[asyncio.Future[None]] = []
        self._loaded: set[tuple[str, str]] = set()
        self._worlds = 0
        self.network = Network(tab_id, emit)
        self.frames = Frames(
            target_id, session, binding=BINDING, next_key=next_key, listener=self, world=world.name
        )
        self.feed = GraphFeed(self, emit)
        session.on("Page.javascriptDialogOpening", self._dialog_opened)
        session.on("Page.javascriptDialogClosed", self._dialog_closed)
        session.on("Page.lifecycleEvent", self._lifecycle)
        session.on("Page.fileChooserOpened", self._chooser_opened)
        session.on_end(self._ended)

    async def start(self) -> None:
        """Prepare the tab and let it run (a new one waits for us)."""
        ready = self._prepare(self.session, self.target_id, None)
        self.session.tell("Emulation.setFocusEmulationEnabled", {"enabled": True})
        self.session.tell("Page.setLifecycleEventsEnabled", {"enabled": True})
        self.session.tell("Page.setInterceptFileChooserDialog", {"enabled": True})
        resumed = self.session.post("Runtime.runIfWaitingForDebugger")
        async with asyncio.timeout(DEFAULT_TIMEOUT):
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

    # ------------------------------------------------------------------ asking

    async def ask(self, document: Document, expression: str, *, timeout: float = DEFAULT_TIMEOUT) -> Any:
        """Evaluate in the document's isolated world. Never sent while a dialog stands open."""
        return await self.evaluate(document.session, evaluation(document, expression), timeout=timeout)

    async def evaluate(self, session: CdpSession, params: dict[str, Any], *, timeout: float) -> Any:
        return value_of(await self.call(session, "Runtime.evaluate", params, timeout=timeout))

    async def call(
        self, session: CdpSession, method: str, params: dict[str, Any], *, timeout: float = DEFAULT_TIMEOUT
    ) -> dict[str, Any]:
        """A call the page itself must answer, so that a dialog or a hang has to be expected."""
        if self.dialog is not None:
            raise _blocked(self.dialog)
        reply = session.post(method, params)
        answered = await self.until(lambda: reply.done() or self.dialog is not None, timeout, reply)
        if reply.done():
            try:
                return reply.result()
            except CallFailed as error:
                raise gone_if_navigated(error) from error
        reply.cancel()
        if self.dialog is not None:
            raise _blocked(self.dialog)
        assert not answered
        self._emit(Hung(tab=self.id, at=time.monotonic(), seconds=timeout))
        raise CallTimedOut(method, timeout)

    def tell(self, document: Document, expression: str) -> None:
        """Evaluate without waiting; dropped while a dialog stands open (see `GraphFeed.resume`)."""
        if self.dialog is None and not document.gone:
            document.session.tell("Runtime.evaluate", evaluation(document, expression))

    async def until(
        self, condition: Callable[[], Any], timeout: float, *futures: asyncio.Future[Any]
    ) -> bool:
        """Wait until `condition` holds, looking again after everything that happens to this tab."""
        for future in futures:
            future.add_done_callback(lambda _: self.notify())
        try:
            async with asyncio.timeout(timeout):
                while not condition():
                    turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                    self._waiting.append(turn)
                    await turn
        except TimeoutError:
            return bool(condition())
        return True

    def notify(self) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def has_loaded(self, loader: str, stage: str = "DOMContentLoaded") -> bool:
        return (loader, stage) in self._loaded

    # ------------------------------------------------------------------ what stands in the way

    async def answer_dialog(self, accept: bool, text: str | None) -> None:
        if self.dialog is None:
            raise CallFailed("dialog", 0, "no dialog is open")
        params: dict[str, Any] = {"accept": accept}
        if text is not None:
            params["promptText"] = text
        await self.session.send("Page.handleJavaScriptDialog", params)
        await self.until(lambda: self.dialog is None or self.closed, DEFAULT_TIMEOUT)

    async def interrupt(self) -> None:
        """End the script that keeps the page busy."""
        await self.session.send("Runtime.terminateExecution")

    def _dialog_opened(self, event: dict[str, Any]) -> None:
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

    def _dialog_closed(self, event: dict[str, Any]) -> None:
        self.dialog = None
        self._emit(PageDialogClosed(tab=self.id, at=time.monotonic(), accepted=bool(event["result"])))
        self.feed.resume()
        self.notify()

    def _chooser_opened(self, event: dict[str, Any]) -> None:
        self.chooser = event
        multiple = event.get("mode") == "selectMultiple"
        self._emit(FileChooserOpened(tab=self.id, at=time.monotonic(), multiple=multiple))
        self.notify()

    def _crashed(self, session: CdpSession) -> None:
        gone = TargetGone("the tab crashed; navigate to go on")
        session.fail_pending(gone)
        self.frames.forget_world(session)
        if session is self.session and not self.crashed:
            self.crashed = True
            self.crashes += 1
            self.dialog = None
            self.network.forget()
            self._emit(Crashed(tab=self.id, at=time.monotonic()))
        self.notify()

    def _ended(self, reason: DriverError) -> None:
        self.closed = reason
        self.dialog = None
        self.notify()

    def _lifecycle(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self.frames.root.id:
            if event["name"] == "init":
                self._loaded.clear()
            self._loaded.add((event["loaderId"], event["name"]))
            self.notify()

    # ------------------------------------------------------------------ sessions

    def _prepare(
        self, session: CdpSession, frame_id: str, parent_id: str | None
    ) -> asyncio.Future[dict[str, Any]]:
        """Everything a session needs before its documents run, written in one go."""
        self.frames.watch(session, frame_id, parent_id)
        session.on("Inspector.targetCrashed", lambda _: self._crashed(session))
        session.on("Target.attachedToTarget", self._frame_attached)
        session.tell("Page.enable")
        session.post("Page.getFrameTree", then=lambda said: self.frames.seed(session, said["frameTree"]))
        session.tell("Runtime.enable")
        # so that a request sent by a timer says so, and is not taken for the effect of an input
        session.tell("Runtime.setAsyncCallStackDepth", {"maxDepth": 8})
        install(session, self.world)
        install_registry(session)
        self.network.watch(session)
        watch_console(session, self.id, self._emit)
        return session.post(
            "Target.setAutoAttach",
            {
                "autoAttach": True,
                "waitForDebuggerOnStart": True,
                "flatten": True,
                # a worker we did not ask for would wait for a debugger too, and for ever
                "filter": [{"type": "iframe"}, {"type": "worker"}],
            },
        )

    def _frame_attached(self, event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        session = self.session.sibling(event["sessionId"])
        if target["type"] == "worker":
            session.tell("Runtime.runIfWaitingForDebugger")
            return
        self._prepare(session, target["targetId"], target.get("parentFrameId"))
        session.tell("Runtime.runIfWaitingForDebugger")
        if not event["waitingForDebugger"]:  # its document was there before us
            self.network.arrived(target["targetId"])

    # ------------------------------------------------------------------ FrameListener

    def document_created(self, document: Document) -> None:
        self.feed.add(document)

    def document_replaced(self, frame: Frame) -> None:
        self._worlds += 1
        made = replace_world(frame, self.world, self._worlds)
        made.add_done_callback(lambda _: self._run_bundle(frame))

    def _run_bundle(self, frame: Frame) -> None:
        """Nobody runs our script in a world we made ourselves."""
        if (document := frame.document) is not None:
            self.feed.say(document, self.world.source())
            self.feed.boot(document)

    def document_gone(self, document: Document) -> None:
        self.feed.remove(document)
        self.notify()

    def frame_gone(self, frame: Frame) -> None:
        self.network.left(frame.id)
        self.feed.remove_frame(frame)

    def frame_navigated(self, frame: Frame, new_document: bool) -> None:
        if new_document:
            self.network.left(frame.id, frame.loader)
        if new_document and frame.session is not frame.host_session:
            self.network.arrived(frame.id)
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

    def pushed(self, document: Document, payload: str) -> None:
        self.feed.take(document, payload)
        self.notify()


def _blocked(dialog: Dialog) -> BlockedByDialog:
    return BlockedByDialog(f"a JavaScript {dialog.kind} is open: `{dialog.message[:200]}`; answer it first")
