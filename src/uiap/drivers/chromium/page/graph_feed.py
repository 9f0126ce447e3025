"""From what each document pushes to the tab's GraphChanged events.

Boots the publisher where it may run, believes it after checking, acknowledges, and reads a document anew when a
delta was lost. Which child document joins when is in `known.py`, merging in `merge.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from uiap.drivers.chromium.connection.cdp import DEFAULT_TIMEOUT
from uiap.drivers.chromium.page.documents import Known, KnownDocuments
from uiap.drivers.chromium.page.frames import Document, Frame
from uiap.drivers.chromium.page.hosts import confirm_closed
from uiap.drivers.chromium.page.merge import TabGraph
from uiap.drivers.chromium.page.messages import (
    AnyPush,
    DeltaPush,
    FrameGraph,
    GraphPush,
    GuardVerdict,
    Hello,
    OriginRefused,
    PaintPush,
    PartPush,
    Refusal,
    SignalPush,
    read_push,
)
from uiap.drivers.chromium.page.world import sdk_call
from uiap.drivers.errors import CallFailed, CallTimedOut, DriverError, TargetGone
from uiap.drivers.events import GraphChanged, GuardTripped, PageError, PaintObserved, SignalObserved, Sink
from uiap.instant import timestamp
from uiap.spec.web import ElementNode, PageGraph, PageGraphDelta, SnapshotReason

if TYPE_CHECKING:
    from uiap.drivers.chromium.page.tab import Tab

MOST_ROUNDS = 5  # of flushing; a page that changes without end is read as it is

# In a turn of the page's own timers: what it is due to take back, it has taken back before we look, however busy it is.
LOOK, GLANCE = (
    f"new Promise((done) => setTimeout(() => done({sdk_call('flush', how)}), 0))"
    for how in (None, {"glance": True})
)


class GraphFeed:
    """The publisher side of one tab."""

    def __init__(self, tab: Tab, emit: Sink) -> None:
        self.tab = tab
        self.graph = TabGraph(_now)
        self.documents = KnownDocuments(self)
        self.verdicts: list[GuardVerdict] = []
        """The guard's words since it was last armed."""
        self._emit = emit
        self._later: list[tuple[Document, str]] = []
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def seq(self) -> int:
        return self.graph.seq

    @property
    def title(self) -> str:
        route = self.graph.route
        return (route.title or "") if route else ""

    @property
    def published(self) -> bool:
        """Whether the root document that is shown now has published its graph."""
        root = self.tab.frames.root.document
        return root is not None and root.key in self.graph.parts

    def booted(self) -> list[Document]:
        """Documents in which our script listens."""
        return [known.document for known in self.documents if known.seq and known.readable]

    # ------------------------------------------------------------------ documents

    def add(self, document: Document) -> None:
        """A document appeared with our script in it: boot it, or draw the boundary."""
        root = self.tab.frames.root.document
        origin = root.origin if root is not None else "null"
        known = Known(document, self.tab.world.access(document, origin))
        if not self.documents.add(known):
            return
        if known.readable:
            self.boot(document)
        else:
            self.documents.offer(known)
        if document.frame.is_root:
            self._boot_early(document.origin)

    def _boot_early(self, root_origin: str) -> None:
        """Frames of other processes can be there before the root is: what they may is decided by its origin."""
        for known in self.documents:
            if known.seq == 0 and not known.document.frame.is_root:
                known.access = self.tab.world.access(known.document, root_origin)
                self.boot(known.document)

    def boot(self, document: Document) -> None:
        """Start the publisher where it may run; a second call changes nothing."""
        known, root = self.documents.get(document.key), self.tab.frames.root.document
        if known is not None and known.readable and root is not None:
            self.say(document, self.tab.world.boot_call(document, root.origin))

    def remove(self, document: Document) -> None:
        self.documents.remove(document)

    def remove_frame(self, frame: Frame) -> None:
        self.documents.retire_frame(frame)

    # ------------------------------------------------------------------ incoming

    def take(self, document: Document, payload: str) -> None:
        """One message of the publisher in `document`."""
        known = self.documents.get(document.key)
        if known is None or not known.readable:
            return
        try:
            push = read_push(payload, document.key, root=document.frame.is_root)
            if isinstance(push, Hello):
                self.boot(document)
            elif push.key != self.tab.world.secret:
                raise Refusal("a message without the secret of this session")
            else:
                self._believe(known, push)
        except Refusal as refusal:
            text = str(refusal)[:500]
            self._emit(PageError(tab=self.tab.id, at=time.monotonic(), text=text, source="channel"))

    def _believe(self, known: Known, push: AnyPush) -> None:
        match push:
            case PartPush():
                known.parts.append(push)
            case GraphPush():
                self._graph_read(known, push.seq, known.whole(push))
            case DeltaPush():
                self._delta_read(known, push)
            case SignalPush():
                self._signalled(known, push)
            case PaintPush():
                self._painted(push)
            case GuardVerdict():
                self._guarded(push)
            case OriginRefused():
                known.access = "opaque"
                known.document.origin = push.origin or "null"
                self.documents.offer(known)

    def _graph_read(self, known: Known, seq: int, graph: FrameGraph) -> None:
        known.seq = seq
        if known.key in self.graph.parts:
            self.changed(self.graph.publish(known.node(graph), graph))
        elif known.document.frame.is_root:
            reason: SnapshotReason = "navigation" if self.seq else "initial"
            self._whole(self.graph.begin(known.node(graph), graph), reason)
        else:
            known.graph = graph
            self.documents.offer(known)
            return
        self.acknowledge(known)
        self.documents.offer_waiting()
        self.spawn(confirm_closed(self.tab, known.document, known.checked))

    def _delta_read(self, known: Known, push: DeltaPush) -> None:
        if known.rereading:
            known.queue.append(push)
            return
        if known.key not in self.graph.parts:
            return  # unacknowledged: it waits until its host is published, then it is read anew
        if push.base != known.seq:
            self.read_anew(known)
            return
        delta = push.delta
        known.seq = push.seq
        self.documents.retire_orphans(delta)
        whole = self.graph.truncated is None
        self.changed(self.graph.change(known.key, delta), push.caused_by)
        self.acknowledge(known)
        # Only a whole graph can say that it is cut (companions §4.6 has no member for it in a delta).
        if self.graph.doubtful or (self.graph.truncated is None) != whole:
            self.spawn(self._read_all())
        elif delta.elements and delta.elements.added:
            self.documents.offer_waiting()
            self._look_for_closed(known, delta.elements.added)

    def _signalled(self, known: Known, push: SignalPush) -> None:
        self._emit(
            SignalObserved(
                tab=self.tab.id,
                at=time.monotonic(),
                signal=push.signal,
                document=known.key,
                seq=self.seq,
                page_time=push.at,
                token=(push.attribution or {}).get("causedBy"),
            )
        )

    def _painted(self, push: PaintPush) -> None:
        self._emit(
            PaintObserved(
                tab=self.tab.id,
                at=time.monotonic(),
                token=push.token,
                node=push.node,
                text=push.text,
                route=push.kind == "route",
            )
        )

    def _guarded(self, push: GuardVerdict) -> None:
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

    def _look_for_closed(self, known: Known, added: tuple[ElementNode, ...]) -> None:
        candidates = [
            node.instance_id for node in added if (node.metadata or {}).get("closedShadowCandidate")
        ]
        if candidates:
            self.spawn(confirm_closed(self.tab, known.document, known.checked, candidates))

    # ------------------------------------------------------------------ reading on demand

    async def current(self, *, boxes: bool, timeout: float) -> PageGraph:
        """The whole graph as it is now; with `boxes` every element is measured.

        Which frames and closed roots it cannot look into is asked beside the publishing, and waited for here; a
        root may have been attached after its element was looked at.
        """
        await self.ready(timeout)
        looking = asyncio.get_running_loop().create_task(self.flush(timeout=timeout))
        await asyncio.sleep(0)  # what is asked below is asked behind it, in one go
        asked = {self.spawn(confirm_closed(self.tab, known.document, set())) for known in self._shown()}
        await looking
        reading = self._tasks - asked
        if waited := reading | asked:
            await asyncio.wait(waited, timeout=min(timeout, 5.0))
        if reading or any(not one.done() or one.result() for one in asked):
            await self.flush(timeout=timeout)
        if boxes or not self.graph.consistent:
            await self._read_all({"includeBBox": boxes}, timeout)
        return self.graph.current()

    async def flush(self, *, timeout: float, quick: bool = False) -> int:
        """Have every document look once more, silent changes included; their deltas come before the answer."""
        for _ in range(MOST_ROUNDS):
            await self.ready(timeout)
            try:
                for known in self._shown():
                    await self._flush_one(known, timeout, GLANCE if quick else LOOK)
            except TargetGone:
                if self.tab.closed or self.tab.crashed:
                    raise
                continue  # the page was left meanwhile: look at what is shown now
            break
        return self.seq

    async def _flush_one(self, known: Known, timeout: float, look: str) -> None:
        try:
            for _ in range(MOST_ROUNDS):
                answer = await self.tab.ask(known.document, look, timeout=timeout)
                if not msgspec.json.decode(answer).get("pending"):
                    break
        except TargetGone:
            await self.tab.until(lambda: known.document.gone or self.tab.closed or self.tab.crashed, 1.0)
            if known.document.frame.is_root:
                raise

    async def ready(self, timeout: float) -> None:
        """Wait until the document that is shown has published."""
        tab = self.tab
        if not await tab.until(lambda: self.published or tab.closed or tab.crashed or tab.dialog, timeout):
            raise CallTimedOut("observe", timeout)
        if tab.closed or tab.crashed:
            raise tab.closed or TargetGone("the tab crashed; navigate to go on")

    def read_anew(self, known: Known) -> None:
        """Read one document as a whole; deltas that come meanwhile wait for it."""
        if not known.rereading:
            known.rereading = True
            self.spawn(self._read_one(known))

    async def _read_one(self, known: Known) -> None:
        try:
            push = await self._read(known, {}, DEFAULT_TIMEOUT)
            if not known.document.gone:
                self._graph_read(known, push.seq, push.graph)
        finally:
            self._catch_up(known)

    async def _read_all(self, request: Any = None, timeout: float = DEFAULT_TIMEOUT) -> None:
        """A full reading replaces what was known: later deltas build on it."""
        shown = self._shown()
        for known in shown:
            known.rereading = True
        try:
            pushes = await asyncio.gather(*(self._read(known, request or {}, timeout) for known in shown))
            pairs = []
            for known, push in zip(shown, pushes, strict=True):
                known.seq = push.seq
                pairs.append((known.node(push.graph), push.graph))
            self._whole(self.graph.renew(pairs), "resync")
        finally:
            for known in shown:
                self._catch_up(known)

    def _catch_up(self, known: Known) -> None:
        known.rereading = False
        waiting, known.queue = known.queue, []
        for push in waiting:
            if push.seq > known.seq:
                self._delta_read(known, push)

    async def _read(self, known: Known, request: Any, timeout: float) -> GraphPush:
        document = known.document
        text = await self.tab.ask(document, sdk_call("snapshot", request), timeout=timeout)
        try:
            push = read_push(str(text), document.key, root=document.frame.is_root)
        except Refusal as refusal:
            raise CallFailed("snapshot", 0, str(refusal)) from refusal
        if not isinstance(push, GraphPush):
            raise CallFailed("snapshot", 0, "the publisher returned no graph")
        return push

    def _shown(self) -> list[Known]:
        """Readable documents of the graph, root first."""
        found = [self.documents.get(key) for key in self.graph.parts]
        return [known for known in found if known is not None and known.readable]

    # ------------------------------------------------------------------ outgoing

    def resume(self) -> None:
        """A dialog closed: say what had to wait."""
        later, self._later = self._later, []
        for document, expression in later:
            self.say(document, expression)

    def say(self, document: Document, expression: str) -> None:
        if self.tab.dialog is not None:
            self._later.append((document, expression))
        else:
            self.tab.tell(document, expression)

    def acknowledge(self, known: Known) -> None:
        self.say(known.document, f"globalThis.__uiap.ack({known.seq})")

    def changed(self, delta: PageGraphDelta | None, token: str | None = None) -> None:
        if delta is not None:
            self._emit(
                GraphChanged(
                    tab=self.tab.id,
                    at=time.monotonic(),
                    revision=delta.revision,
                    seq=delta.seq,
                    delta=delta,
                    token=token,
                )
            )

    def _whole(self, graph: PageGraph, reason: SnapshotReason) -> None:
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
        task = asyncio.get_running_loop().create_task(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _quietly(work: Coroutine[Any, Any, Any]) -> Any:
    """Background reading of a page that may go away at any moment."""
    try:
        return await work
    except DriverError:
        return None


def _now() -> str:
    return timestamp(datetime.now(UTC))
