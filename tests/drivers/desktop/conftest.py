"""One desktop per worker for all tests of this folder."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drivers.desktop.session import desktop, missing


@pytest.fixture(scope="session")
def environ() -> Iterator[dict[str, str]]:
    if reason := missing():
        pytest.skip(reason)
    # not pytest's own folder: the path of a Unix socket is limited to 107 characters
    temporary = tempfile.TemporaryDirectory(prefix="uiap-desk-", ignore_cleanup_errors=True)
    with temporary as folder, desktop(Path(folder)) as variables:
        yield variables
