"""Commands use a cache folder of the test, not the packages of this repository."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home: Path = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("UIAP_HOME", str(home))
    monkeypatch.setattr("uiap.cli.cache.FOLDER", str(home / "cache"))
