"""Long work on a page runs in a thread, and the events of the page wait for it in order."""

from __future__ import annotations

import asyncio
import threading

from uiap.host.observation.page_turns import PageTurns


async def test_events_wait_for_the_work_that_runs_and_keep_their_order() -> None:
    handled: list[int] = []
    turns: PageTurns[int] = PageTurns(handled.append)
    turns.receive(1)
    held = threading.Event()
    work = asyncio.create_task(turns.run(lambda: held.wait(20)))
    while not turns.busy:
        await asyncio.sleep(0)
    turns.receive(2)
    turns.receive(3)
    assert handled == [1]
    held.set()
    assert await work is True
    assert handled == [1, 2, 3]
    assert not turns.busy


async def test_the_loop_goes_on_while_work_runs() -> None:
    turns: PageTurns[int] = PageTurns(lambda _: None)
    loop_thread = threading.get_ident()
    ran_in: list[int] = []
    done = threading.Event()

    def work() -> None:
        ran_in.append(threading.get_ident())
        done.wait(20)

    running = asyncio.create_task(turns.run(work))
    while not ran_in:
        await asyncio.sleep(0)
    done.set()
    await running
    assert ran_in != [loop_thread]


async def test_the_next_event_is_handled_after_the_step_that_follows_the_work() -> None:
    steps: list[str] = []
    turns: PageTurns[str] = PageTurns(steps.append)
    turns.start(lambda: steps.append("work"), lambda: steps.append("then"))
    turns.receive("event")
    await turns.settled()
    assert steps == ["work", "then", "event"]


async def test_an_event_may_start_work_for_which_the_next_event_waits() -> None:
    steps: list[str] = []

    def handle(event: str) -> None:
        if event == "large":
            turns.start(lambda: steps.append("load"), lambda: steps.append("loaded"))
        else:
            steps.append(event)

    turns: PageTurns[str] = PageTurns(handle)
    for event in ("large", "a", "large", "b"):
        turns.receive(event)
    await turns.settled()
    assert steps == ["load", "loaded", "a", "load", "loaded", "b"]


async def test_work_that_fails_lets_events_go_on() -> None:
    handled: list[int] = []
    turns: PageTurns[int] = PageTurns(handled.append)

    def fail() -> None:
        raise ValueError

    running = asyncio.create_task(turns.run(fail))
    await asyncio.sleep(0)
    turns.receive(1)
    await asyncio.gather(running, return_exceptions=True)
    assert handled == [1]
