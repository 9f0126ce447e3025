"""Every primitive on a page of real controls: the reported effect is the one that the page confirms."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.trial import Stage, describe_result

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

DOES: list[tuple[str, str, str, dict[str, Any], dict[str, Any]]] = [
    ("ui.choose", "combobox", "Size", {"label": "Large"}, {"size": "l"}),
    ("ui.choose", "combobox", "Size", {"value": "l"}, {"size": "l"}),
    ("ui.choose", "tab", "Two", {}, {"tab": "two"}),
    ("ui.expand", "button", "More", {}, {"more": True}),
    ("ui.expand", "button", "Menu", {}, {"items": True}),
    ("ui.setValue", "slider", "Volume", {"value": 70}, {"volume": "70"}),
    ("ui.setValue", "slider", "Volume", {"value": 72, "tolerance": 3}, {"volume": "70"}),
    ("ui.setValue", "spinbutton", "Count", {"value": 12}, {"count": "12"}),
    ("ui.toggle", "checkbox", "Agree", {"checked": True}, {"agree": True}),
    ("ui.enterText", "spinbutton", "Count", {"text": "42"}, {"count": "42"}),
    ("ui.enterText", "textbox", "Password", {"text": "hunter2"}, {"password": "hunter2"}),
    ("ui.clearText", "spinbutton", "Count", {}, {"count": ""}),
    ("ui.scrollIntoView", "button", "Deep", {}, {"deep": True}),
]


@pytest.mark.requirement("ACT-11.5", "ACT-11.6", "ACT-11.8", "ACT-11.9", "ACT-11.11")
@pytest.mark.parametrize(
    ("action", "role", "name", "args", "truth"), DOES, ids=[f"{d[0]} {d[2]}" for d in DOES]
)
async def test_a_primitive_has_the_reported_effect(
    stage: Stage, action: str, role: str, name: str, args: dict[str, Any], truth: dict[str, Any]
) -> None:
    await stage.goto("controls")
    before = await stage.truth()
    assert all(before[key] != value for key, value in truth.items())
    result = await stage.act(action, role=role, name=name, args=args, timeout_ms=3000)
    assert result.status == "succeeded", describe_result(result)
    after = await stage.truth()
    assert {key: after[key] for key in truth} == truth
    assert {k: v for k, v in after.items() if k not in truth} == {
        k: v for k, v in before.items() if k not in truth
    }


@pytest.mark.requirement("ACT-11.9")
@pytest.mark.parametrize(
    ("action", "role", "name", "args"),
    [
        ("ui.collapse", "button", "More", {}),
        ("ui.choose", "combobox", "Size", {"label": "Small"}),
        ("ui.setValue", "slider", "Volume", {"value": 20}),
        ("ui.toggle", "checkbox", "Agree", {"checked": False}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_state_that_is_already_reached_is_left_unchanged(
    stage: Stage, action: str, role: str, name: str, args: dict[str, Any]
) -> None:
    await stage.goto("controls")
    before = await stage.truth()
    result = await stage.act(action, role=role, name=name, args=args)
    assert result.status == "succeeded" and result.side_effect_state == "none", describe_result(result)
    assert isinstance(result.metadata, dict) and result.metadata["outcome"] == "no_op"
    assert await stage.truth() == before


async def test_a_value_outside_the_range_of_a_slider_is_not_a_success(stage: Stage) -> None:
    await stage.goto("controls")
    result = await stage.act("ui.setValue", role="slider", name="Volume", args={"value": 72}, timeout_ms=500)
    assert result.status == "failed" and result.side_effect_state != "none", describe_result(result)


async def test_an_expanded_section_collapses_again(stage: Stage) -> None:
    await stage.goto("controls")
    for action, shown in (("ui.expand", True), ("ui.collapse", False)):
        result = await stage.act(action, role="button", name="Menu")
        assert result.status == "succeeded", describe_result(result)
        assert (await stage.truth())["items"] is shown


async def test_a_password_is_entered_and_never_reported(stage: Stage) -> None:
    await stage.goto("controls")
    result = await stage.act("ui.enterText", role="textbox", name="Password", args={"text": "canary-7"})
    assert result.verification.policy == "none"
    assert "canary-7" not in repr(result) and "canary-7" not in repr(stage.messages)
