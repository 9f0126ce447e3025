"""Every action on widgets that are not native, and every gesture: the page confirms the reported effect."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from apps.hazards import Server
from tests.browser.trial import Stage, describe_result
from uiap.drivers.chromium import ChromiumBrowser

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

Truth = dict[str, Any]
DOES: list[tuple[str, str, str, dict[str, Any], Truth]] = [
    ("ui.setValue", "slider", "Keys", {"value": 70}, {"keys": 70}),
    ("ui.setValue", "slider", "Keys", {"value": 71, "tolerance": 1}, {"keys": 70}),
    ("ui.setValue", "slider", "Keys", {"value": 4}, {"keys": 4}),
    ("ui.setValue", "spinbutton", "Amount", {"value": 12}, {"spin": 12}),
    ("ui.setValue", "datepicker", "Day", {"value": "2026-03-01"}, {"day": "2026-03-01"}),
    ("ui.setValue", "timepicker", "At", {"value": "09:30"}, {"at": "09:30"}),
    ("ui.setValue", "custom", "Paint", {"value": "#ff0000"}, {"paint": "#ff0000"}),
    ("ui.choose", "combobox", "Fruit", {"label": "Pear"}, {"fruit": "Pear"}),
    ("ui.choose", "combobox", "Fruit", {"value": "q"}, {"fruit": "Quince"}),
    ("ui.choose", "combobox", "City", {"label": "Berlin"}, {"city": "Berlin"}),
    ("ui.choose", "combobox", "City", {"label": "Edinburgh"}, {"city": "Edinburgh"}),
    ("ui.choose", "listbox", "Pizza", {"label": "Funghi"}, {"pizza": "Funghi"}),
    ("ui.choose", "listbox", "Pizza", {"index": 0}, {"pizza": "Margherita"}),
    ("ui.choose", "listbox", "Toppings", {"multiple": ["Olives", "Corn"]}, {"toppings": "Olives,Corn"}),
    ("ui.choose", "group", "Speed", {"label": "Fast"}, {"speed": "Fast"}),
    ("ui.choose", "group", "Plan", {"label": "Pro"}, {"plan": "pro"}),
    ("ui.choose", "radio", "Fast", {}, {"speed": "Fast"}),
    ("ui.choose", "button", "File", {"label": "Copy it"}, {"copied": "Copy it"}),
    ("ui.toggle", "switch", "Night", {"checked": True}, {"night": "true"}),
    ("ui.enterText", "textbox", "Note", {"text": "new words"}, {"note": "new words"}),
    ("ui.enterText", "textarea", "Rich", {"text": "new words"}, {"rich": "new words"}),
    ("ui.clearText", "textbox", "Note", {}, {"note": ""}),
    ("ui.open", "button", "Settings", {}, {"dialog": True}),
    ("ui.open", "button", "Tips", {}, {"pop": True}),
    ("ui.hover", "button", "Hover me", {}, {"hover": True}),
    ("ui.scroll", "region", "Box", {"dy": 200}, {"top": 200}),
    ("x.uiap.press", "textbox", "Keybox", {"key": "Control+k"}, {"chord": "ctrl+k"}),
    ("x.uiap.doubleActivate", "button", "Twice", {}, {"doubled": 1}),
    ("x.uiap.secondaryActivate", "button", "Context", {}, {"menu": 1}),
    ("x.uiap.longPress", "button", "Hold", {}, {"held": 1}),
    ("x.uiap.drag", "image", "Knob", {"dx": 60}, {"knob": "60px"}),
    ("x.uiap.pinch", "image", "Map", {"scale": 2}, {"map": "200%"}),
]
MOVES_FOCUS = {"focus", "hover"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("uploads")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(chromium: ChromiumBrowser, hazards: Server, folder: Path) -> AsyncIterator[Stage]:
    async with Stage.opened(chromium, hazards, uploads=(folder,)) as stage:
        yield stage


@pytest_asyncio.fixture(loop_scope="module")
async def stage(opened: Stage) -> Stage:
    await opened.goto("plain")
    await opened.goto("widgets")
    return opened


async def _unchanged(stage: Stage, before: Truth, truth: Truth) -> None:
    after = await stage.truth()
    assert {key: after[key] for key in truth} == truth
    kept = set(before) - set(truth) - MOVES_FOCUS
    assert {key: after[key] for key in kept} == {key: before[key] for key in kept}


@pytest.mark.requirement("CAP-7g")
@pytest.mark.requirement("ACT-11.5", "ACT-11.7", "ACT-11.8", "ACT-11.10", "ACT-11.12", "CAP-7")
@pytest.mark.requirement("MDM-R5", "MDM-R8", "MDM-R9")
@pytest.mark.parametrize(
    ("action", "role", "name", "args", "truth"), DOES, ids=[f"{d[0]} {d[2]}" for d in DOES]
)
async def test_an_action_has_the_reported_effect_and_no_other(
    stage: Stage, action: str, role: str, name: str, args: dict[str, Any], truth: Truth
) -> None:
    before = await stage.truth()
    assert all(before[key] != value for key, value in truth.items())
    result = await stage.act(action, role=role, name=name, args=args, timeout_ms=5000)
    assert result.status == "succeeded", describe_result(result)
    await _unchanged(stage, before, truth)


@pytest.mark.requirement("ACT-11.10")
@pytest.mark.parametrize(
    ("opener", "surface", "truth"),
    [
        ("Settings", "Settings dialog", {"dialog": False, "accepted": 0}),
        ("Stubborn", "Stubborn dialog", {"stubborn": False, "accepted": 0}),
        ("Tips", "Tips popover", {"pop": False}),
    ],
)
async def test_a_dialog_is_dismissed_without_accepting_it(
    stage: Stage, opener: str, surface: str, truth: Truth
) -> None:
    opened = await stage.act("ui.open", role="button", name=opener)
    assert opened.status == "succeeded", describe_result(opened)
    closed = await stage.act("ui.close", role="dialog", name=surface, timeout_ms=5000)
    assert closed.status == "succeeded", describe_result(closed)
    after = await stage.truth()
    assert {key: after[key] for key in truth} == truth


@pytest.mark.requirement("MDM-R5", "MDM-9", "MDM-9b")
async def test_a_slider_without_keyboard_support_is_dragged_and_the_method_is_reported(stage: Stage) -> None:
    result = await stage.act(
        "ui.setValue", role="slider", name="Pointer", args={"value": 70, "tolerance": 1}, timeout_ms=5000
    )
    assert result.status == "succeeded", describe_result(result)
    assert isinstance(result.metadata, dict)
    gesture = result.metadata["gesture"]
    assert (gesture["before"], gesture["mode"], gesture["within_tolerance"]) == (20, "drag", True)
    assert 1 <= gesture["attempts"] <= 12
    assert abs((await stage.truth())["pointer"] - 70) <= 1
    assert abs(gesture["value"] - 70) <= 1
    keys = await stage.act("ui.setValue", role="slider", name="Keys", args={"value": 70}, timeout_ms=5000)
    assert isinstance(keys.metadata, dict) and keys.metadata["gesture"]["mode"] == "keyboard"


@pytest.mark.requirement("MDM-R5")
async def test_a_value_between_steps_is_not_a_success_and_the_actual_value_is_reported(stage: Stage) -> None:
    result = await stage.act("ui.setValue", role="slider", name="Keys", args={"value": 71}, timeout_ms=3000)
    assert result.status == "failed" and result.side_effect_state == "unknown", describe_result(result)
    assert isinstance(result.metadata, dict) and result.metadata["gesture"]["within_tolerance"] is False


@pytest.mark.requirement("ACT-11.7")
@pytest.mark.parametrize(
    ("role", "name"), [("combobox", "Fruit"), ("listbox", "Pizza"), ("combobox", "City")]
)
async def test_a_missing_option_is_not_a_success(stage: Stage, role: str, name: str) -> None:
    before = await stage.truth()
    result = await stage.act("ui.choose", role=role, name=name, args={"label": "Mango"}, timeout_ms=3000)
    assert result.status == "failed", describe_result(result)
    assert result.error and "no option `Mango`" in result.error.message
    after = await stage.truth()
    assert {k: after[k] for k in ("fruit", "pizza")} == {k: before[k] for k in ("fruit", "pizza")}


async def test_an_option_that_is_already_chosen_is_left_unchanged(stage: Stage) -> None:
    result = await stage.act("ui.choose", role="combobox", name="Fruit", args={"label": "Apple"})
    assert (result.status, result.side_effect_state) == ("succeeded", "none"), describe_result(result)
    assert (await stage.truth())["fruit"] == "Apple"


@pytest.mark.requirement("CAP-7")
@pytest.mark.parametrize(
    ("role", "name", "files", "key"),
    [
        ("fileinput", "Report", ["a.txt"], "report"),
        ("button", "Pick files", ["a.txt", "b.txt"], "files"),
        ("button", "Attach", ["a.txt"], "files"),
    ],
)
async def test_files_are_uploaded_through_an_input_or_a_chooser(
    stage: Stage, folder: Path, role: str, name: str, files: list[str], key: str
) -> None:
    for file in files:
        (folder / file).write_text(file)
    args = {"files": [{"name": file, "ref": file} for file in files]}
    result = await stage.act("ui.upload", role=role, name=name, args=args, timeout_ms=5000)
    assert result.status == "succeeded", describe_result(result)
    assert (await stage.truth())[key] == ",".join(files)


async def test_a_file_outside_the_declared_folders_never_reaches_the_page(stage: Stage) -> None:
    args = {"files": [{"name": "passwd", "ref": "/etc/passwd"}]}
    result = await stage.act("ui.upload", role="button", name="Attach", args=args, timeout_ms=2000)
    assert result.status == "failed" and result.side_effect_state == "none", describe_result(result)
    assert (await stage.truth())["files"] == ""


@pytest.mark.requirement("ACT-11.13")
@pytest.mark.parametrize(("role", "name"), [("form", "Sign up"), ("button", "Join"), ("textbox", "Mail")])
@pytest.mark.parametrize("modes", [None, ("semanticUi",)])
async def test_a_form_is_submitted_only_when_it_is_valid(
    stage: Stage, role: str, name: str, modes: Any
) -> None:
    refused = await stage.act("ui.submit", role=role, name=name, modes=modes, timeout_ms=2000)
    assert refused.status == "failed" and refused.side_effect_state == "none", describe_result(refused)
    assert (await stage.truth())["sent"] == 0
    filled = await stage.act("ui.enterText", role="textbox", name="Mail", args={"text": "a@b.example"})
    assert filled.status == "succeeded", describe_result(filled)
    sent = await stage.act("ui.submit", role=role, name=name, modes=modes, timeout_ms=3000)
    assert sent.status == "succeeded", describe_result(sent)
    assert (await stage.truth())["sent"] == 1


@pytest.mark.requirement("ACT-11.12")
async def test_scrolling_stops_at_the_end(stage: Stage) -> None:
    box = {"role": "region", "name": "Box"}
    down = await stage.act("ui.scroll", **box, args={"to": "bottom"})
    assert down.status == "succeeded", describe_result(down)
    again = await stage.act("ui.scroll", **box, args={"to": "bottom"})
    assert (again.status, again.metadata and again.metadata["outcome"]) == ("succeeded", "no_op")
    further = await stage.act("ui.scroll", **box, args={"dy": 50})
    assert further.status == "failed" and further.side_effect_state == "none", describe_result(further)
    page = await stage.act("ui.scroll", args={"to": "top"})
    assert page.status == "succeeded", describe_result(page)


@pytest.mark.requirement("ACT-11.3")
async def test_a_highlight_changes_nothing_and_claims_nothing(stage: Stage) -> None:
    before = await stage.truth()
    result = await stage.act("ui.highlight", role="button", name="Twice", args={"durationMs": 50})
    assert (result.status, result.side_effect_state) == ("succeeded", "none"), describe_result(result)
    assert result.verification.policy == "none"
    assert await stage.truth() == before


async def test_a_key_press_moves_the_focus(stage: Stage) -> None:
    await stage.act("ui.focus", role="button", name="Twice")
    result = await stage.act("x.uiap.press", args={"key": "Tab"})
    assert result.status == "succeeded", describe_result(result)
    assert (await stage.truth())["focus"] == "ctx"


async def test_a_key_without_an_effect_is_not_a_success(stage: Stage) -> None:
    await stage.act("ui.focus", role="button", name="Twice")
    result = await stage.act("x.uiap.press", args={"key": "F7"}, timeout_ms=500)
    assert result.status == "failed", describe_result(result)


@pytest.mark.parametrize("place", ["Bin", "Shelf"])
async def test_a_card_is_dropped_on_its_target(stage: Stage, place: str) -> None:
    args = {"to": stage.button(place)}
    result = await stage.act("x.uiap.drag", role="image", name="Card", args=args, timeout_ms=3000)
    assert result.status == "succeeded", describe_result(result)
    assert (await stage.truth())["dropped"] == f"{place.lower()}:card"


async def test_a_drag_to_a_removed_target_does_not_begin(stage: Stage) -> None:
    args = {"to": stage.button("Bin")}
    await stage.driver.evaluate("document.getElementById('bin').remove()")
    result = await stage.act("x.uiap.drag", role="image", name="Card", args=args, timeout_ms=1000)
    assert result.status == "failed" and result.side_effect_state == "none", describe_result(result)
    assert (await stage.truth())["dropped"] == ""
