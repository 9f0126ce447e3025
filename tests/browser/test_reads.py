"""A read of the page has every change that the page made before it."""

from __future__ import annotations

import pytest

from tests.browser.trial import Stage

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

CHANGES = {
    "a value that a script sets": ("document.querySelector('input').value = 'x{n}'", "x{n}"),
    "a text": ("document.querySelector('h1').textContent = 'Title {n}'", "Title {n}"),
    "a new element": ("document.body.insertAdjacentHTML('beforeend', '<button>B{n}</button>')", "B{n}"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
async def test_a_read_right_after_a_change_has_it(stage: Stage, name: str) -> None:
    await stage.goto("plain")
    await stage.driver.evaluate("document.body.innerHTML = '<h1>Title</h1><input aria-label=Name>'")
    script, text = CHANGES[name]
    for number in range(10):
        await stage.driver.evaluate(script.format(n=number))
        tab = await stage.page.read_active_tab()
        texts = {str(e.name) for e in tab.store} | {str(e.state.text_value) for e in tab.store}
        assert text.format(n=number) in texts
