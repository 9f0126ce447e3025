"""A server of http@0.1 for one test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.http_server import Server, serving


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as server:
        yield server
