"""A plain playwright-python script on the generated pages: it acts, waits for the expected text, and raises nothing.

This is the usual way to write it, without any other check. It shows that the pages are as constructed, too.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

from apps.grammar import Case, Server
from uiap.drivers.chromium import find_browser

POLL_S = 0.05
END_S = 15.0
UNTOUCHED_S = 1.5


class Script:
    """One browser; each case gets a context of its own."""

    async def __aenter__(self) -> Script:
        from playwright.async_api import async_playwright

        self._running = await async_playwright().start()
        found = find_browser(environ=os.environ)
        assert found is not None
        args = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        self._browser = await self._running.chromium.launch(executable_path=str(found.path), args=args)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._browser.close()
        await self._running.stop()

    async def attempt(self, server: Server, case: Case) -> tuple[bool, str, dict[str, Any], list[str]]:
        """Return the claim, the message, the page's truth and the server's records."""
        from playwright.async_api import Error

        context = await self._browser.new_context(viewport={"width": 1280, "height": 800})
        trial = server.next_trial()
        try:
            page = await context.new_page()
            await page.goto(server.page(case.id, trial), wait_until="load")
            try:
                await _use(page, case)
                await _wait(page, case)
                claimed, message = True, "no exception"
            except Error as error:
                claimed, message = False, str(error).splitlines()[0]
            truth = await _end(page, server, case, trial)
            return claimed, message, truth, list(server.records[trial])
        finally:
            await context.close()


async def _use(page: Any, case: Case) -> None:
    target = page.get_by_role(case.role, name=case.name, exact=True)
    wait = {"timeout": case.timeout_ms}
    match case.shape.control:
        case "checkbox":
            await target.check(**wait)
        case "select":
            await target.select_option(label=case.args["label"], **wait)
        case "combobox":
            await target.click(**wait)
            await page.get_by_role("option", name=case.args["label"], exact=True).click(**wait)
        case "text" | "editable":
            await target.fill(case.args["text"], **wait)
        case "slider":
            await target.fill(str(case.args["value"]), **wait)
        case "form":
            await target.get_by_role("button").click(**wait)
        case "key":
            await target.press(case.args["key"], **wait)
        case _:
            await target.click(**wait)


async def _wait(page: Any, case: Case) -> None:
    for signal in case.expect:
        if "text" in signal:
            await page.get_by_text(signal["text"]).first.wait_for(timeout=case.timeout_ms)
        else:
            named = page.get_by_role(signal["target"]["role"], name=signal["target"]["name"])
            await named.wait_for(timeout=case.timeout_ms)


async def _end(page: Any, server: Server, case: Case, trial: int) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    begun = loop.time()
    while True:
        truth: dict[str, Any] = await page.evaluate("JSON.parse(JSON.stringify(window.__truth))")
        spent = loop.time() - begun
        if truth["finished"] and len(server.records[trial]) >= len(case.truth.server):
            return truth
        if spent > END_S or (not truth["performed"] and spent > UNTOUCHED_S):
            return truth
        await asyncio.sleep(POLL_S)
