"""The frame tree with the event orders that a multi-process browser really produces."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from uiap.drivers.chromium.connection.cdp import CdpConnection, CdpSession
from uiap.drivers.chromium.page.frames import Document, Frame, Frames, read_origin


class Listener:
    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []

    def document_created(self, document: Document) -> None:
        self.events.append(("created", document.key))

    def document_replaced(self, frame: Frame) -> None:
        self.events.append(("replaced", frame.id))

    def document_gone(self, document: Document) -> None:
        self.events.append(("gone", document.key))

    def frame_gone(self, frame: Frame) -> None:
        self.events.append(("frame gone", frame.id))

    def frame_navigated(self, frame: Frame, new_document: bool) -> None:
        pass

    def message_pushed(self, document: Document, payload: str) -> None:
        self.events.append((payload, document.key))


class World:
    """A frame tree whose CDP events are written by the test."""

    def __init__(self) -> None:
        self.connection = CdpConnection()
        self.listener = Listener()
        keys = itertools.count(1)
        root = self.connection.session("S1")
        self.frames = Frames(
            "ROOT", root, binding="push", next_key=lambda: f"d{next(keys)}", listener=self.listener
        )
        self.frames.watch(root, "ROOT")
        self.navigated("ROOT", "http://a")
        self.context("ROOT", 1, "http://a")

    def session(self, name: str) -> CdpSession:
        return self.connection.session(name)

    def emit(self, method: str, session: str = "S1", **params: Any) -> None:
        self.connection.feed(json.dumps({"method": method, "sessionId": session, "params": params}))

    def attached(self, frame: str, parent: str = "ROOT", session: str = "S1") -> None:
        self.emit("Page.frameAttached", session, frameId=frame, parentFrameId=parent)

    def navigated(self, frame: str, origin: str, session: str = "S1") -> None:
        described = {"id": frame, "url": f"{origin}/", "securityOrigin": origin}
        self.emit("Page.frameNavigated", session, frame=described)

    def context(self, frame: str, number: int, origin: str, session: str = "S1", name: str = "uiap") -> None:
        aux = {"frameId": frame, "isDefault": name == ""}
        described = {
            "id": number,
            "uniqueId": f"u{session}{number}",
            "name": name,
            "origin": origin,
            "auxData": aux,
        }
        self.emit("Runtime.executionContextCreated", session, context=described)

    def document(self, frame: str) -> Document | None:
        found = self.frames.get(frame)
        return found.document if found else None


@pytest.fixture
async def world() -> World:
    return World()


async def test_document_is_identified_by_our_world_only(world: World) -> None:
    world.context("ROOT", 2, "http://a", name="")
    world.context("ROOT", 3, "http://a", name="someone else's")
    assert [document.context_id for document in world.frames.documents] == [1]


async def test_origin_of_a_frame_comes_from_its_document_and_not_from_its_world(world: World) -> None:
    world.attached("F")
    world.navigated("F", "http://b")
    world.context("F", 2, "http://a")  # a stale origin, as Chromium reports it
    found = world.document("F")
    assert found is not None and found.origin == "http://b"


async def test_initial_empty_document_of_a_frame_is_ignored(world: World) -> None:
    world.attached("F")
    world.context("F", 2, "http://a")
    assert world.document("F") is None


async def test_document_that_reuses_the_window_of_the_empty_one_is_replaced(world: World) -> None:
    world.attached("F")
    world.context("F", 2, "http://a")
    world.navigated("F", "http://a")
    assert world.listener.events[-1] == ("replaced", "F")


async def test_empty_document_whose_window_was_destroyed_is_not_replaced(world: World) -> None:
    world.attached("F")
    world.context("F", 2, "http://a")
    world.emit("Runtime.executionContextDestroyed", executionContextId=2)
    world.navigated("F", "http://b")
    world.context("F", 3, "http://b")
    assert ("replaced", "F") not in world.listener.events
    assert world.document("F") is not None


async def test_frame_that_moves_to_another_process_keeps_its_new_document(world: World) -> None:
    world.attached("F")
    other = world.session("S2")
    world.frames.watch(other, "F", "ROOT")
    world.navigated("F", "http://b", "S2")
    world.context("F", 1, "http://b", "S2")
    world.context("F", 9, "http://a")  # the old process still reports a world
    world.emit("Page.frameDetached", frameId="F", reason="swap")
    world.emit("Runtime.executionContextDestroyed", executionContextId=9)
    found = world.document("F")
    assert found is not None and (found.session, found.origin) == (other, "http://b")


async def test_end_of_a_process_removes_only_its_documents(world: World) -> None:
    world.attached("F")
    world.emit("Target.attachedToTarget", sessionId="S2")
    world.frames.watch(world.session("S2"), "F", "ROOT")
    world.navigated("F", "http://b", "S2")
    world.context("F", 1, "http://b", "S2")
    world.emit("Target.detachedFromTarget", sessionId="S2")
    assert world.document("F") is None and world.document("ROOT") is not None


async def test_navigation_of_a_frame_removes_everything_below_it(world: World) -> None:
    world.attached("F")
    world.attached("G", parent="F")
    world.navigated("G", "http://a")
    world.context("G", 4, "http://a")
    world.navigated("ROOT", "http://a")
    assert [frame.id for frame in world.frames] == ["ROOT"]
    assert ("frame gone", "G") in world.listener.events and ("frame gone", "F") in world.listener.events


async def test_opened_document_is_replaced_because_its_listeners_are_gone(world: World) -> None:
    world.emit("Page.documentOpened", frame={"id": "ROOT", "url": "http://a/"})
    assert world.listener.events[-1] == ("replaced", "ROOT")
    assert world.document("ROOT") is None


async def test_world_of_a_replaced_document_is_ignored_in_the_next_one(world: World) -> None:
    frame = world.frames.root
    world.emit("Page.documentOpened", frame={"id": "ROOT", "url": "http://a/"})
    frame.world = "uiap-1"
    world.context("ROOT", 5, "http://a", name="uiap-1")
    assert [document.context_id for document in world.frames.documents] == [5]
    world.emit("Runtime.executionContextsCleared")
    world.navigated("ROOT", "http://a")
    world.context("ROOT", 6, "http://a")
    world.context("ROOT", 7, "http://a", name="uiap-1")
    assert [document.context_id for document in world.frames.documents] == [6]


async def test_context_numbers_of_different_processes_do_not_mix(world: World) -> None:
    world.attached("F")
    world.frames.watch(world.session("S2"), "F", "ROOT")
    world.navigated("F", "http://b", "S2")
    world.context("F", 1, "http://b", "S2")
    for session in ("S1", "S2"):
        world.emit("Runtime.bindingCalled", session, name="push", payload=session, executionContextId=1)
    assert world.listener.events[-2:] == [("S1", "d1"), ("S2", "d2")]


async def test_call_of_another_binding_or_context_is_ignored(world: World) -> None:
    before = list(world.listener.events)
    world.emit("Runtime.bindingCalled", name="other", payload="x", executionContextId=1)
    world.emit("Runtime.bindingCalled", name="push", payload="x", executionContextId=7)
    assert world.listener.events == before


@pytest.mark.parametrize(
    ("text", "expected"), [("://", "null"), ("", "null"), ("http://a:80", "http://a:80")]
)
def test_opaque_origin_is_null(text: str, expected: str) -> None:
    assert read_origin(text) == expected
