"""Qt applications through the same calls as GTK applications: a real editor, and the form of the contract suite."""

from __future__ import annotations

import shutil

import pytest

import uiap
from tests.drivers.desktop.session import APPS, missing_module
from uiap.api.signals import element_state
from uiap.drivers.desktop import DesktopDriver

FORM = f"desktop:/usr/bin/python3 {APPS / 'notes_qt.py'}"


@pytest.fixture(autouse=True)
def here(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)


@pytest.mark.skipif(shutil.which("featherpad") is None, reason="no featherpad here (`make desktop`)")
async def test_qt_editor_takes_text_and_enables_undo():
    async with uiap.open("desktop:featherpad --standalone") as ui:
        undo = {"role": "button", "name": "Undo"}
        (before,) = [one for one in await ui.observe() if (one.role, one.name) == ("button", "Undo")]
        assert before.state.enabled is False
        result = await ui.act(
            "ui.enterText",
            role="textarea",
            args={"text": "Grüße\nan alle"},
            expect=[element_state({"enabled": True}, **undo)],
        )
        assert result.status == "succeeded", result.error
        assert any(one.state.text_value == "Grüße\nan alle" for one in await ui.observe())
        assert await ui.act("ui.activate", **undo, expect=[element_state({"enabled": False}, **undo)])
        assert not any(one.state.text_value for one in await ui.observe() if one.role == "textarea")


@pytest.mark.skipif(missing_module("PyQt5") is not None, reason=str(missing_module("PyQt5")))
async def test_qt_form_is_filled_in_and_its_modal_dialog_blocks_it():
    async with uiap.open(FORM) as ui:
        assert await ui.act("ui.choose", role="combobox", name="Colour", args={"label": "Blue"})
        assert await ui.act("ui.toggle", role="checkbox", name="Agree", args={"checked": True})
        volume = {"role": "slider", "name": "Volume"}
        assert await ui.act("ui.setValue", **volume, args={"value": 27.4, "tolerance": 0.5})
        assert [one.state.numeric_value for one in await ui.observe() if one.role == "slider"] == [27]
        assert await ui.act("ui.activate", role="button", name="Ask")
        behind = await ui.act("ui.activate", role="button", name="Save", timeout_ms=1500)
        assert behind.error is not None and behind.error.code == "target_not_interactable"
        assert await ui.act("ui.activate", role="button", name="Leave it")


@pytest.mark.skipif(missing_module("PyQt5") is not None, reason=str(missing_module("PyQt5")))
async def test_running_qt_application_survives_an_attach(environ: dict[str, str]):
    driver = await DesktopDriver.open(FORM, environ=environ)
    try:
        other = await DesktopDriver.open(f"desktop:@{driver.application.pid}", environ=environ)
        await other.close()
        assert driver.application.process is not None and driver.application.process.returncode is None
    finally:
        await driver.close()
