"""Dialogs, crashes and hangs of a tab, and its events besides the graph."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.drivers.chromium.site import Site
from tests.drivers.recorder import Recorder
from uiap.actions.ops import Press
from uiap.drivers.chromium import ChromiumDriver
from uiap.drivers.driver import PerformDispatched, PerformRefused
from uiap.drivers.errors import BlockedByDialog, CallTimedOut, TargetGone
from uiap.drivers.events import (
    ConsoleLine,
    Crashed,
    Hung,
    PageDialogClosed,
    PageDialogOpened,
    PageError,
    RequestEnded,
    RequestSent,
    ResponseReceived,
    TabClosed,
    TabOpened,
)

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_alert_during_evaluate_ends_the_call_and_is_the_current_dialog(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    await driver.navigate(site.page("/alert", "<p>quiet"))
    with pytest.raises(BlockedByDialog, match="alert is open: `stop here`"):
        await driver.evaluate("alert('stop here')")
    dialog = driver.dialog.current()
    assert dialog is not None and (dialog.kind, dialog.message) == ("alert", "stop here")
    await driver.dialog.answer(True)
    assert driver.dialog.current() is None
    assert await driver.evaluate("1 + 1") == 2
    assert [event.kind for event in recorder.of(PageDialogOpened)] == ["alert"]


async def test_nothing_is_sent_to_the_page_while_a_dialog_is_open(driver: ChromiumDriver, site: Site) -> None:
    url = site.page("/blocked", "<p>quiet")
    await driver.navigate(url)
    with pytest.raises(BlockedByDialog):
        await driver.evaluate("alert(1)")
    begun = time.monotonic()
    for call in (driver.evaluate("1"), driver.observe(), driver.evidence("screenshot")):
        with pytest.raises(BlockedByDialog):
            await call
    assert await driver.perform(Press(key="Enter")) == PerformRefused(
        "dialog", "a JavaScript alert is open; answer it first"
    )
    assert isinstance(await driver.navigate(url), PerformRefused)
    assert time.monotonic() - begun < 5  # refused immediately, without a timeout
    await driver.dialog.answer(True)


@pytest.mark.parametrize(("accept", "expected"), [(True, True), (False, False)])
async def test_confirm_waits_for_an_answer_and_returns_it(
    driver: ChromiumDriver, recorder: Recorder, site: Site, accept: bool, expected: bool
) -> None:
    await driver.navigate(site.page("/confirm", "<p>quiet"))
    with pytest.raises(BlockedByDialog):
        await driver.evaluate("window.answer = confirm('delete all?')")
    await driver.dialog.answer(accept)
    assert await driver.evaluate("window.answer") is expected
    assert (await recorder.first(PageDialogClosed)).accepted is accept


async def test_prompt_is_answered_with_the_given_text(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/prompt", "<p>quiet"))
    with pytest.raises(BlockedByDialog):
        await driver.evaluate("window.answer = prompt('name?', 'nobody')")
    dialog = driver.dialog.current()
    assert dialog is not None and dialog.default == "nobody"
    await driver.dialog.answer(True, "Ada")
    assert await driver.evaluate("window.answer") == "Ada"


async def test_navigation_stops_at_a_beforeunload_dialog(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/trap", "<button>x</button>"))
    await driver.evaluate("addEventListener('beforeunload', event => event.preventDefault())")
    await driver.perform(Press(key="a"))  # beforeunload needs a user gesture
    outcome = await driver.navigate(site.page("/away", "<p>away"))
    assert isinstance(outcome, PerformDispatched) and outcome.interrupted_by == "dialog"
    dialog = driver.dialog.current()
    assert dialog is not None and dialog.kind == "beforeunload"
    await driver.dialog.answer(False)
    assert await driver.evaluate("location.pathname") == "/trap"


async def test_crash_fails_the_pending_call_and_leaves_the_other_tab_working(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    url = site.page("/crash", "<button>here</button>")
    other = driver.tabs.active
    await driver.navigate(url)
    doomed = await driver.tabs.open(url.replace("localhost", "127.0.0.1"))
    pending = asyncio.ensure_future(driver.evaluate("new Promise(() => {})", tab=doomed))
    crashing = asyncio.ensure_future(driver.navigate("chrome://crash", tab=doomed, timeout=20))
    with pytest.raises(TargetGone):
        await asyncio.wait_for(pending, 15)
    await crashing
    await recorder.first(Crashed, lambda event: event.tab == doomed)
    assert [info.crashed for info in driver.tabs.all()] == [False, True]
    assert await driver.evaluate("1 + 1", tab=other) == 2
    with pytest.raises(TargetGone):
        await driver.observe(tab=doomed)
    assert isinstance(await driver.navigate(url, tab=doomed), PerformDispatched)
    assert "here" in [element.name for element in (await driver.observe(tab=doomed)).elements]


async def test_endless_loop_is_reported_as_hung_and_can_be_interrupted(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    await driver.navigate(site.page("/loop", "<p>quiet"))
    with pytest.raises(CallTimedOut):
        await driver.evaluate("while (true) {}", timeout=0.3)
    assert (await recorder.first(Hung)).seconds == 0.3
    await driver.context.tab().session.send("Runtime.terminateExecution")
    assert await driver.evaluate("1 + 1") == 2


async def test_popup_becomes_a_tab_with_its_opener_and_its_own_graph(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    site.page("/popup", "<title>Popup</title><button>In popup</button>")
    opener = driver.tabs.active
    await driver.navigate(site.page("/opener", "<p>opener"))
    await driver.evaluate("window.open('/popup'); 0")
    opened = await recorder.first(TabOpened, lambda event: event.opener == opener)
    await recorder.until(lambda: driver.tabs.all()[-1].title == "Popup")
    assert "In popup" in [element.name for element in (await driver.observe(tab=opened.tab)).elements]
    assert driver.tabs.active == opener
    await driver.evaluate("window.close(); 0", tab=opened.tab)
    await recorder.first(TabClosed, lambda event: event.tab == opened.tab)
    assert [info.tab for info in driver.tabs.all()] == [opener]


async def test_popup_written_by_script_is_read(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    await driver.navigate(site.page("/writer", "<p>opener"))
    await driver.evaluate(
        "const w = open(); w.document.write('<button>Written</button>'); w.document.close(); 0"
    )
    opened = await recorder.first(TabOpened, lambda event: event.opener is not None)

    async def names() -> list[object]:
        return [element.name for element in (await driver.observe(tab=opened.tab)).elements]

    async with asyncio.timeout(15):
        while "Written" not in await names():
            await driver.evaluate("new Promise(requestAnimationFrame)", tab=opened.tab)


async def test_closing_the_active_tab_makes_another_one_active(driver: ChromiumDriver) -> None:
    first = driver.tabs.active
    second = await driver.tabs.open()
    assert driver.tabs.active == second
    await driver.tabs.close(second)
    assert driver.tabs.active == first


async def test_requests_are_reported_in_order_with_their_responses(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    site.page("/data", "{}", status=503)
    await driver.navigate(site.page("/fetching", "<p>quiet"))
    await driver.evaluate("fetch('/data', {method: 'GET'}).then(() => 0)")
    sent = await recorder.first(RequestSent, lambda event: event.url.endswith("/data"))
    answered = await recorder.first(ResponseReceived, lambda event: event.request == sent.request)
    ended = await recorder.first(RequestEnded, lambda event: event.request == sent.request)
    assert (sent.method, answered.status, ended.failed) == ("GET", 503, False)
    assert sent.at <= answered.at <= ended.at <= time.monotonic()


async def test_failed_request_ends_as_failed(driver: ChromiumDriver, recorder: Recorder, site: Site) -> None:
    await driver.navigate(site.page("/failing", "<p>quiet"))
    await driver.evaluate("fetch('http://127.0.0.1:1/nothing').catch(() => 0)")
    sent = await recorder.first(RequestSent, lambda event: event.url.endswith("/nothing"))
    assert (await recorder.first(RequestEnded, lambda event: event.request == sent.request)).failed


async def test_console_lines_and_uncaught_errors_are_reported(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    script = "console.warn('careful', 7); setTimeout(() => { throw new Error('broken') })"
    await driver.navigate(site.page("/console", f"<script>{script}</script>"))
    line = await recorder.first(ConsoleLine, lambda event: event.level == "warning")
    error = await recorder.first(PageError)
    assert line.text == "careful 7"
    assert "broken" in error.text and error.source == "page"


async def test_screenshot_of_a_background_tab_is_a_png(driver: ChromiumDriver, site: Site) -> None:
    first = driver.tabs.active
    await driver.navigate(site.page("/picture", "<h1>picture</h1>"))
    await driver.tabs.open()
    evidence = await driver.evidence("screenshot", tab=first)
    assert evidence.media_type == "image/png" and evidence.data.startswith(b"\x89PNG")


async def test_accessibility_tree_comes_from_chromium(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/ax", "<button>Press me</button>"))
    assert b"Press me" in (await driver.evidence("ax")).data
