"""A value that is set in a real browser sends no form: the driver presses no key that policy has not judged."""

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
from uiap.policy.autonomy import rules_at

PAGE = """<!doctype html><title>Order</title><form method=post action=/write/form>
<input type=number aria-label=Native value=1> <input role=spinbutton aria-label=Drawn aria-valuenow=1 value=1>
<input type=range aria-label=Slider min=0 max=9 value=1> <input role=spinbutton aria-label=Empty>
<input role=slider aria-label=Odd aria-valuenow=1 value=1 aria-valuemin=0 aria-valuemax=9></form>
<script>for (const one of document.querySelectorAll('[role]')) {
  one.oninput = () => one.setAttribute('aria-valuenow', 3)  // whatever is typed, the value is another one
  one.onkeydown = (e) => { if (e.key === 'Enter') fetch('/write/key', {method: 'POST'}) } }</script>"""


@pytest.mark.browser
async def test_no_value_that_a_page_refuses_makes_the_driver_send_the_form() -> None:
    browser = await ChromiumBrowser.launch(environ=os.environ)
    with serving() as oracle:
        oracle.pages["1"] = PAGE
        async with AsyncExitStack() as stack:
            services = SessionServices(ChromiumDriver(browser), rules=rules_at("assist"))
            stack.push_async_callback(services.close)
            await services.start()
            callers = await stack.enter_async_context(in_process_sessions(services, (EVE, ANN)))
            agent, person = (Ui(one, AsyncExitStack()) for one in callers)
            await person.act("nav.navigate", args={"url": f"{oracle.url}/page/1"}, policy="none")
            names = ("Native", "Drawn", "Slider", "Empty", "Odd")
            for name in names:
                role = "slider" if name in ("Slider", "Odd") else "spinbutton"
                done = await agent.act(
                    "ui.setValue", role=role, name=name, args={"value": 7}, timeout_ms=3_000
                )
                assert done.error is None or "defect" not in done.error.message, name
        assert oracle.written == []
    await browser.close()
