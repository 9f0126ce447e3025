"""What a page does while it is held: a timer that was set in the task of the press itself is part of the press.

The browser follows clicks and keys to what they paint later, but no press that lasts. So while a press lasts, timers
that the page sets in its own handler of that trusted event say so when they run, by an event whose name only this
press knows. Timers of anybody else stay as they are, and so does a page that took its timers aside: then what came
is only a coincidence, and no success.
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

FOLLOW = """((mark) => {
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
SECONDS = 2.0


@asynccontextmanager
async def timers_followed(performer: Performer) -> AsyncIterator[None]:
    """Where the element stands in a frame inside, nothing is followed: only the frame's own world could tell."""
    if not performer.document.frame.is_root:
        yield
        return
    mark = new_secret("uiap")
    said = await performer.ask("perform", {"op": "attend", "token": performer.gesture.token, "text": mark})
    if not said.get("ok"):
        yield
        return
    await _run(performer, f"{FOLLOW}({as_js_string(mark)})")
    try:
        yield
    finally:
        await _run(performer, f"window[Symbol.for({as_js_string(mark)})]?.()")


async def _run(performer: Performer, expression: str) -> None:
    """A page that has gone, or asks something, has nothing left to follow."""
    tab = performer.tab
    with suppress(DriverError):
        await tab.call(tab.session, "Runtime.evaluate", {"expression": expression}, timeout=SECONDS)
