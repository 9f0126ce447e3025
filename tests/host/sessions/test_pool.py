"""A browser that uses too much memory or does not answer is replaced. `tests/server/test_app.py` has the rest."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Callable

import pytest

from uiap import settings
from uiap.drivers.chromium.browser.browser import ChromiumBrowser
from uiap.host.sessions import pool as pools
from uiap.host.sessions.pool import BrowserPool

pytestmark = pytest.mark.browser


@pytest.fixture
async def make(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Callable[..., BrowserPool]]:
    monkeypatch.setattr(pools, "CHECK_S", 0.0)
    made: list[BrowserPool] = []

    def pool(**limits: int) -> BrowserPool:
        environ = settings.read().environ
        made.append(BrowserPool(lambda: ChromiumBrowser.launch(environ=environ), browsers=1, **limits))
        return made[-1]

    yield pool
    for one in made:
        await one.close()


async def test_a_browser_that_uses_too_much_memory_is_replaced_once_it_is_empty(
    make: Callable[..., BrowserPool],
) -> None:
    pool = make(memory_mb=1)
    first = await pool.lease()
    browser = pool.browsers[0]
    assert pools.group_memory_mb(browser.process.pid) > 1
    second = await pool.lease()
    assert pool.browsers == [browser], "there is no other browser, and its session goes on"
    for lease in (first, second):
        await lease.release()
    await pool.lease()
    assert browser not in pool.browsers and pool.launched == 2


async def test_a_browser_that_does_not_answer_is_replaced(
    make: Callable[..., BrowserPool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "ANSWER_S", 0.2)
    pool = make()
    browser = await pool.warm()
    assert browser.process.pid is not None
    os.kill(browser.process.pid, signal.SIGSTOP)
    await pool.lease()
    assert browser not in pool.browsers and pool.launched == 2
