"""A list that a modal dialog opens outside of itself, at the end of the page, as component libraries do."""

from __future__ import annotations

import pytest

from tests.browser.trial import Stage, describe_result

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PAGE = """
document.body.innerHTML = `
  <style>.layer { position: fixed; inset: 0 } .box { position: absolute; inset: 40px; background: white }</style>
  <button id="behind">Behind</button>
  <div class="layer"><div class="box" role="dialog" aria-modal="true" aria-label="New study">
    <div role="combobox" tabindex="0" aria-label="Direction" aria-expanded="false">Minimize</div>
  </div></div>`;
const field = document.querySelector("[role=combobox]");
field.onmousedown = () => {
  const layer = document.createElement("div");
  layer.className = "layer";
  layer.innerHTML = `<ul class="box" role="listbox" id="directions">
    <li role="option" aria-selected="true">Minimize</li><li role="option" aria-selected="false">Maximize</li></ul>`;
  document.body.append(layer);
  field.setAttribute("aria-expanded", "true");
  field.setAttribute("aria-controls", "directions");
  layer.querySelectorAll("li").forEach((one) => one.onclick = () => {
    field.textContent = one.textContent;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-controls");
    layer.remove();
  });
};
"""


async def test_an_option_is_chosen_in_a_list_that_lies_outside_of_its_dialog(stage: Stage) -> None:
    await stage.goto("plain")
    await stage.driver.evaluate(PAGE)
    await stage.driver.flush()
    result = await stage.act("ui.choose", role="combobox", name="Direction", args={"label": "Maximize"})
    assert result.status == "succeeded", describe_result(result)
    assert await stage.driver.evaluate("document.querySelector('[role=combobox]').textContent") == "Maximize"
    behind = await stage.act("ui.activate", role="button", name="Behind", timeout_ms=500)
    assert behind.status == "failed" and behind.error.code == "target_not_interactable"
