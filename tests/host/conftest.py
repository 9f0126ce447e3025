"""Fixtures for both databases. Each test gets an empty one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.postgres import Postgres, PostgresMissing
from uiap.host.records.store import Store, sqlite_url


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for all tests of this worker process."""
    try:
        server = Postgres()
    except PostgresMissing as reason:
        pytest.skip(f"PostgreSQL: {reason}")
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("UIAP_HOME", str(tmp_path))  # where the key of a server's audit is kept
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "store.sqlite3")
    server: Postgres = request.getfixturevalue("postgres")
    server.clear()
    return server.url


@pytest.fixture
def open_store(url: str) -> Iterator[Callable[[], Store]]:
    """Return a function that opens the database of the test. All stores are closed at the end."""
    opened: list[Store] = []

    def open() -> Store:
        opened.append(Store(url))
        return opened[-1]

    yield open
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[[], Store]) -> Store:
    return open_store()
