"""The frames of one tab and their documents, across one CDP session per process.

Follows CDP's frame and execution-context events. A document is identified by its isolated world: it begins when
that world appears in its frame and ends when the world is destroyed. Messages of the page script are left to
`graph_feed.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol
from urllib.parse import urlsplit

from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.errors import DriverError
from uiap.origin import OPAQUE

WORLD = "uiap"


class Frame:
    """One frame; its document changes with navigation."""

    def __init__(self, frame_id: str, parent: Frame | None, session: CdpSession, world: str = WORLD) -> None:
        self.id = frame_id
        self.parent = parent
        self.children: list[Frame] = []
        self.session = session
        self.url = ""
        self.loader = ""
        self.has_router = False
        """The document has changed the path of its address itself, so it has a history router."""
        self.origin = OPAQUE
        self.committed = parent is None
        """Whether a document was ever loaded; the initial empty document does not count."""
        self.world = world
        """The name of the world of our page script; it changes when the document is replaced."""
        self.document: Document | None = None

    @property
    def is_root(self) -> bool:
        return self.parent is None

    @property
    def host_session(self) -> CdpSession:
        """The session of the document that contains this frame's element."""
        return self.session if self.parent is None else self.parent.session

    @property
    def path(self) -> list[Frame]:
        """This frame and its ancestors, innermost first, without the root."""
        return [] if self.parent is None else [self, *self.parent.path]


class Document:
    """One document in a frame, with the isolated world of our page script."""

    def __init__(self, key: str, frame: Frame, session: CdpSession, context: dict[str, Any]) -> None:
        self.key = key
        self.frame = frame
        self.session = session
        self.context_id: int = context["id"]
        self.unique_id: str = context["uniqueId"]
        # An isolated context may report the origin of an earlier one; the frame's origin is reliable.
        self.origin = read_origin(context["origin"]) if frame.is_root else frame.origin
        self.gone = False

    def __repr__(self) -> str:
        return f"<Document {self.key} {self.origin}>"


