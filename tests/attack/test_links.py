"""Real links in a real browser whose press a script handles: policy judges the press, not the address."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

import os
from contextlib import AsyncExitStack

import pytest

from tests.attack.browser_monkey import serving
from tests.attack.stage import ANN, EVE
from uiap.api.open_session import in_process_sessions
from uiap.api.ui import Ui
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver
from uiap.host.sessions.session_services import SessionServices
from uiap.policy.autonomy import Autonomy, rules_at

PAGE = """<!doctype html><title>Links</title>
<a href=/page/2 id=plain>Plain page</a> <a href=/page/2 id=own>Help</a> <a href=/page/2 id=sent>Guide</a>
<a href=/page/2 id=routed>Orders</a> <p id=around><a href=/page/2>Overview</a></p> <a href=/page/2 class=del>Inbox</a>
<script>
own.addEventListener('click', (e) => { e.preventDefault(); run('K') })
sent.onclick = (e) => { e.preventDefault(); fetch('/write/sent', {method: 'POST'}) }
routed.onclick = (e) => { if (e.ctrlKey) return; e.preventDefault(); history.pushState(0, '', '/page/2') }
around.addEventListener('click', () => fetch('/write/around', {method: 'DELETE'}))
document.addEventListener('click', (e) => { if (e.target.closest('.del')) { e.preventDefault(); fetch('/write/del', {method: 'POST'}) } })
</script>"""
FREE: dict[Autonomy, set[str]] = {
    "ask": {"Plain page", "Orders"},
    "assist": {"Plain page", "Orders", "Help"},
}
"""`Help` has a listener of unknown intent: as a button with this word it is a routine step at `assist`."""


FORMS = """<!doctype html><title>Forms</title>
<form id=f method=post action=/write/f><input type=password aria-label=Password></form><button form=f>Next</button>
<form id=g action=/find><input aria-label=Query><button>Frobnicate</button></form>
<script>g.addEventListener('submit', (e) => { e.preventDefault(); fetch('/write/g', {method: 'POST'}) })</script>"""


@pytest.mark.browser
async def test_a_link_whose_press_a_script_handles_is_judged_like_a_button() -> None:
    names = ("Plain page", "Help", "Guide", "Orders", "Overview", "Inbox")
    browser = await ChromiumBrowser.launch(environ=os.environ)
    with serving() as oracle:
        oracle.pages["1"] = PAGE
        for level, free in FREE.items():
            async with AsyncExitStack() as stack:
                services = SessionServices(ChromiumDriver(browser), rules=rules_at(level))
                stack.push_async_callback(services.close)
                await services.start()
                callers = await stack.enter_async_context(in_process_sessions(services, (EVE, ANN)))
                agent, person = (Ui(one, AsyncExitStack()) for one in callers)
                await person.act("nav.navigate", args={"url": f"{oracle.url}/page/1"}, policy="none")
                decided = {
                    name: await agent.preflight("ui.activate", role="link", name=name) for name in names
                }
                assert {name for name, one in decided.items() if one.effect == "allow"} == free, level
                if level == "assist":
                    oracle.pages["2"] = FORMS
                    await person.act("nav.navigate", args={"url": f"{oracle.url}/page/2"}, policy="none")
                    for name in ("Next", "Frobnicate"):  # a form elsewhere, and a form that a script sends
                        assert (
                            await agent.preflight("ui.activate", role="button", name=name)
                        ).effect == "confirm"
        assert oracle.written == []
    await browser.close()
