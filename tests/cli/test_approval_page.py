"""The approval page: it grants exactly what it showed, and refuses forged requests."""

from __future__ import annotations

import asyncio
import http.client
import re
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from uiap.api.open_session import connect
from uiap.api.result import Result
from uiap.cli.approval_html import page
from uiap.cli.approval_page import ApprovalAddresses, ApprovalServer
from uiap.drivers.scripted.app import ScriptedPage, Widget
from uiap.drivers.scripted.driver import ScriptedDriver
from uiap.host.records.store import sqlite_url
from uiap.host.sessions.resident import Resident
from uiap.host.sessions.session_folder import SessionFolder

NAME = "<script>alert(1)</script>"


@dataclass
class Approval:
    """A resident session whose agent waits for a confirmation, and the approval page for it."""

    server: ApprovalServer
    pressed: asyncio.Task[Result]
    driver: ScriptedDriver

    async def ask(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, Any, str]:
        return await asyncio.to_thread(self._ask, method, path, body, headers)

    def _ask(self, method: str, path: str, body: str, headers: dict[str, str]) -> tuple[int, Any, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_address[1], timeout=10)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, text

    async def enter(self) -> str:
        status, headers, _ = await self.ask("GET", self.server.address.removeprefix(self.server.origin))
        assert status == 303
        assert "HttpOnly" in headers["Set-Cookie"] and "SameSite=Strict" in headers["Set-Cookie"]
        return str(headers["Set-Cookie"].partition(";")[0])

    async def form(self, cookie: str, answer: str) -> str:
        """Return the form that the page's button sends."""
        _, _, text = await self.ask("GET", "/", Cookie=cookie)
        hidden = re.findall(r'name="(key|handle|bond)" value="([^"]+)"', text)
        return "&".join([f"{name}={value}" for name, value in hidden] + [f"answer={answer}"])


@asynccontextmanager
async def approval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str = NAME
) -> AsyncIterator[Approval]:
    monkeypatch.setenv("UIAP_HOME", str(tmp_path))
    folder = SessionFolder(tmp_path / "run", "default")
    driver = ScriptedDriver(ScriptedPage("http://a.test/", [Widget("b", "button", name)]))
    resident = Resident(folder, driver, rules="standard", store_url=sqlite_url(tmp_path / "s.sqlite3"))
    await resident.services.start()
    await resident.serve()
    try:
        async with connect(f"unix:{folder.socket}", principal="<b>eve</b>") as ui:
            asked: asyncio.Queue[Any] = asyncio.Queue()
            ui.on_confirmation(asked.put_nowait)
            ui._caller.listen("uiap.policy.handoff.started", asked.put_nowait)
            pressed = asyncio.create_task(ui.act("ui.activate", role="button", name=name, policy="none"))
            await asyncio.wait_for(asked.get(), 20)
            with await asyncio.to_thread(ApprovalServer, "default") as server:
                thread = threading.Thread(target=server.serve_forever)
                thread.start()
                yield Approval(server, pressed, driver)
                server.shutdown()
                await asyncio.to_thread(thread.join, 10)
            pressed.cancel()
    finally:
        await resident.close()


async def test_a_client_that_opens_addresses_gets_one_that_works_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with approval(tmp_path, monkeypatch) as waiting:
        addresses = ApprovalAddresses("default")
        first, second = [await asyncio.to_thread(addresses) for _ in range(2)]
        assert first != second and urlsplit(first).netloc == urlsplit(second).netloc
        server = addresses._server
        assert server is not None
        page = Approval(server, waiting.pressed, waiting.driver)
        assert (await page.ask("GET", first.removeprefix(server.origin)))[0] == 403
        assert "ui.activate" in (await page.ask("GET", "/", Cookie=await page.enter()))[2]
        assert (await page.ask("GET", second.removeprefix(server.origin)))[0] == 403
        await asyncio.to_thread(server.shutdown)
        server.server_close()


@pytest.mark.requirement("ACT-5.3", "ACT-SEC.2")
async def test_the_page_escapes_values_cannot_be_framed_and_grants_what_it_showed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with approval(tmp_path, monkeypatch) as waiting:
        cookie = await waiting.enter()
        status, headers, text = await waiting.ask("GET", "/", Cookie=cookie)
        assert status == 200
        policy = headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert headers["X-Frame-Options"] == "DENY"
        assert "<script>alert" not in text and "<b>eve" not in text
        plain = unescape(re.sub("<[^>]+>", " ", text))
        for word in (NAME, "http://a.test", "side effect unknown", "<b>eve</b>", "ui.activate"):
            assert word in plain
        assert re.search(r'value="deny" autofocus', text)
        form = await waiting.form(cookie, "grant")
        sent = await waiting.ask("POST", "/answer", form, Cookie=cookie, Origin=waiting.server.origin)
        assert sent[0] == 303
        result = await asyncio.wait_for(waiting.pressed, 20)
        assert (result.status, result.metadata["confirmedBy"]) == ("succeeded", "person")
        again = await waiting.ask("POST", "/answer", form, Cookie=cookie, Origin=waiting.server.origin)
        assert again[0] == 409
        assert "Nothing to confirm" in (await waiting.ask("GET", "/", Cookie=cookie))[2]


@pytest.mark.requirement("ACT-SEC.2")
async def test_forged_requests_to_the_page_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with approval(tmp_path, monkeypatch) as waiting:
        cookie = await waiting.enter()
        form = await waiting.form(cookie, "grant")
        own = {"Cookie": cookie, "Origin": waiting.server.origin}
        for path in (
            "/",
            "/state",
            "/picture",
            "/enter?key=guess",
            waiting.server.address.removeprefix(waiting.server.origin),
        ):
            assert (await waiting.ask("GET", path, Cookie="uiap_person=x"))[0] == 403
        for changed in (
            {"Cookie": "a=b"},
            {"Origin": "http://evil.test"},
            {"Origin": "null"},
            {"Host": "evil.test"},
        ):
            assert (await waiting.ask("POST", "/answer", form, **{**own, **changed}))[0] in (403, 421)
        for name in ("key", "bond", "handle"):
            forged = re.sub(f"{name}=[^&]+", f"{name}=x", form)
            assert (await waiting.ask("POST", "/answer", forged, **own))[0] in (403, 409)
        assert not waiting.pressed.done()
        assert waiting.driver.performed == []


async def test_a_handed_over_step_is_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with approval(tmp_path, monkeypatch, name="Pay now") as waiting:
        cookie = await waiting.enter()
        _, _, text = await waiting.ask("GET", "/", Cookie=cookie)
        assert "Please do this step yourself" in text and "Pay now" in unescape(text)
        own = {"Cookie": cookie, "Origin": waiting.server.origin}
        form = await waiting.form(cookie, "declined")
        assert (await waiting.ask("POST", "/answer", form.replace("key=", "key=x"), **own))[0] == 403
        assert (await waiting.ask("POST", "/answer", form, **own))[0] == 303
        result = await asyncio.wait_for(waiting.pressed, 20)
        assert (result.status, result.error.code) == ("cancelled", "confirmation_denied")
        assert waiting.driver.performed == []


def test_an_empty_page_says_that_nothing_waits() -> None:
    assert "Nothing to confirm" in page([], form_key="k", nonce="n")