class FrameListener(Protocol):
    def document_created(self, document: Document) -> None: ...

    def document_replaced(self, frame: Frame) -> None:
        """The document changed but its world stayed, so the browser does not run our script again."""

    def document_gone(self, document: Document) -> None: ...

    def frame_gone(self, frame: Frame) -> None: ...

    def frame_navigated(self, frame: Frame, new_document: bool) -> None: ...

    def message_pushed(self, document: Document, payload: str) -> None: ...


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
        self._initial_worlds: dict[tuple[str, int], Frame] = {}  # worlds of initial empty documents
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
        """Subscribe to a session: the tab's own, or that of an out-of-process frame."""
        if frame_id not in self._by_id and parent_id in self._by_id:
            self._add(frame_id, parent_id, session)
        if frame := self._by_id.get(frame_id):
            frame.session = session
        session.on("Page.frameAttached", lambda e: self._on_frame_attached(session, e))
        session.on("Page.frameDetached", lambda e: self._on_frame_detached(session, e))
        session.on("Page.frameNavigated", lambda e: self._on_frame_navigated(session, e["frame"]))
        session.on("Page.navigatedWithinDocument", self._on_navigated_within)
        session.on("Page.documentOpened", lambda e: self._on_document_opened(e["frame"]))
        session.on(
            "Runtime.executionContextCreated", lambda e: self._on_context_created(session, e["context"])
        )
        session.on("Runtime.executionContextDestroyed", lambda e: self._on_context_destroyed(session, e))
        session.on("Runtime.executionContextsCleared", lambda _: self._on_contexts_cleared(session))
        session.on("Runtime.bindingCalled", lambda e: self._on_binding_called(session, e))
        session.on_end(lambda reason: self._on_session_ended(session, reason))

    def seed(self, session: CdpSession, tree: dict[str, Any]) -> None:
        """Add the frames that already exist (the result of Page.getFrameTree)."""
        described = tree["frame"]
        if described["id"] not in self._by_id and described.get("parentId") in self._by_id:
            self._add(described["id"], described["parentId"], session)
        frame = self._by_id.get(described["id"])
        if frame is not None and frame.session is session and described.get("url"):
            _update_frame(frame, described)
        for child in tree.get("childFrames", []):
            self.seed(session, child)

    def remove_documents_of(self, session: CdpSession) -> None:
        """Remove all documents of a process that crashed."""
        self._on_contexts_cleared(session)

    # ------------------------------------------------------------------ frames

    def _add(self, frame_id: str, parent_id: str | None, session: CdpSession) -> None:
        parent = self._by_id[parent_id or ""]
        frame = self._by_id[frame_id] = Frame(frame_id, parent, session, self._world)
        parent.children.append(frame)

    def _on_frame_attached(self, session: CdpSession, event: dict[str, Any]) -> None:
        if event["frameId"] not in self._by_id and event["parentFrameId"] in self._by_id:
            self._add(event["frameId"], event["parentFrameId"], session)

    def _on_frame_detached(self, session: CdpSession, event: dict[str, Any]) -> None:
        frame = self._by_id.get(event["frameId"])
        if frame is None:
            return
        if event.get("reason") == "swap":  # it moves to another process and remains a frame of this tab
            if frame.document is not None and frame.document.session is session:
                self._remove_document(frame.document)
            self._remove_children(frame)
        elif frame is not self.root:
            self._remove(frame)

    def _remove(self, frame: Frame) -> None:
        self._remove_children(frame)
        if frame.parent is not None and frame in frame.parent.children:
            frame.parent.children.remove(frame)
        if frame.document is not None:
            self._remove_document(frame.document)
        self._forget_initial_worlds(frame, frame.session)
        if self._by_id.pop(frame.id, None) is not None:
            self._listener.frame_gone(frame)

    def _remove_children(self, frame: Frame) -> None:
        children, frame.children = frame.children, []
        for child in children:
            self._remove(child)

    def _on_frame_navigated(self, session: CdpSession, described: dict[str, Any]) -> None:
        frame = self._by_id.get(described["id"])
        if frame is None:
            return
        frame.session, frame.has_router = session, False
        _update_frame(frame, described)
        self._remove_children(frame)
        # The first navigation replaces the initial empty document but keeps its window and its world.
        frame.world = self._world
        reused = self._forget_initial_worlds(frame, session)
        if frame.document is not None:
            reused = True
            self._remove_document(frame.document)
        self._listener.frame_navigated(frame, True)
        if reused:
            self._listener.document_replaced(frame)

    def _on_navigated_within(self, event: dict[str, Any]) -> None:
        if frame := self._by_id.get(event["frameId"]):
            frame.has_router |= urlsplit(frame.url).path != urlsplit(event["url"]).path
            frame.url = event["url"]
            self._listener.frame_navigated(frame, False)

    def _on_document_opened(self, described: dict[str, Any]) -> None:
        # document.open() removes the document's content and all listeners, including ours.
        frame = self._by_id.get(described["id"])
        if frame is not None and frame.document is not None:
            self._remove_document(frame.document)
            self._listener.document_replaced(frame)

    # ------------------------------------------------------------------ worlds

    def _on_context_created(self, session: CdpSession, context: dict[str, Any]) -> None:
        aux = context.get("auxData") or {}
        frame = self._by_id.get(aux.get("frameId", ""))
        if frame is None or frame.session is not session:
            return  # the rest of a frame that moved to another process
        if aux.get("isDefault", True) or context.get("name") != frame.world:
            return  # not ours, or a world that we created for an earlier document
        if not frame.committed:
            self._initial_worlds[session.id, context["id"]] = frame
            return
        if frame.document is not None:
            self._remove_document(frame.document)
        document = Document(self._next_key(), frame, session, context)
        frame.document = document
        self._contexts[session.id, document.context_id] = document
        self._listener.document_created(document)

    def _forget_initial_worlds(self, frame: Frame, session: CdpSession) -> bool:
        keys = [key for key, other in self._initial_worlds.items() if other is frame]
        for key in keys:
            del self._initial_worlds[key]
        return any(session_id == session.id for session_id, _ in keys)

    def _on_context_destroyed(self, session: CdpSession, event: dict[str, Any]) -> None:
        self._initial_worlds.pop((session.id, event["executionContextId"]), None)
        document = self._contexts.get((session.id, event["executionContextId"]))
        if document is not None:
            self._remove_document(document)

    def _on_contexts_cleared(self, session: CdpSession) -> None:
        self._initial_worlds = {
            at: frame for at, frame in self._initial_worlds.items() if at[0] != session.id
        }
        for document in self.documents:
            if document.session is session:
                self._remove_document(document)

    def _on_session_ended(self, session: CdpSession, reason: DriverError) -> None:
        self._on_contexts_cleared(session)

    def _remove_document(self, document: Document) -> None:
        self._contexts.pop((document.session.id, document.context_id), None)
        if document.frame.document is document:
            document.frame.document = None
        document.gone = True
        self._listener.document_gone(document)

    def _on_binding_called(self, session: CdpSession, event: dict[str, Any]) -> None:
        # Only our world has the binding; ignore calls from any other context.
        document = self._contexts.get((session.id, event["executionContextId"]))
        if document is not None and event["name"] == self._binding:
            self._listener.message_pushed(document, event["payload"])


def _update_frame(frame: Frame, described: dict[str, Any]) -> None:
    frame.url = described["url"] + described.get("urlFragment", "")
    frame.loader = described.get("loaderId", "")
    frame.origin = read_origin(described.get("securityOrigin", ""))
    if frame.origin == OPAQUE and frame.parent is not None and described["url"].startswith("about:"):
        # Such a document inherits the origin of its parent. Only the page script can detect that a sandbox
        # removed the origin; it then refuses to read the document.
        frame.origin = frame.parent.origin
    frame.committed = True


def read_origin(text: str) -> str:
    """Return CDP's origin as the web writes it: an opaque origin is `null` instead of `://`."""
    return OPAQUE if text in ("://", "", OPAQUE) else text
