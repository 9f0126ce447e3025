"""A page of the user is read and driven, and left as it was."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.async_api import Browser, Page

from tests.drivers.chromium.site import Site
from tests.drivers.recorder import Recorder
from uiap.actions.ops import Click, Guard
from uiap.drivers.chromium import WorldConfig
from uiap.drivers.chromium.connection.cdp import CdpConnection
from uiap.drivers.driver import PerformDispatched, PerformRefused
from uiap.drivers.errors import ConnectionLost, NotSupported
from uiap.drivers.events import Downloaded, GraphChanged, PageDialogClosed, TabClosed, TabOpened
from uiap.drivers.playwright import PlaywrightDriver
from uiap.drivers.playwright.driver import chromium_of

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@asynccontextmanager
async def start_driver(page: Page, recorder: Recorder, **options: Any) -> Any:
    driver = PlaywrightDriver(page, **options)
    await driver.start(recorder)
    yield driver
    await driver.close()


async def guard(driver: PlaywrightDriver, name: str, **options: Any) -> Guard:
    graph = await driver.observe(**options)
    (node,) = [element.instance_id for element in graph.elements if element.name == name]
    return Guard(node=node, name=name)


async def names(driver: PlaywrightDriver) -> list[str]:
    return [element.name for element in (await driver.observe()).elements if element.name]


async def test_page_is_read_and_clicked_and_stays_open_without_our_listeners(
    page: Page, recorder: Recorder, site: Site
) -> None:
    await page.goto(site.page("/own", "<button onclick='this.textContent += `!`'>Go</button>"))
    async with start_driver(page, recorder) as driver:
        assert isinstance(await driver.perform(Click(guard=await guard(driver, "Go"))), PerformDispatched)
        await driver.flush()
    count = len(recorder.of(GraphChanged))
    assert not page.is_closed() and page.url == site.url("/own")
    await page.get_by_role("button").click()
    assert await page.inner_text("button") == "Go!!"
    assert await traces_in_page(page) == {"listeners": 0, "scripts": 1}
    assert len(recorder.of(GraphChanged)) == count
    await page.reload()
    assert await traces_in_page(page) == {"listeners": 0, "scripts": 0}


async def traces_in_page(page: Page) -> dict[str, int]:
    """Count our scripts in worlds with our name, and their listeners on window and document."""
    session = await page.context.new_cdp_session(page)
    found: list[int] = []

    def created(event: dict[str, Any]) -> None:
        if event["context"]["name"].startswith("uiap"):
            found.append(event["context"]["id"])

    session.on("Runtime.executionContextCreated", created)
    await session.send("Runtime.enable")
    listeners = scripts = 0
    for context in found:
        params = {"expression": "'__uiap_boot' in globalThis", "contextId": context}
        scripts += (await session.send("Runtime.evaluate", params))["result"]["value"]
        for expression in ("window", "document"):
            params = {"expression": expression, "contextId": context}
            handle = (await session.send("Runtime.evaluate", params))["result"]["objectId"]
            reply = await session.send("DOMDebugger.getEventListeners", {"objectId": handle})
            listeners += len(reply["listeners"])
    await session.detach()
    return {"listeners": listeners, "scripts": scripts}


async def test_page_can_be_attached_again_and_by_two_sessions(
    page: Page, recorder: Recorder, site: Site
) -> None:
    await page.goto(site.page("/again", "<button onclick='this.after(`Done`)'>Go</button>"))
    async with start_driver(page, Recorder()):
        pass
    other = Recorder()
    async with start_driver(page, recorder) as one, start_driver(page, other) as two:
        assert isinstance(await two.perform(Click(guard=await guard(two, "Go"))), PerformDispatched)
        await one.flush()
        for driver, events in ((one, recorder), (two, other)):
            assert await names(driver) == ["Go"]
            assert isinstance(await driver.navigate(site.url("/again")), PerformDispatched)
            assert events.of(GraphChanged)[-1].graph is not None


async def test_popups_are_tabs_and_other_pages_of_the_user_are_not(
    page: Page, recorder: Recorder, site: Site
) -> None:
    popup = site.page("/popup", "<title>Popup</title><button>Inside</button>")
    await page.goto(site.page("/opener", f"<button onclick='window.open(`{popup}`)'>Open</button>"))
    theirs = await page.context.new_page()
    async with start_driver(page, recorder) as driver:
        await page.context.new_page()
        await driver.perform(Click(guard=await guard(driver, "Open")))
        opened = await recorder.first(TabOpened, lambda event: event.opener is not None)
        await recorder.first(GraphChanged, lambda event: event.tab == opened.tab and "Inside" in str(event))
        assert len(driver.tabs.all()) == 2
        assert await guard(driver, "Inside", tab=opened.tab)
    assert len(page.context.pages) == 4 and not theirs.is_closed()


class FrameFirst:
    """Delay messages of the page's own process until the frame's process has sent its first push."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._feed = CdpConnection.feed
        self._held: list[str | bytes] = []
        self._frames: set[str] = set()
        self.frame_has_pushed = False
        monkeypatch.setattr(CdpConnection, "feed", lambda wire, text: self._receive(wire, text))

    def _receive(self, wire: CdpConnection, text: str | bytes) -> None:
        message = json.loads(text)
        method, params = message.get("method"), message.get("params", {})
        if method == "Target.attachedToTarget" and params["targetInfo"]["type"] == "iframe":
            self._frames.add(params["sessionId"])
        elif not self.frame_has_pushed and message.get("sessionId") not in self._frames:
            ours = method == "Runtime.executionContextCreated" and params["context"]["name"] == "uiap-bridge"
            if ours or self._held:
                self._held.append(text)
                return
        self._feed(wire, text)
        if (
            method == "Runtime.bindingCalled"
            and message["sessionId"] in self._frames
            and not self.frame_has_pushed
        ):
            self.frame_has_pushed = True
            for late in self._held:
                self._feed(wire, late)


