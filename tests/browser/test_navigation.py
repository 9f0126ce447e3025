"""nav.navigate in a real browser: documents, hash routers and history routers."""

from __future__ import annotations

import pytest

from tests.browser.trial import Stage, describe_result

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ROUTER = (
    """addEventListener("hashchange", () => { document.title = "At " + location.hash }); window.kept = true"""
)


@pytest.mark.requirement("ACT-11.14", "ACT-3.4")
async def test_navigation_changes_the_route_of_every_kind_of_router(stage: Stage) -> None:
    await stage.goto("plain")
    home = stage.server.page("plain")
    await stage.driver.evaluate(ROUTER)
    for url in (f"{home}#/two", "#/three"):
        gone = await stage.act("nav.navigate", args={"url": url})
        assert gone.status == "succeeded" and gone.resolved_target is not None, describe_result(gone)
        here = await stage.driver.evaluate("[location.hash, document.title, window.kept]")
        assert here == ["#" + url.partition("#")[2], f"At #{url.partition('#')[2]}", True]
    await stage.driver.evaluate("history.pushState({}, '', '/somewhere/else')")
    back = await stage.act("nav.navigate", args={"url": home})
    assert back.status == "succeeded", describe_result(back)
    assert await stage.driver.evaluate("[location.href, window.kept ?? null]") == [home, None]
    assert stage.page.tab().store.route.url == home


@pytest.mark.requirement("ACT-11.14", "ACT-3.4")
async def test_an_unreachable_address_is_not_a_success(stage: Stage) -> None:
    await stage.goto("plain")
    lost = await stage.act("nav.navigate", args={"url": "http://127.0.0.1:9/"}, timeout_ms=1500)
    assert lost.status == "failed", describe_result(lost)
