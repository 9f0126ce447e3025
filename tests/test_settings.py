"""The environment, read in one place."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from uiap import settings


def test_an_empty_environment_has_defaults():
    found = settings.read({})
    assert found.browser is None
    assert found.store is None
    assert found.store_url == f"sqlite:///{found.data / 'uiap.sqlite3'}"
    assert found.data.is_absolute()
    assert len(str(found.runtime / "a-session-name.sock")) < 100


def test_every_setting_is_taken():
    found = settings.read(
        {"UIAP_BROWSER": "/opt/chrome", "UIAP_STORE": "postgresql://db/x", "UIAP_HOME": "/srv/uiap"}
    )
    assert found.browser == "/opt/chrome"
    assert found.store_url == "postgresql://db/x"
    assert found.data == Path("/srv/uiap")
    assert found.runtime == Path("/srv/uiap/run")


def test_an_empty_value_is_no_value():
    found = settings.read({"UIAP_BROWSER": "", "UIAP_STORE": "", "UIAP_HOME": ""})
    assert (found.browser, found.store) == (None, None)
    assert found.data != Path()


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has its own folders")
def test_the_platform_s_folders_are_respected():
    found = settings.read({"XDG_DATA_HOME": "/x/data", "XDG_RUNTIME_DIR": "/x/run"})
    assert found.data == Path("/x/data/uiap")
    assert found.runtime == Path("/x/run/uiap")


def test_the_real_environment_is_read_when_none_is_given(monkeypatch):
    monkeypatch.setenv("UIAP_STORE", "sqlite:///elsewhere")
    assert settings.read().store == "sqlite:///elsewhere"
    assert settings.read().environ["UIAP_STORE"] == "sqlite:///elsewhere"
