"""The public names can be imported, and importing `uiap` is cheap."""

from __future__ import annotations

import inspect
import subprocess
import sys

import uiap


def test_every_public_name_can_be_imported_and_is_documented():
    for name in uiap.__all__:
        value = getattr(uiap, name)
        assert name in dir(uiap), name
        if callable(value) or inspect.ismodule(value):
            assert (value.__doc__ or "").strip(), f"{name} has no docstring"


def test_importing_uiap_loads_nothing_heavy():
    script = "import sys, uiap; print([m for m in ('asyncio', 'click', 'sqlalchemy', 'msgspec') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error():
    try:
        uiap.nothing_like_this  # noqa: B018
    except AttributeError as error:
        assert "nothing_like_this" in str(error)
    else:
        raise AssertionError("an unknown name must raise AttributeError")
