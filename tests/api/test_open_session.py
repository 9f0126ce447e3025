"""Opening a session is bounded by its timeout."""

from __future__ import annotations

import asyncio

import pytest

from uiap.api.open_session import SessionOpener
from uiap.api.ui import Ui
from uiap.errors import Timeout


async def test_opening_an_address_that_never_answers_ends_with_the_timeout() -> None:
    opened = asyncio.Event()

    async def never() -> Ui:
        opened.set()
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(Timeout, match="was not open within 0"):
        await SessionOpener(never, "http://a.example", timeout_ms=50)
    assert opened.is_set()
