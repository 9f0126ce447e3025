"""Turn the messages of the page scripts in all documents into the tab's `GraphChanged` events.

Boots the page script where it may run, checks and acknowledges its messages, and rereads a document when a delta was
lost. `documents.py` decides when a child document joins the graph; `merge.py` merges.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Iterable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from uiap.drivers.chromium.connection.cdp import DEFAULT_TIMEOUT_S
from uiap.drivers.chromium.page.documents import TrackedDocument, TrackedDocuments
from uiap.drivers.chromium.page.frames import Document, Frame
from uiap.drivers.chromium.page.hosts import confirm_closed_roots
from uiap.drivers.chromium.page.inputs import reported_input
from uiap.drivers.chromium.page.merge import TabGraph
from uiap.drivers.chromium.page.messages import (
    AnswerPush,
    AnyPush,
    DeltaPush,
    FrameDelta,
    FrameGraph,
    GraphPush,
    GuardVerdict,
    Hello,
    InputPush,
    OriginRefused,
    OutsidePush,
    PaintPush,
    PartPush,
    PushRejected,
    SignalPush,
    WorkPush,
    read_push,
)
from uiap.drivers.chromium.page.reports import reported_event
from uiap.drivers.chromium.page.slices import SlicedWork, slices_of
from uiap.drivers.chromium.page.world import sdk_call
from uiap.drivers.errors import CallFailed, CallTimedOut, DriverError, TargetGone
from uiap.drivers.events import (
    GraphChanged,
    GuardTripped,
    PageError,
    SignalObserved,
    Sink,
)
from uiap.instant import timestamp
from uiap.origin import OPAQUE
from uiap.spec.web import ElementNode, PageGraph, PageGraphDelta, SnapshotReason

if TYPE_CHECKING:
    from uiap.drivers.chromium.page.tab import Tab

MAX_FLUSH_ROUNDS = 5  # a page that never stops changing is read as it is

# The flush runs as a timer task of the page, so that timers which are already due run before it, even on a busy page.
FULL_FLUSH, QUICK_FLUSH = (
    f"new Promise((done) => setTimeout(() => done({sdk_call('flush', options)}), 0))"
    for options in (None, {"glance": True})
)


class GraphFeed:
    """Receives the messages of all page scripts of one tab, and emits its graph."""

    def __init__(self, tab: Tab, emit: Sink) -> None:
        self.tab = tab
        self.graph = TabGraph(_timestamp)
        self.documents = TrackedDocuments(self)
        self.verdicts: list[GuardVerdict] = []
        """The verdicts of the guard since it was last armed."""
        self._emit = emit
        self._deferred: list[tuple[Document, str]] = []
        self._sliced = SlicedWork()
        self._late_answers: dict[str, TrackedDocument] = {}
        """Documents whose last delta is applied and not acknowledged yet: they send too much."""
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def seq(self) -> int:
        return self.graph.seq

    @property
    def title(self) -> str:
        route = self.graph.route
        return (route.title or "") if route else ""

    @property
    def has_published(self) -> bool:
        """Whether the current root document has published its graph."""
        root = self.tab.frames.root.document
        return root is not None and root.key in self.graph.parts

    def booted_documents(self) -> list[Document]:
        """Return the documents in which our page script runs."""
        return [tracked.document for tracked in self.documents if tracked.seq and tracked.readable]

    # ------------------------------------------------------------------ documents

    def add(self, document: Document) -> None:
        """Track a new document: boot its page script, or publish it as opaque."""
        root = self.tab.frames.root.document
        origin = root.origin if root is not None else OPAQUE
        tracked = TrackedDocument(document, self.tab.world.access(document, origin))
        if not self.documents.add(tracked):
            return
        if tracked.readable:
            self.boot(document)
        else:
            self.documents.offer(tracked)
        if document.frame.is_root:
            self._boot_early(document.origin)

    def _boot_early(self, root_origin: str) -> None:
        """Boot frames of other processes that appeared before the root, whose origin decides their access."""
        for tracked in self.documents:
            if tracked.seq == 0 and not tracked.document.frame.is_root:
                tracked.access = self.tab.world.access(tracked.document, root_origin)
                self.boot(tracked.document)

    def boot(self, document: Document) -> None:
        """Start the page script if it may run in the document; a second call has no effect."""
        tracked, root = self.documents.get(document.key), self.tab.frames.root.document
        if tracked is not None and tracked.readable and root is not None:
            self.send(document, self.tab.world.boot_call(document, root.origin))
            if self.tab.world.inputs.mode != "off":
                self.send(document, self.tab.world.inputs.call)

    def remove(self, document: Document) -> None:
        self.documents.remove(document)

    def remove_frame(self, frame: Frame) -> None:
        self.documents.retire_frame(frame)

    # ------------------------------------------------------------------ incoming

    def receive(self, document: Document, payload: str) -> None:
        """Handle one message of the page script in `document`; report invalid messages as `PageError`."""
        tracked = self.documents.get(document.key)
        if tracked is None or not tracked.readable:
            return
        try:
            push = read_push(payload, document.key, root=document.frame.is_root)
            if isinstance(push, Hello):
                self.boot(document)
            elif push.key != self.tab.world.secret:
                raise PushRejected("the message does not have the secret of this session")
            elif isinstance(push, GuardVerdict):
                self._on_verdict(push)
            else:
                self._sliced.do(lambda: self._handle_push(tracked, push))
        except PushRejected as rejected:
            text = str(rejected)[:500]
            self._emit(PageError(tab=self.tab.id, at=time.monotonic(), text=text, source="channel"))

    def _handle_push(self, tracked: TrackedDocument, push: AnyPush) -> None:
        match push:
            case PartPush():
                tracked.parts.append(push)
            case GraphPush():
                self._on_graph(tracked, push.seq, tracked.whole(push))
            case DeltaPush():
                self._on_delta(tracked, push)
            case SignalPush():
                self._on_signal(tracked, push)
            case PaintPush() | WorkPush() | AnswerPush() | OutsidePush():
                self._emit(reported_event(push, self.tab.id, time.monotonic()))
            case InputPush():
                self._emit(reported_input(push, self.tab.id))
            case OriginRefused():
                tracked.access = "opaque"
                tracked.document.origin = push.origin or OPAQUE
                self.documents.offer(tracked)

    def _on_graph(self, tracked: TrackedDocument, seq: int, graph: FrameGraph) -> None:
        tracked.seq = seq
        if tracked.key in self.graph.parts:
            self.emit_delta(self.graph.publish(tracked.node(graph), graph))
        elif tracked.document.frame.is_root:
            reason: SnapshotReason = "navigation" if self.seq else "initial"
            self._emit_graph(self.graph.begin(tracked.node(graph), graph), reason)
        else:
            tracked.graph = graph
            self.documents.offer(tracked)
            return
        self.acknowledge(tracked)
        self.documents.offer_waiting()
        self.spawn(confirm_closed_roots(self.tab, tracked.document, tracked.checked))

    def _on_delta(self, tracked: TrackedDocument, push: DeltaPush) -> None:
        if tracked.rereading:
            tracked.queue.append(push)
            return
        if tracked.key not in self.graph.parts:
            return  # its host is not published yet; the document is reread when it is
        if push.base != tracked.seq:
            self.reread(tracked)
            return
        tracked.seq = push.seq
        slices = slices_of(push.delta)
        if len(slices) == 1:
            self._apply(tracked, push, push.delta)
            self._finish_delta(tracked, push)
        else:
            self._sliced.begin()
            self.spawn(self._apply_slices(tracked, push, slices))

    async def _apply_slices(
        self, tracked: TrackedDocument, push: DeltaPush, slices: list[FrameDelta]
    ) -> None:
        def step(part: FrameDelta) -> bool:
            if tracked.seq != push.seq or tracked.key not in self.graph.parts:
                return False  # the document was read again, or it is gone
            self._apply(tracked, push, part)
            if part is slices[-1]:
                self._finish_delta(tracked, push)
            return True

        await self._sliced.run([partial(step, part) for part in slices])

    def _apply(self, tracked: TrackedDocument, push: DeltaPush, delta: FrameDelta) -> None:
        self.documents.retire_orphans(delta)
        whole = self.graph.truncated is None
        self.emit_delta(
            self.graph.apply_delta(tracked.key, delta), push.caused_by, push.not_caused, push.dismissed
        )
        # A delta has no member for truncation, so only a whole graph can report it.
        if self.graph.known_inconsistent or (self.graph.truncated is None) != whole:
            self.spawn(self._read_all())

    def _finish_delta(self, tracked: TrackedDocument, push: DeltaPush) -> None:
        self._acknowledge_in_time(tracked)
        elements = push.delta.elements
        if elements and elements.added:
            self.documents.offer_waiting()
            self._check_closed_roots(tracked, elements.added)

    def _acknowledge_in_time(self, tracked: TrackedDocument) -> None:
        """Acknowledge a delta. A page that sends too much waits, because it sends nothing before the answer."""
        pause_s = self._sliced.share.pause_s()
        if pause_s <= 0:
            self.acknowledge(tracked)
            return
        self._late_answers[tracked.key] = tracked
        asyncio.get_running_loop().call_later(pause_s, self._send_late_answers)

    def _send_late_answers(self) -> None:
        late, self._late_answers = self._late_answers, {}
        for tracked in late.values():
            if not tracked.document.gone:
                self.acknowledge(tracked)

    def _on_signal(self, tracked: TrackedDocument, push: SignalPush) -> None:
        self._emit(
            SignalObserved(
                tab=self.tab.id,
                at=time.monotonic(),
                signal=push.signal,
                document=tracked.key,
                seq=self.seq,
                token=(push.attribution or {}).get("causedBy"),
            )
        )

    def _on_verdict(self, push: GuardVerdict) -> None:
        self.verdicts.append(push)
        if not push.ok:
            self._emit(
                GuardTripped(
                    tab=self.tab.id,
                    at=time.monotonic(),
                    node=push.node,
                    token=push.token,
                    reason=push.reason,
                    event=push.event,
                )
            )

    def _check_closed_roots(self, tracked: TrackedDocument, added: tuple[ElementNode, ...]) -> None:
        candidates = [
            node.instance_id for node in added if (node.metadata or {}).get("closedShadowCandidate")
        ]
        if candidates:
            self.spawn(confirm_closed_roots(self.tab, tracked.document, tracked.checked, candidates))

    # ------------------------------------------------------------------ reading on demand

    async def current(self, *, boxes: bool, timeout: float) -> PageGraph:
        """Return the whole graph as it is now; with `boxes`, every element has its bounding box.

        Frames and closed shadow roots are checked by separate tasks, and this method waits for them. A shadow root
        may have been attached after its element was read, so all elements are checked again.
        """
        await self.wait_until_published(timeout)
        flushing = asyncio.get_running_loop().create_task(self.flush(timeout=timeout))
        await asyncio.sleep(0)  # let the flush send first, so that the checks below are answered after it
        checks = {
            self.spawn(confirm_closed_roots(self.tab, tracked.document, set()))
            for tracked in self.readable_documents()
        }
        await flushing
        reading = self._tasks - checks  # reads of frames that the flush has started
        if pending := reading | checks:
            await asyncio.wait(pending, timeout=min(timeout, 5.0))
        found_roots = any(not check.done() or check.result() for check in checks)
        if reading or found_roots:
            await self.flush(timeout=timeout)
        if boxes or not self.graph.is_consistent:
            await self._read_all({"includeBBox": boxes}, timeout)
        return self.graph.current()

    async def flush(self, *, timeout: float, quick: bool = False) -> int:
        """Make every document report all changes, and return the revision number; the deltas arrive first."""
        for _ in range(MAX_FLUSH_ROUNDS):
            await self.wait_until_published(timeout)
            await self.documents.wait_for_reloads()
            try:
                for tracked in self.readable_documents():
                    await self._flush_one(tracked, timeout, QUICK_FLUSH if quick else FULL_FLUSH)
            except TargetGone:
                if self.tab.closed or self.tab.crashed:
                    raise
                continue  # the page navigated meanwhile; flush the new one
            break
        return self.seq

    async def _flush_one(self, tracked: TrackedDocument, timeout: float, expression: str) -> None:
        try:
            for _ in range(MAX_FLUSH_ROUNDS):
                await self._wait_for_slices(timeout)
                self._send_late_answers()
                answer = await self.tab.evaluate_isolated(tracked.document, expression, timeout=timeout)
                if not msgspec.json.decode(answer).get("pending"):
                    break
            await self._wait_for_slices(timeout)
        except TargetGone:
            await self.tab.wait_until(
                lambda: tracked.document.gone or self.tab.closed or self.tab.crashed, 1.0
            )
            if tracked.document.frame.is_root:
                raise

    async def _wait_for_slices(self, timeout: float) -> None:
        try:
            await self._sliced.idle(timeout)
        except TimeoutError:
            raise CallTimedOut("observe", timeout) from None

    async def wait_until_published(self, timeout: float) -> None:
        """Wait until the current root document has published."""
        tab = self.tab
        if not await tab.wait_until(
            lambda: self.has_published or tab.closed or tab.crashed or tab.dialog, timeout
        ):
            raise CallTimedOut("observe", timeout)
        if tab.closed or tab.crashed:
            raise tab.closed or TargetGone("the tab crashed; navigate to continue")

    def reread(self, tracked: TrackedDocument) -> None:
        """Read one whole document; deltas that arrive meanwhile are queued."""
        if not tracked.rereading:
            tracked.rereading = True
            self.spawn(self._read_one(tracked))

    async def _read_one(self, tracked: TrackedDocument) -> None:
        try:
            push = await self._read(tracked, {}, DEFAULT_TIMEOUT_S)
            if not tracked.document.gone:
                self._on_graph(tracked, push.seq, push.graph)
        finally:
            self._apply_queued(tracked)

    async def _read_all(self, request: Any = None, timeout: float = DEFAULT_TIMEOUT_S) -> None:
        """Read all documents and replace the graph; later deltas apply to the new one."""
        documents = self.readable_documents()
        for tracked in documents:
            tracked.rereading = True
        try:
            pushes = await asyncio.gather(
                *(self._read(tracked, request or {}, timeout) for tracked in documents)
            )
            pairs = []
            for tracked, push in zip(documents, pushes, strict=True):
                tracked.seq = push.seq
                pairs.append((tracked.node(push.graph), push.graph))
            self._emit_graph(self.graph.replace_all(pairs), "resync")
        finally:
            for tracked in documents:
                self._apply_queued(tracked)

    def _apply_queued(self, tracked: TrackedDocument) -> None:
        tracked.rereading = False
        waiting, tracked.queue = tracked.queue, []
        for push in waiting:
            if push.seq > tracked.seq:
                self._on_delta(tracked, push)

    async def _read(self, tracked: TrackedDocument, request: Any, timeout: float) -> GraphPush:
        document = tracked.document
        text = await self.tab.evaluate_isolated(document, sdk_call("snapshot", request), timeout=timeout)
        try:
            push = read_push(str(text), document.key, root=document.frame.is_root)
        except PushRejected as rejected:
            raise CallFailed("snapshot", 0, str(rejected)) from rejected
        if not isinstance(push, GraphPush):
            raise CallFailed("snapshot", 0, "the page script returned no graph")
        return push

    def readable_documents(self) -> list[TrackedDocument]:
        """Return the readable documents of the graph, root first."""
        found = [self.documents.get(key) for key in self.graph.parts]
        return [tracked for tracked in found if tracked is not None and tracked.readable]

    # ------------------------------------------------------------------ outgoing

    def resume(self) -> None:
        """Send the deferred expressions after a dialog has closed."""
        deferred, self._deferred = self._deferred, []
        for document, expression in deferred:
            self.send(document, expression)

    def send(self, document: Document, expression: str) -> None:
        """Evaluate an expression without waiting; defer it while a dialog is open."""
        if self.tab.dialog is not None:
            self._deferred.append((document, expression))
        else:
            self.tab.evaluate_and_forget(document, expression)

    def acknowledge(self, tracked: TrackedDocument) -> None:
        self.send(tracked.document, f"globalThis.__uiap.ack({tracked.seq})")

    def emit_delta(
        self,
        delta: PageGraphDelta | None,
        token: str | None = None,
        not_caused: Iterable[str] = (),
        dismissed: Iterable[str] = (),
    ) -> None:
        if delta is not None:
            self._emit(
                GraphChanged(
                    tab=self.tab.id,
                    at=time.monotonic(),
                    revision=delta.revision,
                    seq=delta.seq,
                    delta=delta,
                    token=token,
                    not_caused=frozenset(not_caused),
                    dismissed=frozenset(dismissed),
                )
            )

    def _emit_graph(self, graph: PageGraph, reason: SnapshotReason) -> None:
        self._emit(
            GraphChanged(
                tab=self.tab.id,
                at=time.monotonic(),
                revision=graph.revision,
                seq=graph.seq,
                graph=graph,
                reason=reason,
            )
        )

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(_ignore_driver_errors(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _ignore_driver_errors(work: Coroutine[Any, Any, Any]) -> Any:
    """Await background work; return None if the page is gone."""
    try:
        return await work
    except DriverError:
        return None


def _timestamp() -> str:
    return timestamp(datetime.now(UTC))
