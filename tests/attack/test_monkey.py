"""No write happens without a grant for it, whatever an agent tries."""

from __future__ import annotations

import os

import pytest

from tests.attack import browser_monkey
from tests.attack.monkey import play
from uiap.drivers.chromium import ChromiumBrowser
from uiap.policy.autonomy import Autonomy


@pytest.mark.parametrize("level", ["observe", "assist"])
async def test_at_other_levels_only_ordinary_controls_write_without_a_grant(level: Autonomy) -> None:
    figures = await play(seed=7, steps=20, level=level)
    assert figures["unauthorised"] == 0
    assert (figures["writes"] > 0) is (level == "assist"), figures


async def test_no_verb_of_an_agent_writes_without_a_grant() -> None:
    figures = await play(seed=2026, steps=40)
    assert figures["unauthorised"] == 0
    assert figures["grants"] > 0 and figures["writes"] > 0, figures


@pytest.mark.browser
async def test_no_verb_of_an_agent_reaches_the_server_without_a_grant() -> None:
    browser = await ChromiumBrowser.launch(environ=os.environ)
    figures = await browser_monkey.play(browser, seed=7, steps=25)
    await browser.close()
    assert figures["unauthorised"] == 0 and figures["questions"] > 0, figures
