"""The danger zone example runs unchanged, and the application confirms what happened."""

from __future__ import annotations

import asyncio
import os
import re
import runpy
import sys
import threading
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from apps.videoland import Settings, serving
from uiap.api.open_session import connect
from uiap.cli.approval_page import ApprovalServer
from uiap.drivers.chromium.browser.browser import ChromiumBrowser
from uiap.drivers.chromium.browser.context import ContextOptions
from uiap.drivers.chromium.driver import ChromiumDriver
from uiap.host.records.audit import entries, verify
from uiap.host.records.store import Store, sqlite_url
from uiap.host.sessions.resident import Resident
from uiap.host.sessions.session_folder import SessionFolder

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "danger_zone.py"


@pytest.mark.browser
@pytest.mark.requirement("CAP-8.2", "CAP-8.3", "ACT-5.3")
async def test_the_example_is_denied_confirmed_and_handed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(EXAMPLE.read_text().splitlines()) < 60
    example = runpy.run_path(str(EXAMPLE))
    file = tmp_path / "audit.sqlite3"
    with serving(Settings(rows=5, auto_login=True, truth=True)) as server:
        await example["danger_zone"](server.url, file)
        async with httpx.AsyncClient() as client:
            writes = (await client.get(f"{server.url}/__writes")).text
    printed = capsys.readouterr().out
    assert "delete the account: failed, policy does not allow it" in printed
    assert "change the password: succeeded" in printed
    assert "invite a person: succeeded" in printed
    assert "account.deleted" not in writes
    assert "password.changed" in writes and "invitation" in writes
    store = Store(sqlite_url(file))
    assert verify(store).intact
    kinds = [entry.kind for _, entry in entries(store) if entry is not None]
    store.close()
    assert kinds.count("granted") == 1 and kinds.count("handoff") == 1
    assert b"a new secret" not in file.read_bytes()


@pytest.mark.browser
@pytest.mark.requirement("CAP-8.3", "ACT-5.4")
async def test_an_invitation_is_granted_in_the_terminal_and_on_the_approval_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UIAP_HOME", str(tmp_path))
    store = tmp_path / "audit.sqlite3"
    async with AsyncExitStack() as stack:
        server = stack.enter_context(serving(Settings(rows=5, auto_login=True, truth=True)))
        browser = await ChromiumBrowser.launch(environ=os.environ)
        stack.push_async_callback(browser.close)
        folder, driver = SessionFolder(tmp_path / "run", "default"), ChromiumDriver(browser, ContextOptions())
        resident = Resident(folder, driver, rules="standard", store_url=sqlite_url(store))
        stack.push_async_callback(resident.close)
        await resident.services.start()
        await resident.serve()
        agent = await stack.enter_async_context(connect(f"unix:{folder.socket}", principal="helper"))
        await agent.navigate(f"{server.url}/team?as=admin&lang=en")
        for answer, email in (
            (grant_in_the_terminal, "one@company.example"),
            (grant_on_the_page, "two@company.example"),
        ):
            await agent.act("ui.enterText", role="textbox", name="Email", args={"text": email})
            asked: asyncio.Queue[object] = asyncio.Queue()
            stop = agent.on_confirmation(asked.put_nowait)
            pressed = asyncio.create_task(agent.act("ui.activate", role="button", name="Send invitation"))
            await asyncio.wait_for(asked.get(), 30)
            stop()
            await answer(tmp_path)
            assert (await asyncio.wait_for(pressed, 30)).ok
        async with httpx.AsyncClient() as client:
            writes = (await client.get(f"{server.url}/__writes")).text
    assert writes.count("invitation.sent") == 2
    opened = Store(sqlite_url(store))
    assert verify(opened).intact
    granted = [entry.by for _, entry in entries(opened) if entry is not None and entry.kind == "granted"]
    opened.close()
    assert granted == ["person", "person"]


async def grant_in_the_terminal(home: Path) -> None:
    environ = {**os.environ, "UIAP_HOME": str(home)}
    command = [sys.executable, "-m", "uiap.cli.main", "approve", "--yes"]
    done = await asyncio.create_subprocess_exec(*command, env=environ, stdout=asyncio.subprocess.PIPE)
    printed, _ = await asyncio.wait_for(done.communicate(), 60)
    assert printed.decode().startswith("granted: activate the button “Send invitation”")


async def grant_on_the_page(_home: Path) -> None:
    """Load the page and its screenshot, and send what its button sends."""
    with await asyncio.to_thread(ApprovalServer, "default") as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            async with httpx.AsyncClient(base_url=server.origin, follow_redirects=True, timeout=30) as person:
                page = (await person.get(server.address)).text
                assert "<rect" in page, "the target is marked"
                picture = await person.get("/picture")
                assert picture.content.startswith(b"\x89PNG")
                form = dict(re.findall(r'name="(key|handle|bond)" value="([^"]+)"', page))
                sent = await person.post(
                    "/answer", data={**form, "answer": "grant"}, headers={"Origin": server.origin}
                )
                assert sent.status_code == 200
        finally:
            server.shutdown()
            await asyncio.to_thread(thread.join, 10)
