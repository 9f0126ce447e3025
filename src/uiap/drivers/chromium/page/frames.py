"""The frames of one tab and the documents in them, over as many sessions as there are processes.

Follows CDP's frame and execution-context events. A document is known by its isolated world: it begins when
that world appears in its frame and ends when the world goes. Knows nothing of what the publisher says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.errors import DriverError

WORLD = "uiap"


class Frame:
    """One frame; its document comes and goes."""

    def __init__(self, frame_id: str, parent: Frame | None, session: CdpSession, world: str = WORLD) -> None:
        self.id = frame_id
        self.parent = parent
        self.children: list[Frame] = []
        self.session = session
        self.url = ""
        self.loader = ""
        self.origin = "null"
        self.committed = parent is None
        """Whether a document was ever loaded; the empty one a frame begins with belongs to nobody yet."""
        self.world = world
        """The name of the world our script runs in; another one after its document was replaced."""
        self.document: Document | None = None

    @property
    def is_root(self) -> bool:
        return self.parent is None

    @property
    def host_session(self) -> CdpSession:
        """The session of the document that holds this frame's element."""
        return self.session if self.parent is None else self.parent.session

    @property
    def path(self) -> list[Frame]:
        """This frame and those around it, innermost first, without the root."""
        return [] if self.parent is None else [self, *self.parent.path]


class Document:
    """One document in a frame, with the isolated world our script lives in."""

    def __init__(self, key: str, frame: Frame, session: CdpSession, context: dict[str, Any]) -> None:
        self.key = key
        self.frame = frame
        self.session = session
        self.context_id: int = context["id"]
        self.unique_id: str = context["uniqueId"]
        # An isolated context may report the origin of an earlier one; the frame's own is told with its document.
        self.origin = read_origin(context["origin"]) if frame.is_root else frame.origin
        self.gone = False

    def __repr__(self) -> str:
        return f"<Document {self.key} {self.origin}>"


class FrameListener(Protocol):
    def document_created(self, document: Document) -> None: ...

    def document_replaced(self, frame: Frame) -> None:
        """The document changed under a living world: the browser runs no script for it, so we must."""

    def document_gone(self, document: Document) -> None: ...

    def frame_gone(self, frame: Frame) -> None: ...

    def frame_navigated(self, frame: Frame, new_document: bool) -> None: ...

    def pushed(self, document: Document, payload: str) -> None: ...


