"""Navigation ends when the new page has published, or with a reason for the failure."""

from __future__ import annotations

import asyncio

import pytest

from tests.drivers.chromium.site import Site
from tests.drivers.recorder import Recorder
from uiap.actions.ops import Click, Guard
from uiap.drivers.chromium import ChromiumDriver
from uiap.drivers.driver import PerformDispatched, PerformRefused
from uiap.drivers.events import GraphChanged, Navigated, ResponseReceived

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_navigation_ends_when_the_new_page_has_published(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    url = site.page("/here", "<title>Here</title><button>Go</button>")
    outcome = await driver.navigate(url)
    assert isinstance(outcome, PerformDispatched) and outcome.detail == {}
    last = [event.graph for event in recorder.of(GraphChanged) if event.graph][-1]
    assert last is not None and last.route.url == url
    assert [(info.url, info.title) for info in driver.tabs.all()] == [(url, "Here")]


async def test_every_document_is_a_new_graph_with_a_later_revision(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    await driver.navigate(site.page("/one", "<p>one"))
    await driver.navigate(site.page("/two", "<p>two"))
    graphs = [event for event in recorder.of(GraphChanged) if event.graph]
    seqs = [event.seq for event in recorder.of(GraphChanged)]
    assert seqs == sorted(set(seqs))
    assert [event.reason for event in graphs] == ["initial", "navigation", "navigation"]
    assert len({event.graph.documents[0].document_id for event in graphs if event.graph}) == 3


async def test_unreachable_server_is_refused_with_the_reason_of_the_browser(driver: ChromiumDriver) -> None:
    assert await driver.navigate("http://127.0.0.1:1/") == PerformRefused(
        "unavailable", "net::ERR_UNSAFE_PORT"
    )


async def test_malformed_url_is_refused(driver: ChromiumDriver) -> None:
    outcome = await driver.navigate("not an address")
    assert isinstance(outcome, PerformRefused) and outcome.reason == "invalid"


@pytest.mark.parametrize(
    "address", ["javascript:document.title='owned'", " \tjava\nSCRIPT:document.title='owned'"]
)
async def test_javascript_url_is_never_run(driver: ChromiumDriver, site: Site, address: str) -> None:
    await driver.navigate(site.page("/script", "<title>mine</title>"))
    outcome = await driver.navigate(address)
    assert isinstance(outcome, PerformRefused) and outcome.reason == "invalid"
    assert await driver.evaluate("document.title") == "mine"


async def test_fragment_keeps_the_document(driver: ChromiumDriver, recorder: Recorder, site: Site) -> None:
    url = site.page("/fragment", "<p id=x>here")
    await driver.navigate(url)
    await driver.evaluate("marker = 1")
    assert isinstance(await driver.navigate(f"{url}#x"), PerformDispatched)
    assert await driver.evaluate("[marker, location.hash]") == [1, "#x"]
    last = recorder.of(Navigated)[-1]
    assert (last.url, last.new_document) == (f"{url}#x", False)


async def test_page_that_is_still_loading_at_the_timeout_is_reported(
    driver: ChromiumDriver, site: Site
) -> None:
    open_gate = site.gate("/slow.js")
    site.page("/slow.js", "")
    outcome = await driver.navigate(site.page("/slow", "<script src='/slow.js'></script>"), timeout=2.0)
    open_gate()
    assert isinstance(outcome, PerformDispatched) and outcome.detail == {"loading": True}


async def test_redirect_ends_at_the_last_url(driver: ChromiumDriver, site: Site) -> None:
    site.page("/end", "<title>End</title>")
    await driver.navigate(site.page("/start", "", status=302, headers={"Location": "/end"}))
    assert driver.tabs.all()[0].url == site.url("/end")


async def test_navigation_by_the_page_itself_is_reported(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    site.page("/next", "<button>Next</button>")
    await driver.navigate(site.page("/self", "<p>self"))
    await driver.evaluate("setTimeout(() => { location = '/next' })")
    await recorder.first(Navigated, lambda event: event.url == site.url("/next"))
    async with asyncio.timeout(10):
        names = [element.name for element in (await driver.observe()).elements]
    assert "Next" in names


async def test_a_step_in_the_history_loads_the_other_page(driver: ChromiumDriver, site: Site) -> None:
    one, two = site.page("/one", "<title>One</title>"), site.page("/two", "<title>Two</title>")
    await driver.navigate(one)
    await driver.navigate(two)
    for step, url in (("back", one), ("forward", two), ("reload", two)):
        assert isinstance(await driver.navigate(f"history:{step}"), PerformDispatched)
        assert [info.url for info in driver.tabs.all()] == [url]
    refused = await driver.navigate("history:forward")
    assert refused == PerformRefused("unavailable", "the tab has no later page")


async def test_a_step_in_the_history_of_one_document_is_seen(driver: ChromiumDriver, site: Site) -> None:
    url = site.page("/app", "<script>history.pushState(null, '', '/app?view=2')</script><p>app")
    await driver.navigate(url)
    assert isinstance(await driver.navigate("history:back"), PerformDispatched)
    assert [info.url for info in driver.tabs.all()] == [url]


CHALLENGE = {"WWW-Authenticate": 'Basic realm="staff"'}


async def test_http_sign_in_that_nobody_can_answer_does_not_block_the_page(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    site.page("/data", "no", status=401, headers=CHALLENGE)
    answered = "fetch('/data').then(answer => { document.title = `status ${answer.status}` })"
    await driver.navigate(site.page("/asks", f"<button>Go</button><script>{answered}</script>"))
    assert await driver.context.tab().wait_until(
        lambda: any(one.status == 401 for one in recorder.of(ResponseReceived)), 10
    )
    (button,) = [one for one in (await driver.observe()).elements if one.role == "button"]
    outcome = await driver.perform(Click(guard=Guard(node=button.instance_id, name="Go")))
    assert isinstance(outcome, PerformDispatched)
    assert await driver.evaluate("document.title") == "status 401"


async def test_page_that_asks_for_http_sign_in_is_answered_with_401(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    outcome = await driver.navigate(site.page("/staff", "<p>not for you", status=401, headers=CHALLENGE))
    assert isinstance(outcome, PerformDispatched)
    assert recorder.of(ResponseReceived)[-1].status == 401
