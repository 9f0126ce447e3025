"""Typing as a person does: real keys, composition, no commit, and fields that refuse."""

from __future__ import annotations

import pytest

from tests.drivers.chromium.input.test_perform import guard
from tests.drivers.chromium.site import Site
from uiap.actions.ops import Press, SetText
from uiap.drivers.chromium import ChromiumDriver
from uiap.drivers.chromium.input.typing import KEYED_CHARACTERS, parts_of
from uiap.drivers.driver import PerformDispatched, PerformRefused
from uiap.spec.capability import ExecutionMode

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_only_the_ends_of_long_text_have_keys() -> None:
    assert list(parts_of("short")) == [("short", True)]
    text = "ab" * KEYED_CHARACTERS
    parts = list(parts_of(text))
    assert [keyed for _, keyed in parts] == [True, False, True]
    assert "".join(part for part, _ in parts) == text
    mixed = text + "7 and 8" + text
    assert ("7", True) in parts_of(mixed) and (" ", True) in parts_of(mixed)
    assert "".join(part for part, _ in parts_of(mixed)) == mixed


@pytest.mark.requirement("ACT-11.5")
async def test_a_person_s_events_arrive_and_nothing_commits_the_text(
    driver: ChromiumDriver, site: Site
) -> None:
    page = """<input aria-label=Name><script>seen = [];
      for (const type of ['keydown', 'beforeinput', 'input', 'keyup', 'change', 'blur', 'compositionend'])
        document.querySelector('input').addEventListener(type, () => seen.push(type))</script>"""
    await driver.navigate(site.page("/events", page))
    await driver.perform(SetText(guard=await guard(driver, "Name"), mode="externalDriver", text="a"))
    assert await driver.evaluate("seen") == ["keydown", "beforeinput", "input", "keyup"]
    await driver.perform(SetText(guard=await guard(driver, "Name"), mode="externalDriver", text="漢"))
    assert await driver.evaluate(
        "[document.querySelector('input').value, seen.includes('compositionend')]"
    ) == [
        "漢",
        True,
    ]
    assert await driver.evaluate("seen.filter((type) => type === 'change' || type === 'blur')") == []


async def test_a_key_reaches_a_page_that_replaces_the_field_on_it(driver: ChromiumDriver, site: Site) -> None:
    page = """<div id=d><input aria-label=Task></div><script>got = [];
      d.addEventListener('keydown', (e) => { got.push(e.key); d.innerHTML = '<input aria-label=Task>';
        d.firstChild.focus() })</script>"""
    await driver.navigate(site.page("/replaced", page))
    pressed = await driver.perform(Press(guard=await guard(driver, "Task"), key="Enter"))
    assert isinstance(pressed, PerformDispatched) and pressed.detail.get("held") is not False
    typed = await driver.perform(
        SetText(guard=await guard(driver, "Task"), mode="externalDriver", text="abc")
    )
    assert isinstance(typed, PerformDispatched)
    assert await driver.evaluate("got") == ["Enter", "a", "b", "c"]


@pytest.mark.parametrize(
    ("attributes", "why"),
    [("onfocus='this.readOnly = true'", "read-only"), ("onfocus='this.blur()'", "moved the focus away")],
)
async def test_a_field_that_refuses_the_focus_is_not_reported_as_untouched(
    driver: ChromiumDriver, site: Site, attributes: str, why: str
) -> None:
    await driver.navigate(site.page("/refuses", f"<input aria-label=Name {attributes}>"))
    outcome = await driver.perform(
        SetText(guard=await guard(driver, "Name"), mode="externalDriver", text="x")
    )
    assert isinstance(outcome, PerformDispatched)
    assert outcome.detail["held"] is False and why in outcome.detail["why"]
    assert await driver.evaluate("document.querySelector('input').value") == ""


@pytest.mark.parametrize("mode", ["externalDriver", "semanticUi"])
async def test_text_longer_than_the_field_takes_is_refused(
    driver: ChromiumDriver, site: Site, mode: ExecutionMode
) -> None:
    await driver.navigate(site.page("/short", "<input aria-label=Code maxlength=5>"))
    outcome = await driver.perform(SetText(guard=await guard(driver, "Code"), mode=mode, text="abcdefgh"))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "invalid"
    assert await driver.evaluate("document.querySelector('input').value") == ""
