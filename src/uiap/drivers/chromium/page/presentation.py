"""Shows a person what is about to be done, through the publisher's own layer. It changes nothing of the page."""

from __future__ import annotations

from msgspec import UNSET

from uiap.drivers.chromium.page.frames import Document
from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.chromium.page.world import sdk_call
from uiap.spec.action import PresentationHints


async def present(
    tab: Tab, document: Document, hints: PresentationHints, node: str | None, seconds: float
) -> None:
    """Returns once it is drawn, or, where there is a pace, once the cursor has arrived."""
    shown = {
        "instanceId": node,
        "ghostCursor": hints.ghost_cursor is True,
        "highlight": None if hints.highlight is UNSET else hints.highlight,
        "narration": None if hints.narration is UNSET else hints.narration,
        "ms": round(seconds * 1000),
    }
    call = sdk_call("present", {key: value for key, value in shown.items() if value})
    await tab.ask(document, call, timeout=seconds + 1.0)
