"""A server of http@0.1 for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.http_server import Server, run_server


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with run_server() as server:
        yield server
