"""The whole browser: its end, attaching to it, and separation of its contexts."""

from __future__ import annotations

import asyncio
import gc
import os
import weakref
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.drivers.chromium.site import Site
from tests.drivers.recorder import Recorder
from uiap.actions.ops import Click, Guard
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver, InstalledBrowser
from uiap.drivers.driver import PerformDispatched, PerformRefused, PerformUnknown
from uiap.drivers.errors import BrowserUnavailable, ConnectionLost
from uiap.drivers.events import GraphChanged, TabClosed

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(loop_scope="module")
async def own_browser(browser: InstalledBrowser) -> AsyncIterator[ChromiumBrowser]:
    """A separate browser for tests that kill it."""
    running = await ChromiumBrowser.launch(environ=os.environ, executable=browser.path)
    yield running
    await running.close()


async def start_driver(
    browser: ChromiumBrowser, recorder: Recorder, url: str
) -> tuple[ChromiumDriver, Guard]:
    driver = ChromiumDriver(browser)
    await driver.start(recorder)
    await driver.navigate(url)
    graph = await driver.observe()
    (node,) = [element.instance_id for element in graph.elements if element.name == "Go"]
    return driver, Guard(node=node, name="Go")


async def test_browser_killed_in_the_middle_of_a_click_leaves_the_outcome_unknown(
    own_browser: ChromiumBrowser, recorder: Recorder, site: Site
) -> None:
    hang = "const end = Date.now() + 5000; while (Date.now() < end);"
    driver, target = await start_driver(
        own_browser, recorder, site.page("/go", f"<button onclick='{hang}'>Go</button>")
    )
    tab = driver.context.tab()
    click = asyncio.ensure_future(driver.perform(Click(guard=target), timeout=30))
    await tab.wait_until(lambda: tab.feed.verdicts, 10)  # the press has reached the page
    own_browser.process.kill()
    async with asyncio.timeout(5):
        outcome = await click
    assert isinstance(outcome, PerformUnknown) and outcome.cause == "connection_lost"


async def test_browser_killed_before_a_click_refuses_it_and_fails_every_call_at_once(
    own_browser: ChromiumBrowser, recorder: Recorder, site: Site
) -> None:
    driver, target = await start_driver(own_browser, recorder, site.page("/go", "<button>Go</button>"))
    pending = asyncio.ensure_future(driver.evaluate("new Promise(() => {})"))
    await asyncio.sleep(0)
    own_browser.process.kill()
    async with asyncio.timeout(5):
        with pytest.raises(ConnectionLost):
            await pending
        await recorder.first(TabClosed)
        assert isinstance(await driver.perform(Click(guard=target)), PerformRefused)


async def test_session_continues_in_a_restarted_browser(
    own_browser: ChromiumBrowser, browser: InstalledBrowser, recorder: Recorder, site: Site
) -> None:
    url = site.page("/go", "<button>Go</button>")
    await start_driver(own_browser, recorder, url)
    own_browser.process.kill()
    again = await ChromiumBrowser.launch(environ=os.environ, executable=browser.path)
    driver, target = await start_driver(again, Recorder(), url)
    assert isinstance(await driver.perform(Click(guard=target)), PerformDispatched)
    await again.close()


async def test_attached_browser_is_driven_in_a_separate_context(
    browser: InstalledBrowser, recorder: Recorder, site: Site
) -> None:
    owner = await ChromiumBrowser.launch(
        environ=os.environ, executable=browser.path, args=["--remote-debugging-port=0"]
    )
    theirs = ChromiumDriver(owner)
    await theirs.start(Recorder())
    await theirs.navigate(site.page("/theirs", "<button>Theirs</button>"))
    assert owner.process.profile is not None
    port, path = await asyncio.to_thread(read_port, owner.process.profile.path)
    guest = await ChromiumBrowser.attach(f"ws://127.0.0.1:{port}{path}")
    driver, target = await start_driver(guest, recorder, site.page("/go", "<button>Go</button>"))
    assert isinstance(await driver.perform(Click(guard=target)), PerformDispatched)
    assert len(driver.tabs.all()) == 1  # existing tabs of the owner are ignored
    await driver.close()
    await guest.close()
    assert "Theirs" in [element.name for element in (await theirs.observe()).elements]
    await owner.close()


def read_port(profile: Path) -> list[str]:
    return (profile / "DevToolsActivePort").read_text().split()


async def test_missing_browser_is_reported_with_an_install_hint() -> None:
    with pytest.raises(BrowserUnavailable, match=r"no Chromium was found; install one"):
        await ChromiumBrowser.launch(environ={"PATH": "/nowhere"})


async def test_contexts_of_one_browser_do_not_receive_each_others_events(
    chromium: ChromiumBrowser, recorder: Recorder, site: Site
) -> None:
    other = Recorder()
    one, target = await start_driver(chromium, recorder, site.page("/go", "<button>Go</button>"))
    two, _ = await start_driver(chromium, other, site.url("/go"))
    other.events.clear()
    await one.perform(Click(guard=target))
    await one.flush()
    assert not other.of(GraphChanged)
    assert isinstance(
        await two.perform(Click(guard=target)), PerformRefused
    )  # ids of one context are unknown in the other
    await one.close()
    assert isinstance(await two.navigate(site.url("/go")), PerformDispatched)
    await two.close()


async def test_browser_keeps_no_listeners_of_a_closed_session(
    chromium: ChromiumBrowser, recorder: Recorder, site: Site
) -> None:
    driver = ChromiumDriver(chromium)
    await driver.start(recorder)
    await driver.navigate(site.page("/brief", "<button>Brief</button>"))
    await driver.close()
    reference = weakref.ref(driver)
    del driver
    gc.collect()
    assert reference() is None
