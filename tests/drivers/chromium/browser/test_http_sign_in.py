"""HTTP authentication: an address with a name and password signs in, and no dialog blocks the page."""

from __future__ import annotations

import base64
import os
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import pytest_asyncio

from tests.drivers.recorder import Recorder
from uiap.actions.ops import Click, Guard
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver
from uiap.drivers.driver import PerformDispatched
from uiap.origin import UserInfo

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ALLOWED = "Basic " + base64.b64encode(b"ann:right").decode()
PAGE = b"""<button>Go</button><script>
fetch('/data').then(async answer => { document.title = `${answer.status} ${await answer.text()}` })</script>"""


class StaffHandler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        known = self.headers.get("Authorization") == ALLOWED
        is_open = self.path == "/open"
        self.send_response(200 if known or is_open else 401)
        if not known and not is_open:
            self.send_header("WWW-Authenticate", 'Basic realm="staff"')
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE if self.path != "/data" else b"secret data" if known else b"no")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), StaffHandler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"localhost:{server.server_port}"
    server.shutdown()
    server.server_close()


@asynccontextmanager
async def running(sign_in: UserInfo) -> AsyncIterator[ChromiumDriver]:
    browser = await ChromiumBrowser.launch(environ=os.environ, sign_in=sign_in)
    driver = ChromiumDriver(browser)
    try:
        await driver.start(Recorder())
        yield driver
    finally:
        await driver.close()
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def driver(host: str) -> AsyncIterator[ChromiumDriver]:
    async with running(UserInfo(f"http://{host}", "ann", "right")) as driver:
        yield driver


async def title(driver: ChromiumDriver) -> str:
    code = "done => { const see = () => document.title ? done(document.title) : setTimeout(see, 10); see() }"
    return str(await driver.evaluate(f"new Promise({code})"))


async def test_name_and_password_of_the_session_sign_in(driver: ChromiumDriver, host: str) -> None:
    await driver.navigate(f"http://{host}/staff")
    assert await title(driver) == "200 secret data"


async def test_another_origin_gets_no_password_and_its_challenge_blocks_nothing(
    driver: ChromiumDriver, host: str
) -> None:
    await driver.navigate(f"http://{host.replace('localhost', '127.0.0.1')}/open")
    assert await title(driver) == "401 no"
    (button,) = [one for one in (await driver.observe()).elements if one.role == "button"]
    outcome = await driver.perform(Click(guard=Guard(node=button.instance_id, name="Go")))
    assert isinstance(outcome, PerformDispatched)


async def test_wrong_password_is_tried_once(host: str) -> None:
    wrong = UserInfo(f"http://{host}", "ann", "wrong")
    async with running(wrong) as driver:
        assert isinstance(await driver.navigate(f"http://{host}/staff"), PerformDispatched)
        assert await title(driver) == "401 no"
