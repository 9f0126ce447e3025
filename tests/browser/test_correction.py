"""An effect that the page takes back later than any action waits: the result says so, and a correction follows."""

from __future__ import annotations

import asyncio

import pytest

from tests.browser.trial import Stage, describe_result
from uiap.drivers import events as seen
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
