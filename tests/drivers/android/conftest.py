"""One adb server and one device per worker for all tests of this folder; each test brings its application."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from tests.drivers.android.stage import Phone, Stage
from tests.support.android_bridge import bridge, missing


@pytest.fixture(scope="session")
def phone() -> Iterator[Phone]:
    if reason := missing():
        pytest.skip(reason)
    # not pytest's own folder: the path of a Unix socket is limited to 107 characters
    temporary = tempfile.TemporaryDirectory(prefix="uiap-adb-", ignore_cleanup_errors=True)
    with temporary as folder, bridge(Path(folder)) as opened:
        yield Phone(opened)


@pytest.fixture
def handset(phone: Phone) -> Iterator[Phone]:
    """The device in its initial state."""
    phone.reset()
    yield phone
    phone.reset()


@pytest.fixture
def here(handset: Phone, monkeypatch: pytest.MonkeyPatch) -> Phone:
    """The environment points to the device of the tests."""
    for name, value in handset.environ.items():
        monkeypatch.setenv(name, value)
    return handset


@pytest_asyncio.fixture
async def started(handset: Phone) -> AsyncIterator[Callable[..., Awaitable[Stage]]]:
    async with AsyncExitStack() as stack:

        async def start(app: object, address: str = "", **environ: str) -> Stage:
            stage = await handset.start(app, address, **environ)
            stack.push_async_callback(stage.driver.close)
            return stage

        yield start
