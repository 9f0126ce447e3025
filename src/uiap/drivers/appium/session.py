"""One session of an Appium server: commands with a bound, one at a time, and errors that say what to do.

The wire is Appium's own client, which blocks, so its calls run in a thread. Knows no screens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from appium.options.common import AppiumOptions
from appium.webdriver.client_config import AppiumClientConfig
from appium.webdriver.webdriver import WebDriver
from selenium.common import exceptions as said
from urllib3 import exceptions as lost

from uiap.drivers.appium.address import AppiumAddress
from uiap.drivers.errors import CallTimedOut, ConnectionLost, DriverError, TargetGone
from uiap.errors import Unavailable

T = TypeVar("T")
OPEN_S = 300.0
"""A farm may have to find a device first, and a simulator to start."""
CALL_S = 60.0
IDLE_S = 600
"""So long the server keeps a session of which it hears nothing, unless the capabilities say otherwise."""


class AppiumCommandRejected(DriverError):
    """The server answered that it did not do this."""

    def __init__(self, what: str, why: str, *, unknown: bool = False) -> None:
        super().__init__(f"Appium did not do `{what}`: {why}")
        self.unknown = unknown
        """The platform has no such command, so nothing can have happened."""


class AlertOpen(DriverError):
    def __init__(self, text: str) -> None:
        super().__init__(
            f"an alert of the system stands open ({text}); use `appium.accept` or `appium.dismiss`"
        )


class ElementMissing(DriverError):
    """There is no such element any more."""


class AppiumSession:
    def __init__(self, driver: WebDriver) -> None:
        self._driver = driver
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, address: AppiumAddress) -> AppiumSession:
        server = address.server
        config = AppiumClientConfig(
            server.url, timeout=int(OPEN_S), username=server.user or None, password=server.password or None
        )
        options = AppiumOptions().load_capabilities({"newCommandTimeout": IDLE_S, **address.capabilities})

        def connect() -> WebDriver:
            return WebDriver(config.remote_server_addr, options=options, client_config=config)

        try:
            driver = await _run_in_thread(connect, "new session", OPEN_S)
        except ConnectionLost as missing:
            raise Unavailable(f"no Appium server answers at {server.url}; start one: `appium`") from missing
        except DriverError as refused:
            raise Unavailable(refused.message) from refused
        config.timeout = int(CALL_S)
        return cls(driver)

    @property
    def capabilities(self) -> Mapping[str, Any]:
        return self._driver.capabilities

    async def call(self, what: str, call: Callable[[WebDriver], T]) -> T:
        """One that was given up goes on; the server takes the commands of a session one after the other."""
        async with self._turn:
            return await _run_in_thread(lambda: call(self._driver), what, CALL_S)

    async def mobile(self, command: str, **args: Any) -> Any:
        """One of the commands that a platform has besides the standard."""
        return await self.call(command, lambda driver: driver.execute_script(f"mobile: {command}", args))

    async def close(self) -> None:
        with suppress(DriverError):
            await self.call("end of the session", lambda driver: driver.quit())


async def _run_in_thread(call: Callable[[], T], what: str, seconds: float) -> T:
    """In a thread, with Appium's errors as ours. The socket has the bound; this one is for what hangs before it."""
    try:
        async with asyncio.timeout(seconds + 5):
            return await asyncio.to_thread(call)
    except (lost.ReadTimeoutError, lost.ConnectTimeoutError, TimeoutError) as late:
        raise CallTimedOut(what, seconds) from late
    except lost.HTTPError as error:
        if "timed out" in str(error):
            raise CallTimedOut(what, seconds) from error
        raise ConnectionLost("the Appium server hung up; is it still running?") from error
    except (said.InvalidSessionIdException, said.NoSuchWindowException) as gone:
        raise TargetGone("the session has ended on the server; open it again") from gone
    except said.UnexpectedAlertPresentException as alert:
        raise AlertOpen(f"`{alert.alert_text}`" if alert.alert_text else "it says nothing") from alert
    except (said.NoSuchElementException, said.StaleElementReferenceException) as missing:
        raise ElementMissing("it is not on the screen any more; observe again") from missing
    except (said.UnknownMethodException, said.InvalidSelectorException) as unknown:
        raise AppiumCommandRejected(what, _first_line(unknown), unknown=True) from unknown
    except said.WebDriverException as error:
        unknown_command = "unknown command" in str(error).lower() or "not yet been implemented" in str(error)
        raise AppiumCommandRejected(what, _first_line(error), unknown=unknown_command) from error


def _first_line(error: said.WebDriverException) -> str:
    text = str(error.msg or error).strip()
    return text.splitlines()[0][:300] if text else type(error).__name__
