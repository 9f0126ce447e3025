"""Roles and names, compared with Chromium's accessibility tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.oracle import Difference, compare
from tests.web.tab import Tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PAGE = (Path(__file__).parent / "pages/snippets.html").read_text("utf-8")
# Each known disagreement has a reason; a new one fails the test.
REASONS = {
    ("name", "Video"): "Chromium adds its own words for media that cannot play",
    ("name", "Hidden label"): "accname 2A lets a hidden label name its control; Chromium leaves it out",
    ("name", "Only its own"): "an empty label names nothing, so the title does; Chromium stops at the label",
    ("name", "x"): "Chromium gives no name to a formula; its letters are visible, so they are published",
}


def explained(difference: Difference) -> bool:
    return (difference.what, difference.ours) in REASONS


@pytest.mark.requirement("CAP-4")
async def test_roles_and_names_agree_with_the_accessibility_tree(tab: Tab) -> None:
    await tab.load(PAGE)
    judged, wanted, differences = await compare(tab)
    assert judged >= 150
    assert wanted >= 140
    assert [difference for difference in differences if not explained(difference)] == []
