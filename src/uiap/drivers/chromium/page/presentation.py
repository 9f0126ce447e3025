"""Show a person the next action, in the overlay of the page script. The page itself is not changed."""

from __future__ import annotations

from msgspec import UNSET

from uiap.drivers.chromium.page.frames import Document
from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.chromium.page.world import sdk_call
from uiap.spec.action import PresentationHints


async def present(
    tab: Tab, document: Document, hints: PresentationHints, node: str | None, seconds: float
) -> None:
    """Draw the hints; with `seconds`, return when the cursor has reached the element."""
    request = {
        "instanceId": node,
        "ghostCursor": hints.ghost_cursor is True,
        "highlight": None if hints.highlight is UNSET else hints.highlight,
        "narration": None if hints.narration is UNSET else hints.narration,
        "ms": round(seconds * 1000),
    }
    call = sdk_call("present", {key: value for key, value in request.items() if value})
    await tab.evaluate_isolated(document, call, timeout=seconds + 1.0)
