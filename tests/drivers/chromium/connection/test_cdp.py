"""CDP sessions over a wire that records the written messages."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from uiap.drivers.chromium.connection.cdp import CdpConnection
from uiap.drivers.chromium.connection.wires import PipeWire
from uiap.drivers.errors import CallFailed, CallTimedOut, ConnectionLost, TargetGone


class Wire:
    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []

    def write(self, message: bytes) -> None:
        self.written.append(json.loads(message))

    def close(self) -> None:
        pass


def connect() -> tuple[CdpConnection, Wire]:
    connection, wire = CdpConnection(), Wire()
    connection.use(wire)
    return connection, wire


def feed(connection: CdpConnection, **message: Any) -> None:
    connection.feed(json.dumps(message))


async def test_result_reaches_the_call_with_its_id() -> None:
    connection, wire = connect()
    tab = connection.session("S1")
    call = asyncio.ensure_future(tab.send("Page.navigate", {"url": "about:blank"}))
    await asyncio.sleep(0)
    assert wire.written == [
        {"id": 1, "method": "Page.navigate", "params": {"url": "about:blank"}, "sessionId": "S1"}
    ]
    feed(connection, id=1, sessionId="S1", result={"frameId": "F"})
    assert await call == {"frameId": "F"}


async def test_browser_error_is_raised_with_the_method() -> None:
    connection, _ = connect()
    call = asyncio.ensure_future(connection.browser.send("Nope.nope"))
    await asyncio.sleep(0)
    feed(connection, id=1, error={"code": -32601, "message": "'Nope.nope' wasn't found"})
    with pytest.raises(CallFailed, match=r"`Nope.nope` was refused.*wasn't found") as caught:
        await call
    assert caught.value.cdp_code == -32601


async def test_unanswered_call_ends_at_its_timeout() -> None:
    connection, _ = connect()
    with pytest.raises(CallTimedOut, match=r"`Runtime.evaluate` within 0.01 s"):
        await connection.browser.send("Runtime.evaluate", timeout=0.01)
    feed(connection, id=1, result={})  # a late result is ignored


async def test_lost_wire_fails_every_pending_and_every_later_call_at_once() -> None:
    connection, _ = connect()
    tab = connection.session("S1")
    calls = [asyncio.ensure_future(session.send("A.b")) for session in (tab, connection.browser)]
    await asyncio.sleep(0)
    connection.lost()
    for call in calls:
        with pytest.raises(ConnectionLost):
            await call
    with pytest.raises(ConnectionLost):
        await tab.send("A.c")


async def test_detached_target_fails_its_own_calls_and_leaves_the_others() -> None:
    connection, _ = connect()
    feed(connection, method="Target.attachedToTarget", params={"sessionId": "S1"})
    feed(connection, method="Target.attachedToTarget", params={"sessionId": "S2"})
    gone = asyncio.ensure_future(connection.session("S1").send("A.b"))
    stays = asyncio.ensure_future(connection.session("S2").send("A.b"))
    await asyncio.sleep(0)
    feed(connection, method="Target.detachedFromTarget", params={"sessionId": "S1"})
    with pytest.raises(TargetGone):
        await gone
    feed(connection, id=2, sessionId="S2", result={"ok": True})
    assert await stays == {"ok": True}


async def test_frames_of_a_detached_tab_end_with_it() -> None:
    connection, _ = connect()
    feed(connection, method="Target.attachedToTarget", params={"sessionId": "TAB"})
    feed(connection, method="Target.attachedToTarget", sessionId="TAB", params={"sessionId": "FRAME"})
    pending = asyncio.ensure_future(connection.session("FRAME").send("A.b"))
    await asyncio.sleep(0)
    feed(connection, method="Target.detachedFromTarget", params={"sessionId": "TAB"})
    with pytest.raises(TargetGone):
        await pending


async def test_events_reach_the_listeners_of_their_session_until_unsubscribed() -> None:
    connection, _ = connect()
    events: list[dict[str, Any]] = []
    unsubscribe = connection.session("S1").on("Page.loadEventFired", events.append)
    connection.session("S2")
    feed(connection, method="Page.loadEventFired", sessionId="S1", params={"timestamp": 1})
    feed(connection, method="Page.loadEventFired", sessionId="S2", params={"timestamp": 2})
    unsubscribe()
    feed(connection, method="Page.loadEventFired", sessionId="S1", params={"timestamp": 3})
    assert events == [{"timestamp": 1}]


async def test_failing_listener_does_not_end_the_connection() -> None:
    connection, _ = connect()
    reported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    events: list[dict[str, Any]] = []
    connection.browser.on("A.b", lambda params: [][1])
    connection.browser.on("A.b", events.append)
    feed(connection, method="A.b", params={"n": 1})
    assert events == [{"n": 1}]
    assert "`A.b` failed" in reported[0]["message"]


async def test_end_of_a_session_is_reported_once_and_immediately_to_late_listeners() -> None:
    connection, _ = connect()
    reasons: list[str] = []
    session = connection.session("S1")
    session.on_end(lambda reason: reasons.append(type(reason).__name__))
    connection.lost()
    connection.lost()
    session.on_end(lambda reason: reasons.append("late"))
    assert reasons == ["ConnectionLost", "late"]


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
async def test_pipe_joins_messages_split_at_any_byte(size: int) -> None:
    connection = CdpConnection()
    events: list[dict[str, Any]] = []
    connection.browser.on("A.b", events.append)
    texts = [json.dumps({"method": "A.b", "params": {"n": n, "text": "ü" * n}}).encode() for n in range(5)]
    stream = b"".join(text + b"\0" for text in texts)
    wire = PipeWire(connection)
    for start in range(0, len(stream), size):
        wire.data_received(stream[start : start + size])
    assert [event["n"] for event in events] == [0, 1, 2, 3, 4]
