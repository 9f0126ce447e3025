"""Videoland, served once for these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from apps.videoland import Server, Settings, serving


@pytest.fixture(scope="module")
def videoland() -> Iterator[Server]:
    with serving(Settings(rows=30, truth=True, auto_login=True)) as server:
        yield server
