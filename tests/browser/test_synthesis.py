"""Synthetic input in a real browser: only on request, without user activation, verified like other input."""

from __future__ import annotations

import pytest

from tests.browser.trial import Stage, describe_result

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PAGE = """data:text/html,<title>Synthesis</title>
<div role=button tabindex=0 id=menu>Menu</div><button id=dead>Dead</button>
<button id=full>Full screen</button><button id=kill>Delete account</button>
<input type=range aria-label=Volume min=0 max=10 value=3><input aria-label=Line id=line>
<p role=status id=out></p><script>
const seen = [], show = (text) => { document.getElementById("out").textContent = text };
for (const type of ["pointerdown", "click"]) addEventListener(type, (e) => seen.push(type + e.isTrusted), true);
menu.addEventListener("pointerdown", () => show("Menu is open"));
full.onclick = () => document.documentElement.requestFullscreen().then(() => show("Full"), () => {});
line.onkeydown = (e) => show(e.key + " " + e.ctrlKey + " " + e.isTrusted);
kill.onclick = () => show("Deleted");
</script>"""
ONLY = ("inputSynthesis",)


async def at_page(stage: Stage) -> None:
    result = await stage.act("nav.navigate", args={"url": PAGE})
    assert result.status == "succeeded", describe_result(result)


@pytest.mark.requirement("ACT-10.2b", "ACT-7", "ACT-3.4")
async def test_synthetic_input_is_used_only_on_request_and_its_effect_is_observed(stage: Stage) -> None:
    await at_page(stage)
    result = await stage.act("ui.activate", role="button", name="Menu", modes=ONLY, timeout_ms=5000)
    assert result.status == "succeeded" and result.chosen_execution_mode == "inputSynthesis", describe_result(
        result
    )
    assert await stage.driver.evaluate("seen.splice(0)") == ["pointerdownfalse", "clickfalse"]
    dead = await stage.act("ui.activate", role="button", name="Dead", modes=ONLY, timeout_ms=700)
    assert dead.status == "failed", describe_result(dead)
    await stage.driver.evaluate("show(''), seen.splice(0)")
    plain = await stage.act("ui.activate", role="button", name="Menu", timeout_ms=5000)
    assert plain.chosen_execution_mode == "externalDriver", describe_result(plain)
    assert await stage.driver.evaluate("seen") == ["pointerdowntrue", "clicktrue"]


@pytest.mark.requirement("ACT-10.4", "ACT-10.2c")
async def test_synthetic_input_opens_no_gesture_gated_feature_and_is_refused_for_critical_actions(
    stage: Stage,
) -> None:
    await at_page(stage)
    gated = await stage.act("ui.activate", role="button", name="Full screen", modes=ONLY, timeout_ms=1000)
    assert gated.status == "failed" and gated.error, describe_result(gated)
    assert gated.error.code in ("user_activation_required", "verification_failed")
    assert await stage.driver.evaluate("document.fullscreenElement === null") is True
    critical = await stage.act("ui.activate", role="button", name="Delete account", modes=ONLY)
    assert critical.error and critical.error.code == "execution_mode_unavailable", describe_result(critical)
    assert critical.side_effect_state == "none" and not await stage.driver.evaluate("out.textContent")


@pytest.mark.requirement("ACT-10.2a", "ACT-10.2b", "ACT-10.2d")
async def test_without_trusted_input_element_methods_are_used_and_no_synthetic_events(
    stage: Stage,
) -> None:
    await at_page(stage)
    only = ("semanticUi",)
    gone = await stage.act("ui.activate", role="button", name="Delete account", modes=only, timeout_ms=5000)
    assert gone.status == "succeeded" and gone.chosen_execution_mode == "semanticUi", describe_result(gone)
    assert await stage.driver.evaluate("seen.splice(0)") == ["clickfalse"]
    focused = await stage.act("ui.focus", role="button", name="Dead", timeout_ms=5000)
    assert focused.status == "succeeded", describe_result(focused)
    assert await stage.driver.evaluate("[document.activeElement.id, seen.length]") == ["dead", 0]
    told = (gone.metadata or {}).get("gesture", {})
    assert "synthetic" not in told
    volume = await stage.act("ui.setValue", role="slider", name="Volume", args={"value": 7}, modes=only)
    assert volume.status == "succeeded", describe_result(volume)
    assert (volume.metadata or {})["gesture"]["synthetic"] == ["pointerdown", "pointerup"]


@pytest.mark.requirement("ACT-10.4b")
async def test_synthetic_input_covers_keys_on_request(stage: Stage) -> None:
    await at_page(stage)
    line = {"role": "textbox", "name": "Line", "args": {"key": "Control+k"}}
    pressed = await stage.act("x.uiap.press", modes=ONLY, **line)
    assert pressed.status == "succeeded" and pressed.chosen_execution_mode == "inputSynthesis", (
        describe_result(pressed)
    )
    assert await stage.driver.evaluate("out.textContent") == "k true false"
    trusted = await stage.act("x.uiap.press", **line)
    assert trusted.chosen_execution_mode == "externalDriver"