@pytest.mark.parametrize("order", ["unchanged", "the frame first"])
async def test_frame_of_another_process_is_read_if_its_origin_is_bridged(
    page: Page, recorder: Recorder, site: Site, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.page("/inner", "<button onclick='this.textContent = `Pressed`'>Deep</button>")
    inner = site.url("/inner", "127.0.0.1", other=True)
    await page.goto(site.page("/outer", f"<iframe src='{inner}' title='Frame'></iframe>"))
    first = FrameFirst(monkeypatch) if order == "the frame first" else None
    bridged = WorldConfig(name="uiap-bridge", bridged_origins=frozenset({inner.removesuffix("/inner")}))
    async with start_driver(page, recorder, world=bridged) as driver:
        await recorder.until(lambda: any("Deep" in str(event) for event in recorder.of(GraphChanged)))
        assert first is None or first.frame_has_pushed
        assert isinstance(await driver.perform(Click(guard=await guard(driver, "Deep"))), PerformDispatched)
        await recorder.until(lambda: any("Pressed" in str(event) for event in recorder.of(GraphChanged)))
    async with start_driver(page, recorder) as driver:
        graph = await driver.observe()
        assert "Pressed" not in str(graph) and [r.kind for r in graph.opaque_regions] != []


async def test_dialog_answered_by_the_users_handler_is_reported_closed(
    page: Page, recorder: Recorder, site: Site
) -> None:
    page.on("dialog", lambda dialog: dialog.accept())
    await page.goto(site.page("/ask", "<button onclick='document.title = confirm(`Sure?`)'>Ask</button>"))
    async with start_driver(page, recorder) as driver:
        await driver.perform(Click(guard=await guard(driver, "Ask")))
        assert (await recorder.first(PageDialogClosed)).accepted is True
        assert await page.title() == "true"


async def test_dialog_stays_open_while_driven_and_is_dismissed_after_close(
    page: Page, recorder: Recorder, site: Site
) -> None:
    await page.goto(site.page("/prompt", "<button onclick='document.title = prompt(`Name?`)'>Ask</button>"))
    async with start_driver(page, recorder) as driver:
        await driver.perform(Click(guard=await guard(driver, "Ask")))
        assert driver.dialog.current() is not None
        await driver.dialog.answer(True, "Ada")
        assert await page.title() == "Ada"
    await page.click("button")
    assert await page.title() == "null"


@pytest.mark.parametrize("folder", [True, False])
async def test_download_stays_with_playwright_and_is_copied_to_the_folder(
    page: Page, recorder: Recorder, site: Site, tmp_path: Path, folder: bool
) -> None:
    site.page("/file", "body", headers={"Content-Disposition": "attachment; filename=note.txt"})
    await page.goto(site.page("/files", "<a href='/file'>Get</a>"))
    async with start_driver(page, recorder, downloads=tmp_path if folder else None) as driver:
        async with page.expect_download() as mine:
            await driver.perform(Click(guard=await guard(driver, "Get")))
        downloaded = await recorder.first(Downloaded)
        assert (downloaded.path == tmp_path / "note.txt") is folder
        assert Path(await (await mine.value).path()).read_text() == "body"


async def test_closing_the_page_is_reported_and_refuses_later_gestures(
    user_browser: Browser, recorder: Recorder, site: Site
) -> None:
    page = await user_browser.new_page()
    await page.goto(site.page("/mortal", "<button>Go</button>"))
    driver = PlaywrightDriver(page)
    await driver.start(recorder)
    target = await guard(driver, "Go")
    await page.close()
    await recorder.first(TabClosed)
    assert isinstance(await driver.perform(Click(guard=target)), PerformRefused)
    await driver.close()


async def test_calls_fail_after_the_session_is_closed(page: Page, recorder: Recorder) -> None:
    async with start_driver(page, recorder) as driver:
        await driver.close()
        with pytest.raises(ConnectionLost):
            await driver.context.browser.send("Browser.getVersion")


@pytest.mark.parametrize("kind", ["firefox", "webkit"])
async def test_page_of_another_browser_is_not_supported(kind: str) -> None:
    other: Any = SimpleNamespace(
        context=SimpleNamespace(browser=SimpleNamespace(browser_type=SimpleNamespace(name=kind)))
    )
    with pytest.raises(NotSupported, match=f"in `{kind}` is not supported yet; launch Chromium instead"):
        chromium_of(other)
