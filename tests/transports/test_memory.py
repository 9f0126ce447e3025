"""Two ends in one process: bounded in both directions, with a correct end."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.wires import SECONDS
from uiap.transports import Peer, TransportClosed
from uiap.transports.memory import pair


async def test_a_sender_waits_while_its_peer_does_not_read() -> None:
    left, right = pair(capacity=2)
    await left.send("1")
    await left.send("2")
    third = asyncio.ensure_future(left.send("3"))
    await asyncio.wait([third], timeout=0.01)
    assert not third.done()
    assert await right.receive() == "1"
    async with asyncio.timeout(SECONDS):
        await third
    assert [await right.receive(), await right.receive()] == ["2", "3"]


async def test_waiting_senders_are_served_in_the_order_they_came() -> None:
    left, right = pair(capacity=1)
    sends = [asyncio.ensure_future(left.send(str(number))) for number in range(20)]
    assert [await right.receive() for _ in range(20)] == [str(number) for number in range(20)]
    await asyncio.gather(*sends)


async def test_a_cancelled_sender_sends_nothing_and_blocks_no_other_sender() -> None:
    left, right = pair(capacity=1)
    await left.send("1")
    gone, stays = asyncio.ensure_future(left.send("gone")), asyncio.ensure_future(left.send("stays"))
    await asyncio.wait([gone, stays], timeout=0.01)
    gone.cancel()
    assert [await right.receive(), await right.receive()] == ["1", "stays"]
    await stays


async def test_a_waiting_sender_is_ended_when_the_peer_closes() -> None:
    left, right = pair(capacity=1)
    await left.send("1")
    waiting = asyncio.ensure_future(left.send("2"))
    await asyncio.wait([waiting], timeout=0.01)
    await right.close(4401, "who are you")
    with pytest.raises(TransportClosed, match="who are you") as end:
        await waiting
    assert end.value.close_code == 4401


async def test_messages_sent_before_a_close_still_arrive() -> None:
    left, right = pair()
    await left.send("last words")
    await left.close(1000, "bye")
    assert await right.receive() == "last words"
    with pytest.raises(TransportClosed, match="bye"):
        await right.receive()


async def test_the_size_limit_counts_bytes_not_characters() -> None:
    left, right = pair(max_bytes=8)
    await left.send("€€xx")
    assert await right.receive() == "€€xx"
    with pytest.raises(TransportClosed) as end:
        await left.send("€€€")
    assert end.value.close_code == 1009
    with pytest.raises(TransportClosed):
        await right.receive()


async def test_each_end_can_be_given_its_peer() -> None:
    left, right = pair(right=Peer("memory", principal_id="alice"))
    assert right.peer.principal_id == "alice"
    assert left.peer.principal_id is None
