"""One session of an Appium server: commands with a timeout, one at a time, and errors that say what to do.

It uses Appium's own client. That client blocks, so its calls run in a thread. It knows no screens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from appium.options.common import AppiumOptions
from appium.webdriver.client_config import AppiumClientConfig
from appium.webdriver.webdriver import WebDriver
from selenium.common import exceptions as selenium_errors
from urllib3 import exceptions as http_errors

from uiap.drivers.appium.address import AppiumAddress
from uiap.drivers.errors import CallTimedOut, ConnectionLost, DriverError, TargetGone
from uiap.errors import Unavailable

T = TypeVar("T")
OPEN_S = 300.0
"""A device farm may have to find a device first, and a simulator has to start."""
CALL_S = 60.0
IDLE_S = 600
"""The server ends a session without commands after this time, unless the capabilities set another one."""


class AppiumCommandRejected(DriverError):
    """The server answered a command with an error."""

    def __init__(self, command: str, reason: str, *, is_unknown: bool = False) -> None:
        super().__init__(f"Appium rejected `{command}`: {reason}")
        self.is_unknown = is_unknown
        """The platform does not have this command, so nothing was executed."""


class AlertOpen(DriverError):
    """A system alert blocks the command."""

    def __init__(self, text: str) -> None:
        super().__init__(f"a system alert is open ({text}); use `appium.accept` or `appium.dismiss`")


class ElementMissing(DriverError):
    """The element no longer exists."""


class AppiumSession:
    """One open session."""

    def __init__(self, driver: WebDriver) -> None:
        self._driver = driver
        self._call_lock = asyncio.Lock()

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

    async def call(self, command: str, call: Callable[[WebDriver], T]) -> T:
        """Run one command.

        A command that timed out keeps running; the server executes the commands of a session one after the other.
        """
        async with self._call_lock:
            return await _run_in_thread(lambda: call(self._driver), command, CALL_S)

    async def mobile(self, command: str, **args: Any) -> Any:
        """Run a command of the platform that is not in the WebDriver standard."""
        return await self.call(command, lambda driver: driver.execute_script(f"mobile: {command}", args))

    async def close(self) -> None:
        with suppress(DriverError):
            await self.call("end of the session", lambda driver: driver.quit())


async def _run_in_thread(call: Callable[[], T], command: str, timeout_s: float) -> T:
    """Run a call in a thread and translate Appium's errors.

    The socket has the timeout; the longer one here covers a hang before the socket is open.
    """
    try:
        async with asyncio.timeout(timeout_s + 5):
            return await asyncio.to_thread(call)
    except (http_errors.ReadTimeoutError, http_errors.ConnectTimeoutError, TimeoutError) as late:
        raise CallTimedOut(command, timeout_s) from late
    except http_errors.HTTPError as error:
        if "timed out" in str(error):
            raise CallTimedOut(command, timeout_s) from error
        raise ConnectionLost(
            "the Appium server closed the connection; check that it is still running"
        ) from error
    except (selenium_errors.InvalidSessionIdException, selenium_errors.NoSuchWindowException) as gone:
        raise TargetGone("the session has ended on the server; open it again") from gone
    except selenium_errors.UnexpectedAlertPresentException as alert:
        raise AlertOpen(f"`{alert.alert_text}`" if alert.alert_text else "without text") from alert
    except (
        selenium_errors.NoSuchElementException,
        selenium_errors.StaleElementReferenceException,
    ) as missing:
        raise ElementMissing("the element is no longer on the screen; observe again") from missing
    except (selenium_errors.UnknownMethodException, selenium_errors.InvalidSelectorException) as unknown:
        raise AppiumCommandRejected(command, _first_line(unknown), is_unknown=True) from unknown
    except selenium_errors.WebDriverException as error:
        is_unknown = "unknown command" in str(error).lower() or "not yet been implemented" in str(error)
        raise AppiumCommandRejected(command, _first_line(error), is_unknown=is_unknown) from error


def _first_line(error: selenium_errors.WebDriverException) -> str:
    text = str(error.msg or error).strip()
    return text.splitlines()[0][:300] if text else type(error).__name__
