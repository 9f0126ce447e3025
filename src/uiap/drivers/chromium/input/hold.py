"""Attribute timers to a long press: a timer that the page sets in its handler of the press belongs to the press.

The browser attributes later paints to clicks and keys, but not to a press that lasts. So during a press we wrap
`setTimeout`: a timer set in the page's handler of the trusted event dispatches an event with a secret name when it
runs. Other timers are unchanged. If the page saved the original `setTimeout`, an effect is not attributed to the press.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from uiap.drivers.chromium.page.world import as_js_string
from uiap.drivers.errors import DriverError
from uiap.ids import new_secret

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

FOLLOW_TIMERS = """((mark) => {
  const own = window.setTimeout;
  const presses = ["pointerdown", "mousedown", "touchstart"];
  const ours = () => window.event && window.event.isTrusted && presses.includes(window.event.type);
  const followed = (f) => function (...given) { document.dispatchEvent(new Event(mark)); return f.apply(this, given) };
  const setTimeout = function (f, ...rest) {
    return own.call(window, typeof f === "function" && ours() ? followed(f) : f, ...rest);
  };
  window.setTimeout = setTimeout;
  window[Symbol.for(mark)] = () => {
    if (window.setTimeout === setTimeout) window.setTimeout = own;
    delete window[Symbol.for(mark)];
  };
})"""
TIMEOUT_S = 2.0


@asynccontextmanager
async def follow_timers(performer: Performer) -> AsyncIterator[None]:
    """Attribute timers to the gesture while it lasts; elements inside frames are not supported."""
    if not performer.document.frame.is_root:
        yield
        return
    mark = new_secret("uiap")
    answer = await performer.call_page_script(
        "perform", {"op": "attend", "token": performer.gesture.token, "text": mark}
    )
    if not answer.get("ok"):
        yield
        return
    await _run(performer, f"{FOLLOW_TIMERS}({as_js_string(mark)})")
    try:
        yield
    finally:
        await _run(performer, f"window[Symbol.for({as_js_string(mark)})]?.()")


async def _run(performer: Performer, expression: str) -> None:
    """Evaluate in the page's own world; ignore a page that is gone or blocked by a dialog."""
    tab = performer.tab
    with suppress(DriverError):
        await tab.call(tab.session, "Runtime.evaluate", {"expression": expression}, timeout=TIMEOUT_S)