class Frames:
    """The frame tree of one tab."""

    def __init__(
        self,
        root_id: str,
        session: CdpSession,
        *,
        binding: str,
        next_key: Callable[[], str],
        listener: FrameListener,
        world: str = WORLD,
    ) -> None:
        self.root = Frame(root_id, None, session, world)
        self._world = world
        self._by_id = {root_id: self.root}
        self._contexts: dict[tuple[str, int], Document] = {}
        self._early: dict[tuple[str, int], Frame] = {}  # worlds of first, empty documents
        self._binding = binding
        self._next_key = next_key
        self._listener = listener

    def __iter__(self) -> Iterator[Frame]:
        return iter(list(self._by_id.values()))

    def get(self, frame_id: str) -> Frame | None:
        return self._by_id.get(frame_id)

    def document(self, key: str) -> Document | None:
        return next((document for document in self._contexts.values() if document.key == key), None)

    @property
    def documents(self) -> list[Document]:
        return list(self._contexts.values())

    def watch(self, session: CdpSession, frame_id: str, parent_id: str | None = None) -> None:
        """Follow a session: the tab's own, or that of an out-of-process frame."""
        if frame_id not in self._by_id and parent_id in self._by_id:
            self._add(frame_id, parent_id, session)
        if frame := self._by_id.get(frame_id):
            frame.session = session
        session.on("Page.frameAttached", lambda e: self._attached(session, e))
        session.on("Page.frameDetached", lambda e: self._detached(session, e))
        session.on("Page.frameNavigated", lambda e: self._navigated(session, e["frame"]))
        session.on("Page.navigatedWithinDocument", self._navigated_within)
        session.on("Page.documentOpened", lambda e: self._opened(e["frame"]))
        session.on("Runtime.executionContextCreated", lambda e: self._created(session, e["context"]))
        session.on("Runtime.executionContextDestroyed", lambda e: self._destroyed(session, e))
        session.on("Runtime.executionContextsCleared", lambda _: self._cleared(session))
        session.on("Runtime.bindingCalled", lambda e: self._called(session, e))
        session.on_end(lambda reason: self._ended(session, reason))

    def seed(self, session: CdpSession, tree: dict[str, Any]) -> None:
        """Take in the frames that were there before us (the answer to Page.getFrameTree)."""
        described = tree["frame"]
        if described["id"] not in self._by_id and described.get("parentId") in self._by_id:
            self._add(described["id"], described["parentId"], session)
        frame = self._by_id.get(described["id"])
        if frame is not None and frame.session is session and described.get("url"):
            _tell(frame, described)
        for child in tree.get("childFrames", []):
            self.seed(session, child)

    def forget_world(self, session: CdpSession) -> None:
        """All documents of a process that crashed are gone."""
        self._cleared(session)

    # ------------------------------------------------------------------ frames

    def _add(self, frame_id: str, parent_id: str | None, session: CdpSession) -> None:
        parent = self._by_id[parent_id or ""]
        frame = self._by_id[frame_id] = Frame(frame_id, parent, session, self._world)
        parent.children.append(frame)

    def _attached(self, session: CdpSession, event: dict[str, Any]) -> None:
        if event["frameId"] not in self._by_id and event["parentFrameId"] in self._by_id:
            self._add(event["frameId"], event["parentFrameId"], session)

    def _detached(self, session: CdpSession, event: dict[str, Any]) -> None:
        frame = self._by_id.get(event["frameId"])
        if frame is None:
            return
        if event.get("reason") == "swap":  # it moves to another process and stays a frame of this tab
            if frame.document is not None and frame.document.session is session:
                self._retire(frame.document)
            self._remove_children(frame)
        elif frame is not self.root:
            self._remove(frame)

    def _remove(self, frame: Frame) -> None:
        self._remove_children(frame)
        if frame.parent is not None and frame in frame.parent.children:
            frame.parent.children.remove(frame)
        if frame.document is not None:
            self._retire(frame.document)
        self._forget_early(frame, frame.session)
        if self._by_id.pop(frame.id, None) is not None:
            self._listener.frame_gone(frame)

    def _remove_children(self, frame: Frame) -> None:
        children, frame.children = frame.children, []
        for child in children:
            self._remove(child)

    def _navigated(self, session: CdpSession, described: dict[str, Any]) -> None:
        frame = self._by_id.get(described["id"])
        if frame is None:
            return
        frame.session = session
        _tell(frame, described)
        self._remove_children(frame)
        # An initial empty document is replaced inside its living window: same world, other document.
        frame.world = self._world
        reused = self._forget_early(frame, session)
        if frame.document is not None:
            reused = True
            self._retire(frame.document)
        self._listener.frame_navigated(frame, True)
        if reused:
            self._listener.document_replaced(frame)

    def _navigated_within(self, event: dict[str, Any]) -> None:
        if frame := self._by_id.get(event["frameId"]):
            frame.url = event["url"]
            self._listener.frame_navigated(frame, False)

    def _opened(self, described: dict[str, Any]) -> None:
        # document.open() wipes the document and every listener on it, ours too.
        frame = self._by_id.get(described["id"])
        if frame is not None and frame.document is not None:
            self._retire(frame.document)
            self._listener.document_replaced(frame)

    # ------------------------------------------------------------------ worlds

    def _created(self, session: CdpSession, context: dict[str, Any]) -> None:
        aux = context.get("auxData") or {}
        frame = self._by_id.get(aux.get("frameId", ""))
        if frame is None or frame.session is not session:
            return  # the leftover of a frame that moved to another process
        if aux.get("isDefault", True) or context.get("name") != frame.world:
            return  # not ours, or a world we made for a document that has gone
        if not frame.committed:
            self._early[session.id, context["id"]] = frame
            return
        if frame.document is not None:
            self._retire(frame.document)
        document = Document(self._next_key(), frame, session, context)
        frame.document = document
        self._contexts[session.id, document.context_id] = document
        self._listener.document_created(document)

    def _forget_early(self, frame: Frame, session: CdpSession) -> bool:
        found = [at for at, other in self._early.items() if other is frame]
        for at in found:
            del self._early[at]
        return any(session_id == session.id for session_id, _ in found)

    def _destroyed(self, session: CdpSession, event: dict[str, Any]) -> None:
        self._early.pop((session.id, event["executionContextId"]), None)
        document = self._contexts.get((session.id, event["executionContextId"]))
        if document is not None:
            self._retire(document)

    def _cleared(self, session: CdpSession) -> None:
        self._early = {at: frame for at, frame in self._early.items() if at[0] != session.id}
        for document in self.documents:
            if document.session is session:
                self._retire(document)

    def _ended(self, session: CdpSession, reason: DriverError) -> None:
        self._cleared(session)

    def _retire(self, document: Document) -> None:
        self._contexts.pop((document.session.id, document.context_id), None)
        if document.frame.document is document:
            document.frame.document = None
        document.gone = True
        self._listener.document_gone(document)

    def _called(self, session: CdpSession, event: dict[str, Any]) -> None:
        # Only our world has the binding; a call from any other context is nobody's message.
        document = self._contexts.get((session.id, event["executionContextId"]))
        if document is not None and event["name"] == self._binding:
            self._listener.pushed(document, event["payload"])


def _tell(frame: Frame, described: dict[str, Any]) -> None:
    frame.url = described["url"] + described.get("urlFragment", "")
    frame.loader = described.get("loaderId", "")
    frame.origin = read_origin(described.get("securityOrigin", ""))
    if frame.origin == "null" and frame.parent is not None and described["url"].startswith("about:"):
        # such a document has the origin of the one around it; where it was taken away by a sandbox, only the
        # publisher inside can tell, and refuses
        frame.origin = frame.parent.origin
    frame.committed = True


def read_origin(said: str) -> str:
    """CDP writes an opaque origin as `://`; the web writes `null`."""
    return "null" if said in ("://", "", "null") else said
