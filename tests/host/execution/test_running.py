"""The lane of a tab: one action at a time, in the order of asking."""

from __future__ import annotations

import asyncio

from uiap.host.execution.running import Lane


async def test_a_free_lane_is_taken_at_once_and_a_taken_one_in_the_order_of_asking() -> None:
    lane, order = Lane(), []
    assert await lane.take() is False

    async def act(name: str) -> None:
        assert await lane.take() is True, "another action held the lane"
        order.append(name)
        lane.free()

    waiting = [asyncio.create_task(act(name)) for name in ("first", "second")]
    await asyncio.sleep(0)
    assert order == []
    lane.free()
    await asyncio.wait_for(asyncio.gather(*waiting), 5)
    assert order == ["first", "second"]


async def test_a_lane_can_be_freed_twice() -> None:
    lane = Lane()
    await lane.take()
    lane.free()
    lane.free()
    assert await asyncio.wait_for(lane.take(), 5) is False
