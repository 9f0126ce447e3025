"""No road to the server is open behind the network guard; the server is the judge."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from tests.drivers.chromium.browser.write_roads import (
    PAGE_ROADS,
    REGISTER,
    SENT,
    SENT_BY_WORKERS,
    WORKER_ROADS,
    recording_server,
    unexpected,
)
from uiap.drivers.chromium import ChromiumBrowser, find_browser
from uiap.drivers.chromium.driver import ChromiumDriver
from uiap.drivers.events import AnyEvent, RequestBlocked, RequestPermitted
from uiap.drivers.network_rules import NetworkRules

pytestmark = pytest.mark.asyncio(loop_scope="module")
ROAD_TIMEOUT_S = 30.0


class _Watched:
    """A driver with the requests that its guard blocked and permitted."""

    def __init__(self, driver: ChromiumDriver) -> None:
        self.driver = driver
        self.blocked: set[str] = set()
        self.permitted: list[str] = []
        self._changed = asyncio.Event()

    def on_event(self, event: AnyEvent) -> None:
        if isinstance(event, RequestBlocked):
            self.blocked.add("/" + event.url.split("/", 3)[3])
            self._changed.set()
        elif isinstance(event, RequestPermitted):
            self.permitted.append(f"{event.method} /{event.url.split('/', 3)[3]}")

    async def wait_until_blocked(self, paths: frozenset[str]) -> None:
        async with asyncio.timeout(ROAD_TIMEOUT_S):
            while not paths <= self.blocked:
                self._changed.clear()
                await self._changed.wait()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[ChromiumBrowser]:
    found = find_browser(environ=os.environ)
    if found is None:
        pytest.fail("these tests need a Chromium; install one or set UIAP_BROWSER")
    running = await ChromiumBrowser.launch(environ=os.environ, executable=found.path)
    yield running
    await running.close()


@asynccontextmanager
async def opened(chromium: ChromiumBrowser) -> AsyncIterator[_Watched]:
    """Open a context of its own; service workers of one context are unknown to the others."""
    watched = _Watched(ChromiumDriver(chromium))
    await watched.driver.start(watched.on_event)
    try:
        yield watched
    finally:
        await watched.driver.close()


async def take_roads(driver: ChromiumDriver, roads: dict[str, str]) -> None:
    for name, expression in roads.items():
        try:
            async with asyncio.timeout(ROAD_TIMEOUT_S):
                await driver.evaluate(expression)
        except TimeoutError:
            pytest.fail(f"the road `{name}` did not end")


@pytest.mark.requirement("DISC-8.2", "DISC-SEC.1")
async def test_a_page_without_service_worker_has_no_road_to_write(chromium: ChromiumBrowser) -> None:
    with recording_server() as (base, arrived):
        async with opened(chromium) as watched:
            await watched.driver.guard_network(NetworkRules(origins=frozenset({base})))
            await watched.driver.navigate(base + "/")
            await take_roads(watched.driver, PAGE_ROADS)
            await watched.wait_until_blocked(SENT)
        assert unexpected(arrived) == []


@pytest.mark.parametrize("registered", ["before the guard", "while signing in", "behind the guard"])
@pytest.mark.requirement("DISC-8.2", "DISC-SEC.1")
async def test_a_relaying_service_worker_has_no_road_to_write(
    chromium: ChromiumBrowser, registered: str
) -> None:
    with recording_server() as (base, arrived):
        async with opened(chromium) as watched:
            driver, rules = watched.driver, NetworkRules(origins=frozenset({base}))
            if registered == "while signing in":
                await driver.guard_network(NetworkRules(anywhere=True, sign_in=True))
            elif registered == "behind the guard":
                await driver.guard_network(rules)
            await driver.navigate(base + "/")
            await driver.evaluate(REGISTER)
            await driver.guard_network(rules)
            await driver.navigate(base + "/next")
            await take_roads(driver, PAGE_ROADS | WORKER_ROADS)
            await watched.wait_until_blocked(SENT | SENT_BY_WORKERS)
        assert unexpected(arrived) == []


@pytest.mark.requirement("DISC-8.2")
async def test_signing_in_may_post_and_nothing_else(chromium: ChromiumBrowser) -> None:
    with recording_server() as (base, arrived):
        async with opened(chromium) as watched:
            await watched.driver.guard_network(NetworkRules(anywhere=True, sign_in=True))
            await watched.driver.navigate(base + "/")
            await take_roads(
                watched.driver,
                {name: PAGE_ROADS[name] for name in ("fetch", "keepalive", "beacon", "socket")},
            )
            await watched.wait_until_blocked(frozenset({"/keepalive", "/beacon"}))
        assert unexpected(arrived) == watched.permitted == ["POST /fetch"]


async def test_a_page_has_its_sockets_back_after_the_guard(chromium: ChromiumBrowser) -> None:
    with recording_server() as (base, arrived):
        async with opened(chromium) as watched:
            await watched.driver.guard_network(NetworkRules(origins=frozenset({base})))
            await watched.driver.guard_network(None)
            await watched.driver.navigate(base + "/")
            await take_roads(watched.driver, {"socket": PAGE_ROADS["socket"]})
        assert unexpected(arrived) == ["GET /page-socket"]
