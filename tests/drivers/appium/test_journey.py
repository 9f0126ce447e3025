"""Sessions through Appium with the same calls as on a web page; every effect is verified."""

from __future__ import annotations

import re
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

import uiap
from tests.drivers.appium.harness import open_screen
from tests.support.appium_server import missing
from uiap.api.signals import element_appeared, toast_contains

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))
PAGE = Path(__file__).parents[3] / "docs" / "appium.md"


async def test_press_on_ios_is_verified_and_one_without_effect_fails():
    async with AsyncExitStack() as stack:
        screen, address = open_screen(stack, "iOS")
        ui = await stack.enter_async_context(uiap.open(address))
        saved = [element_appeared(role="label", name="Saved")]
        done = await ui.act(
            "ui.enterText", role="textbox", name="Title", args={"text": "it's; not a command"}
        )
        assert done.status == "succeeded"
        screen.app.on["Save"] = lambda _: None
        dead = await ui.act("ui.activate", role="button", name="Save", expect=saved, timeout_ms=1500)
        assert dead.status == "failed"


async def test_toast_verifies_a_press_on_android():
    async with AsyncExitStack() as stack:
        screen, address = open_screen(stack, "Android")
        ui = await stack.enter_async_context(uiap.open(address))
        screen.app.on["Save"] = lambda _: screen.toasts.append("Note was saved")
        done = await ui.act("ui.activate", role="button", name="Save", expect=[toast_contains("saved")])
        assert done.status == "succeeded"


async def test_example_of_the_documentation_runs_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    async with AsyncExitStack() as stack:
        _, address = open_screen(stack, "iOS")
        capabilities, server = address.removeprefix("appium:").split("@", 1)
        monkeypatch.setenv("UIAP_APPIUM_SERVER", server)
        namespace = {"__name__": "example"}
        exec(
            compile(
                example.replace("platformName=iOS,bundleId=org.example.notes", capabilities),
                "appium.md",
                "exec",
            ),
            namespace,
        )
        await namespace["main"]()  # type: ignore[operator]
    assert capsys.readouterr().out.splitlines() == ["succeeded", "succeeded"]
