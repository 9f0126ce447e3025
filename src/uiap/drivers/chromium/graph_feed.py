"""From what each document pushes to the tab's GraphChanged events.

Boots the publisher where it may run, holds a child document back until the element that hosts it is published,
acknowledges, and reads a document anew when a delta was lost. Merging itself is in `merge.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import UNSET

from uiap.drivers.chromium.cdp import DEFAULT_TIMEOUT
from uiap.drivers.chromium.frames import Document, Frame
from uiap.drivers.chromium.hosts import confirm_closed, host_of
from uiap.drivers.chromium.merge import TabGraph
from uiap.drivers.chromium.messages import (
    AnyPush,
    DeltaPush,
    FrameDelta,
    FrameGraph,
    GraphPush,
    GuardVerdict,
    Hello,
    OriginRefused,
    Refusal,
    SignalPush,
    read_push,
)
from uiap.drivers.chromium.world import sdk_call
from uiap.drivers.errors import CallFailed, CallTimedOut, DriverError, TargetGone
from uiap.drivers.events import GraphChanged, GuardTripped, PageError, SignalSeen, Sink
from uiap.spec.web import DocumentAccess, DocumentNode, PageGraph, PageGraphDelta

if TYPE_CHECKING:
    from uiap.drivers.chromium.tab import Tab

MOST_DOCUMENTS = 500  # of one tab; a page with ten thousand frames is an attack, not an interface
MOST_ROUNDS = 5  # of flushing; a page that changes without end is read as it is


class Known:
    """A document the feed has heard of."""

    def __init__(self, document: Document, access: DocumentAccess) -> None:
        self.document = document
        self.access = access
        self.seq = 0
        self.graph: FrameGraph | None = None
        """What it published while it still waits for its host."""
        self.host: str | None = None
        self.searching = False
        self.checked: set[str] = set()
        """Candidates for a closed shadow root that were looked at."""
        self.looking = False
        self.look_again = False


class GraphFeed:
    """The publisher side of one tab."""

    def __init__(self, tab: Tab, emit: Sink) -> None:
        self._tab = tab
        self._emit = emit
        self._graph = TabGraph(_now)
        self._known: dict[str, Known] = {}
        self._later: list[tuple[Document, str]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.verdicts: list[GuardVerdict] = []
        """The guard's words since it was last armed."""

    @property
    def seq(self) -> int:
        return self._graph.seq

    @property
    def title(self) -> str:
        route = self._graph.route
        return (route.title or "") if route else ""

    @property
    def published(self) -> bool:
        """Whether the root document that is shown now has published its graph."""
        root = self._tab.frames.root.document
        return root is not None and root.key in self._graph.parts

    # ------------------------------------------------------------------ incoming

    def add(self, document: Document) -> None:
        """A document appeared with our script in it: boot it, or draw the boundary."""
        if len(self._known) >= MOST_DOCUMENTS and not document.frame.is_root:
            return
        root = self._tab.frames.root.document
        origin = root.origin if root is not None else "null"
        known = Known(document, self._tab.world.access(document, origin))
        self._known[document.key] = known
        if known.access == "opaque":
            self._offer(known)
        else:
            self.boot(document)

    def boot(self, document: Document) -> None:
        """Start the publisher where it may run; a second call changes nothing."""
        known, root = self._known.get(document.key), self._tab.frames.root.document
        if known is not None and known.access != "opaque" and root is not None:
            self.say(document, self._tab.world.boot_call(document, root.origin))

    def take(self, document: Document, payload: str) -> None:
        """One message of the publisher in `document`."""
        known = self._known.get(document.key)
        if known is None or known.access == "opaque":
            return
        try:
            push = read_push(payload, document.key, root=document.frame.is_root)
            if isinstance(push, Hello):
                self.boot(document)
            elif push.key != self._tab.world.secret:
                raise Refusal("a message without the secret of this session")
            self._believe(known, push)
        except Refusal as refusal:
            self._emit(
                PageError(tab=self._tab.id, at=time.monotonic(), text=str(refusal)[:500], source="channel")
            )

    def _believe(self, known: Known, push: AnyPush) -> None:
        match push:
            case GraphPush():
                self._graph_read(known, push)
            case DeltaPush():
                self._delta_read(known, push)
            case SignalPush():
                self._emit(
                    SignalSeen(
                        tab=self._tab.id,
                        at=time.monotonic(),
                        signal=push.signal,
                        document=known.document.key,
                        seq=self.seq,
                        page_time=push.at,
                        token=(push.attribution or {}).get("causedBy"),
                    )
                )
            case GuardVerdict():
                self._guarded(push)
            case OriginRefused():
                known.access = "opaque"
                self._offer(known)

    def _graph_read(self, known: Known, push: GraphPush) -> None:
        document, graph = known.document, push.graph
        known.seq = push.seq
        if document.frame.is_root:
            self._root_read(known, graph)
        elif document.key in self._graph.parts:
            self._changed(self._graph.publish(self._node(known, graph), graph))
            self._acknowledge(known)
        else:
            known.graph = graph
            self._offer(known)
        self._look_for_closed(known)

    def _root_read(self, known: Known, graph: FrameGraph) -> None:
        node = self._node(known, graph)
        if known.document.key in self._graph.parts:
            self._changed(self._graph.publish(node, graph))
        else:
            reason: Literal["initial", "navigation"] = "navigation" if self.seq else "initial"
            whole = self._graph.begin(node, graph)
            self._emit(
                GraphChanged(
                    tab=self._tab.id,
                    at=time.monotonic(),
                    revision=whole.revision,
                    seq=whole.seq,
                    graph=whole,
                    reason=reason,
                )
            )
        self._acknowledge(known)
        self._offer_waiting()

    def _delta_read(self, known: Known, push: DeltaPush) -> None:
        delta = push.delta
        if known.document.key not in self._graph.parts:
            return  # unacknowledged: it waits until its host is published, then it is read anew
        if push.base != known.seq:
            self._spawn(self._read_anew(known))
            return
        known.seq = push.seq
        self._retire_orphans(delta)
        self._changed(self._graph.change(known.document.key, delta), push.caused_by)
        self._acknowledge(known)
        if not self._graph.consistent:
            self._spawn(self._read_all())
        if delta.elements and delta.elements.added:
            self._offer_waiting()
            self._look_for_closed(known)

    def _guarded(self, push: GuardVerdict) -> None:
        self.verdicts.append(push)
        if not push.ok:
            self._emit(
                GuardTripped(
                    tab=self._tab.id,
                    at=time.monotonic(),
                    node=push.node,
                    token=push.token,
                    reason=push.reason,
                    event=push.event,
                )
            )

    # ------------------------------------------------------------------ child documents

    def _offer(self, known: Known) -> None:
        """Publish a child document once its parent's element that hosts it is published."""
        parent = known.document.frame.parent
        if parent is None or parent.document is None or parent.document.key not in self._graph.parts:
            return
        if known.host is not None:
            self._publish_child(known, parent.document)
        elif not known.searching:
            known.searching = True
            self._spawn(self._find_host(known, parent.document))

    def _offer_waiting(self) -> None:
        for known in list(self._known.values()):
            waiting = known.document.key not in self._graph.parts and not known.document.frame.is_root
            if waiting and (known.graph is not None or known.access == "opaque" or known.host):
                self._offer(known)

    async def _find_host(self, known: Known, parent: Document) -> None:
        try:
            known.host = await host_of(self._tab, known.document.frame, parent)
        finally:
            known.searching = False
        if not known.document.gone and not parent.gone:
            self._publish_child(known, parent)

    def _publish_child(self, known: Known, parent: Document) -> None:
        part = self._graph.parts.get(parent.key)
        if part is None or known.document.key in self._graph.parts:
            return
        if known.host and known.host not in part.elements and part.node.access != "opaque":
            return  # the frame element is hidden or not yet published; a later delta brings it
        if known.access != "opaque" and known.graph is None:
            self._spawn(self._read_anew(known))
            return
        self._changed(self._graph.publish(self._node(known, known.graph), known.graph))
        known.graph = None
        if known.access != "opaque":
            self._acknowledge(known)
        self._offer_waiting()

    async def _read_anew(self, known: Known) -> None:
        push = await self._read(known, {}, DEFAULT_TIMEOUT)
        if not known.document.gone:
            self._graph_read(known, push)

    async def _read(self, known: Known, request: Any, timeout: float) -> GraphPush:
        document = known.document
        text = await self._tab.ask(document, sdk_call("snapshot", request), timeout=timeout)
        try:
            push = read_push(str(text), document.key, root=document.frame.is_root)
        except Refusal as refusal:
            raise CallFailed("snapshot", 0, str(refusal)) from refusal
        if not isinstance(push, GraphPush):
            raise CallFailed("snapshot", 0, "the publisher returned no graph")
        return push

    def _retire_orphans(self, delta: FrameDelta) -> None:
        """A document leaves the graph with the element that hosts it, even if the frame lives on unseen."""
        removed = set((delta.elements and delta.elements.removed) or ())
        if removed:
            self._retire([known.document for known in self._known.values() if known.host in removed])

    def _retire(self, documents: list[Document]) -> None:
        frames = {document.frame for document in documents}
        keys = [
            known.document.key
            for known in self._known.values()
            if any(frame in frames for frame in _upwards(known.document.frame))
        ]
        if (delta := self._graph.retire(keys)) is not None:
            self._changed(delta)

    def remove(self, document: Document) -> None:
        """The document is gone for good."""
        known = self._known.pop(document.key, None)
        if known is None:
            return
        if document.frame.is_root:
            self._graph.parts = {}  # what comes next is a new graph
        elif (delta := self._graph.retire([document.key])) is not None:
            self._changed(delta)

    def remove_frame(self, frame: Frame) -> None:
        self._retire([known.document for known in self._known.values() if known.document.frame is frame])

    def _node(self, known: Known, graph: FrameGraph | None) -> DocumentNode:
        document, parent = known.document, known.document.frame.parent
        said = graph.documents[0] if graph is not None and graph.documents else None
        return DocumentNode(
            document_id=document.key,
            kind="root" if parent is None else "frame",
            parent_document_id=parent.document.key if parent and parent.document else UNSET,
            host_instance_id=known.host or UNSET,
            url=said.url if said else UNSET,  # behind a boundary only the origin is told
            origin=document.origin,
            title=said.title if said else UNSET,
            access=known.access,
        )

    # ------------------------------------------------------------------ reading on demand

    async def current(self, *, boxes: bool, timeout: float) -> PageGraph:
        """The whole graph as it is now; with `boxes` every element is measured."""
        await self.flush(timeout=timeout)
        if boxes:
            return await self._read_all({"includeBBox": True}, timeout)
        return self._graph.current()

    async def flush(self, *, timeout: float) -> int:
        """Have every document look once more, silent changes included; their deltas come before the answer."""
        await self.ready(timeout)
        for known in self._readable():
            for _ in range(MOST_ROUNDS):
                answer = await self._tab.ask(known.document, sdk_call("flush"), timeout=timeout)
                if not msgspec.json.decode(answer).get("pending"):
                    break
        return self.seq

    async def ready(self, timeout: float) -> None:
        """Wait until the document that is shown has published."""
        if not await self._tab.until(lambda: self.published or self._stopped(), timeout):
            raise CallTimedOut("observe", timeout)
        if self._tab.closed or self._tab.crashed:
            raise self._tab.closed or TargetGone("the tab crashed; navigate to go on")

    def booted(self) -> list[Document]:
        """Documents in which our script listens."""
        return [known.document for known in self._known.values() if known.seq and known.access != "opaque"]

    def _readable(self) -> list[Known]:
        shown = [self._known[key] for key in self._graph.parts if key in self._known]
        return [known for known in shown if known.access != "opaque"]

    async def _read_all(self, request: Any = None, timeout: float = DEFAULT_TIMEOUT) -> PageGraph:
        """A full reading replaces what was known: later deltas build on it."""
        shown = self._readable()
        pushes = await asyncio.gather(*(self._read(known, request or {}, timeout) for known in shown))
        pairs = []
        for known, push in zip(shown, pushes, strict=True):
            known.seq = push.seq
            pairs.append((self._node(known, push.graph), push.graph))
        whole = self._graph.renew(pairs)
        self._emit(
            GraphChanged(
                tab=self._tab.id,
                at=time.monotonic(),
                revision=whole.revision,
                seq=whole.seq,
                graph=whole,
                reason="resync",
            )
        )
        return whole

    def _stopped(self) -> bool:
        return bool(self._tab.closed or self._tab.crashed or self._tab.dialog)

    # ------------------------------------------------------------------ outgoing

    def resume(self) -> None:
        """A dialog closed: say what had to wait."""
        later, self._later = self._later, []
        for document, expression in later:
            self.say(document, expression)

    def say(self, document: Document, expression: str) -> None:
        if self._tab.dialog is not None:
            self._later.append((document, expression))
        else:
            self._tab.tell(document, expression)

    def _acknowledge(self, known: Known) -> None:
        self.say(known.document, f"globalThis.__uiap.ack({known.seq})")

    def _changed(self, delta: PageGraphDelta, token: str | None = None) -> None:
        self._emit(
            GraphChanged(
                tab=self._tab.id,
                at=time.monotonic(),
                revision=delta.revision,
                seq=delta.seq,
                delta=delta,
                token=token,
            )
        )

    def _look_for_closed(self, known: Known) -> None:
        """Ask once at a time; what appears meanwhile is asked for after."""
        known.look_again = True
        if not known.looking:
            known.looking = True
            self._spawn(self._confirm_closed(known))

    async def _confirm_closed(self, known: Known) -> None:
        try:
            while known.look_again and not known.document.gone:
                known.look_again = False
                await confirm_closed(self._tab, known.document, known.checked)
        finally:
            known.looking = False

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.get_running_loop().create_task(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _quietly(work: Coroutine[Any, Any, Any]) -> None:
    """Background reading of a page that may go away at any moment."""
    try:
        await work
    except DriverError:
        return


def _upwards(frame: Frame | None) -> list[Frame]:
    chain = []
    while frame is not None:
        chain.append(frame)
        frame = frame.parent
    return chain


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
