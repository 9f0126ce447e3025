"""Verified journeys through desktop applications, with the same calls as on the web."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import uiap
from tests.drivers.desktop.session import APPS, missing_module
from uiap.api.signals import element_appeared, element_state, value_equals
from uiap.errors import UiapError


@pytest.fixture(autouse=True)
def here(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the desktop of the tests for all sessions."""
    for name, value in environ.items():
        monkeypatch.setenv(name, value)


async def test_calculation_is_verified_press_by_press():
    async with uiap.open("desktop:galculator") as ui:
        assert (await ui.observe()).payload.profile == "x.uiap.desktop@0.1"
        plus, display = {"role": "button", "name": "+"}, {"role": "textarea"}
        presses = {
            "7": [value_equals("7", **display)],
            "+": [element_state({"focused": True}, **plus)],
            "5": [value_equals("5", **display)],
            "=": [value_equals("12", **display)],
        }
        for key, expected in presses.items():
            result = await ui.act("ui.activate", role="button", name=key, expect=expected)
            assert result.status == "succeeded", (key, result.error)
        assert 'textarea "12" (readonly)' in (await ui.observe()).outline()
        assert (await ui.screenshot()).startswith(b"\x89PNG")


async def test_press_without_the_expected_effect_fails():
    async with uiap.open("desktop:galculator") as ui:
        twelve = value_equals("12", role="textarea")
        result = await ui.act("ui.activate", role="button", name="C", expect=[twelve], verify_ms=500)
        assert result.status == "failed" and result.error is not None
        assert result.error.code == "verification_failed"


async def test_modal_dialog_blocks_its_window_until_it_closes():
    async with uiap.open("desktop:galculator") as ui:
        assert await ui.act("ui.activate", role="menu", name="Help")
        assert await ui.act("ui.activate", role="menuitem", name="About")
        assert 'on top: dialog "About galculator"' in (await ui.observe()).outline()
        behind = await ui.act("ui.activate", role="button", name="7", timeout_ms=1500)
        assert behind.error is not None and behind.error.code == "target_not_interactable"
        assert behind.side_effect_state == "none"
        assert await ui.act("ui.close", role="dialog", name="About galculator")
        assert 'dialog "About' not in (await ui.observe()).outline()


async def test_slider_is_set_within_its_tolerance_and_read_back():
    scale = "desktop:zenity --scale --text=Volume --min-value=0 --max-value=40 --step=2 --value=10"
    async with uiap.open(scale) as ui:
        result = await ui.act("ui.setValue", role="slider", name="Volume", args={"value": 27, "tolerance": 1})
        assert result.status == "succeeded"
        (slider,) = [one for one in await ui.observe() if one.role == "slider"]
        assert slider.state.numeric_value in (26, 28)


async def test_editor_takes_many_lines_and_scrolls():
    async with uiap.open("desktop:mousepad") as ui:
        text = "Grüße\nan alle\n" + "noch eine Zeile\n" * 100
        result = await ui.act("ui.enterText", role="textarea", args={"text": text})
        assert result.status == "succeeded", result.error
        assert any(one.state.text_value == text for one in await ui.observe())
        for args in ({"to": "bottom"}, {"dy": -200}, {"to": "top"}, {"to": "top"}):
            assert await ui.act("ui.scroll", args=args), args
        further = await ui.act("ui.scroll", args={"dy": -200})
        assert further.status == "failed" and further.side_effect_state == "none"


def test_example_of_the_documentation_runs_unchanged(environ: dict[str, str], tmp_path: Path):
    page = (Path(__file__).parents[3] / "docs" / "desktop.md").read_text("utf-8")
    snippet = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    (tmp_path / "seven.py").write_text(snippet, "utf-8")
    command = [sys.executable, str(tmp_path / "seven.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environ)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["7 succeeded", "+ succeeded", "5 succeeded", "= succeeded"]


async def test_address_without_an_application_is_refused():
    with pytest.raises(UiapError, match="names no application"):
        await uiap.open("desktop:")


@pytest.mark.skipif(missing_module("gi") is not None, reason=str(missing_module("gi")))
@pytest.mark.requirement("MDM-R8")
async def test_long_press_differs_from_a_press():
    async with uiap.open(f"desktop:/usr/bin/python3 {APPS / 'notes_gtk.py'}") as ui:
        hold = {"role": "button", "name": "Hold"}
        pressed = await ui.act("ui.activate", **hold, verify_ms=300)
        assert pressed.status == "failed"  # the button reacts to a long press only
        effect = [element_appeared(role="label", name="Held")]
        result = await ui.act("x.uiap.longPress", **hold, expect=effect)
        assert result.status == "succeeded", result.error
