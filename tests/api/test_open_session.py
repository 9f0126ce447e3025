"""Opening a session is bounded by its timeout."""

from __future__ import annotations

import asyncio

import pytest

from uiap.api.open_session import SessionOpener, check_url
from uiap.api.ui import Ui
from uiap.errors import Timeout, UiapError


async def test_opening_an_address_that_never_answers_ends_with_the_timeout() -> None:
    opened = asyncio.Event()

    async def never() -> Ui:
        opened.set()
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(Timeout, match="was not open within 0"):
        await SessionOpener(never, "http://a.example", timeout_ms=50)
    assert opened.is_set()


def test_an_address_without_a_host_is_refused_before_a_browser_starts() -> None:
    with pytest.raises(UiapError, match="`http:///login/` names no host"):
        check_url("http:///login/")
    assert check_url("localhost:8000/login/") == "http://localhost:8000/login/"
