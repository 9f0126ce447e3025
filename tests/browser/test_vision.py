"""Pressing painted text: on the canvas editor of Videoland with real text recognition, and on a canvas that changes."""

from __future__ import annotations

import json
import urllib.request

import pytest

import uiap
from apps.videoland import Settings, serving
from tests.browser.trial import Stage, describe_result
from uiap.drivers.driver import ElementPicture
from uiap.host.observation.vision import VisionReader, is_installed
from uiap.runtime.painted_text import Word

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]
ALLOWED = ("externalDriver", "visionAssist")
START = Word("Start", 0.98, 45, 30, 40, 20)


def commands(url: str) -> list[str]:
    """Return the commands that the server received from the editor."""
    with urllib.request.urlopen(f"{url}/__truth", timeout=20) as answer:
        done: list[str] = json.load(answer)["studio"]["commands"]
    return done


@pytest.mark.skipif(not is_installed(), reason="needs the extra `vision`")
@pytest.mark.requirement("ACT-10.5", "ACT-3.4")
async def test_painted_buttons_of_the_canvas_editor_are_read_pressed_and_verified() -> None:
    with serving(Settings(rows=5, truth=True, auto_login=True)) as server:
        async with uiap.open(f"{server.url}/studio?as=admin&lang=en") as ui:
            plain = await ui.act("ui.activate", role="button", name="Add caption", timeout_ms=1500)
            assert plain.error and plain.error.code == "target_not_found" and not commands(server.url)
            result = await ui.act("ui.activate", role="button", name="Add caption", modes=list(ALLOWED),
                                expect=[uiap.toast_contains("aption")], timeout_ms=60_000)  # fmt: skip
            assert result.status == "succeeded", result
            assert result.payload.chosen_execution_mode == "visionAssist"
            assert result.metadata["resolution"]["vision"]["text"] == "Add caption"
            assert commands(server.url) == ["caption"]


@pytest.mark.requirement("ACT-10.5", "ACT-8.3", "ACT-3.4")
async def test_a_painted_button_is_pressed_only_while_it_is_at_its_position(stage: Stage) -> None:
    await stage.goto("canvas_button")
    pictures: list[ElementPicture] = []
    faces = [(START,), (Word("Stop", 0.98, 45, 30, 40, 20),), (), (), ()]

    def read(picture: ElementPicture) -> tuple[Word, ...]:
        pictures.append(picture)
        return faces.pop(0)

    stage.handler._executor.vision = VisionReader(stage.driver, read)
    changed = await stage.act("ui.activate", role="button", name="Start", modes=ALLOWED, timeout_ms=700)
    assert changed.error and changed.error.code == "stale_target", describe_result(changed)
    assert changed.side_effect_state == "none" and await stage.driver.evaluate("__truth.started") == 0
    assert pictures[0].data.startswith(b"\x89PNG") and pictures[0].box.width == 300

    faces[:] = [(START,), (START,)]
    pressed = await stage.act("ui.activate", role="button", name="Start", modes=ALLOWED, timeout_ms=700)
    assert pressed.chosen_execution_mode == "visionAssist" and not faces, describe_result(pressed)
    assert await stage.driver.evaluate("__truth.started") == 1, "it hit what was read"
    assert pressed.error and pressed.error.code == "verification_failed", "nothing but paint changed"
    assert pressed.side_effect_state == "unknown"
