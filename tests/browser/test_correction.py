"""Effects that a page takes back: while it is read, and later than any action waits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.browser.trial import Stage, describe_result
from uiap.drivers import events as seen
from uiap.host.clock import SystemClock
from uiap.signals.correction import CORRECTION
from uiap.spec.web import CustomSignal

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

LATE_ROLLBACK = """
document.body.innerHTML = "<button>Add</button><ul></ul>";
document.querySelector("button").onclick = () => {
  const row = document.createElement("li");
  row.innerHTML = "<button>Open order 7</button>";
  document.querySelector("ul").append(row);
  setTimeout(() => row.remove(), 3800);
};
"""


async def test_a_late_rollback_is_announced_and_corrected_with_the_handle(stage: Stage) -> None:
    await stage.goto("plain")
    await stage.driver.evaluate(LATE_ROLLBACK)
    await stage.driver.flush()
    corrected: asyncio.Future[CustomSignal] = asyncio.get_running_loop().create_future()

    def on_event(event: seen.AnyEvent) -> None:
        signal = event.signal if isinstance(event, seen.SignalObserved) else None
        if isinstance(signal, CustomSignal) and signal.name == CORRECTION and not corrected.done():
            corrected.set_result(signal)

    stop = stage.page.listen(on_event)
    result = await stage.act("ui.activate", role="button", name="Add")
    assert result.status == "succeeded", describe_result(result)
    metadata = result.metadata
    assert metadata["settled"] is False and metadata["pending"] == ["a timer of 3800 ms"]
    async with asyncio.timeout(15):
        signal = await corrected
    stop()
    assert signal.payload["actionHandle"] == result.action_handle
    assert "Open order 7" in signal.payload["message"]


PUT_BACK = """
document.body.innerHTML = "<input aria-label=Amount value=5>";
const field = document.querySelector("input");
const back = new Promise((done) => {
  field.oninput = () => setTimeout(() => { field.value = "5"; done(); }, 300);
});
window.back = () => back;
"""


async def test_a_value_that_is_put_back_while_the_page_is_read_is_no_success(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer to a reading and the end of a timer may arrive together, before the change of the timer."""
    await stage.goto("plain")
    await stage.driver.evaluate(PUT_BACK)
    await stage.driver.flush()
    flush, tokens, ended = stage.driver.flush, list[str](), False
    stop = stage.page.listen(
        lambda event: tokens.append(event.token) if isinstance(event, seen.WorkReported) else None
    )

    async def read_while_the_timer_ends(**options: Any) -> int:
        nonlocal ended
        if ended:
            await stage.driver.evaluate("window.back()")
        seq = await flush(**options)
        if not ended and not options["quick"]:
            ended = True
            now = SystemClock().now().mono
            for token in set(tokens):
                stage.page.receive(seen.WorkReported(tab=stage.driver.tabs.active, at=now, token=token))
        return seq

    monkeypatch.setattr(stage.driver, "flush", read_while_the_timer_ends)
    result = await stage.act("ui.enterText", role="textbox", name="Amount", args={"text": "7"})
    stop()
    assert ended and result.status == "failed", describe_result(result)
