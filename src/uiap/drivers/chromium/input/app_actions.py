"""Actions that a page registers of its own (`window.uiap.registerAction`): listed and called, never believed.

The registry is a small script in the page's own world. The driver asks it with bounded calls and gets strings; the
page has no way to send anything through it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from uiap.actions.ops import Invoke
from uiap.drivers.chromium.input.gesture import terms
from uiap.drivers.chromium.input.reasons import refusal_of
from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.chromium.page.world import as_js_string, value_of
from uiap.drivers.driver import PerformOutcome, PerformRefused, PerformUnknown
from uiap.drivers.errors import CallFailed
from uiap.ids import new_secret

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

MAX_CHARS = 200_000
LIST_S = 5.0


async def listed(tab: Tab) -> list[Any]:
    """What the page says it can do, as it says it."""
    told = await _ask(tab, "globalThis.__uiap_actions?.list() ?? '[]'", LIST_S)
    return told if isinstance(told, list) else []


async def invoke(performer: Performer, op: Invoke) -> PerformOutcome:
    """Call the page's function in its own world, with the publisher told which task is its."""
    mark = new_secret("uiap")
    attended = {"op": "attend", "token": performer.gesture.token, "text": mark}
    said = await performer.ask("perform", attended | (terms(op.guard) if op.guard is not None else {}))
    if not said.get("ok"):
        return refusal_of(said)
    given = (op.action, json.dumps(op.args), mark)
    call = f"globalThis.__uiap_actions.call({', '.join(map(as_js_string, given))})"
    performer.gesture.begin()
    told = await _ask(performer.tab, call, performer.left)
    if not isinstance(told, dict):
        return PerformUnknown("interrupted", "the page's registry gave no answer")
    if told.get("gone"):
        return PerformRefused("unsupported", f"the page no longer offers `{op.action}`")
    if "error" in told:
        return PerformUnknown("interrupted", f"the page's `{op.action}` failed: {told['error']}")
    value = told.get("value")
    returned = value if isinstance(value, dict) else {} if value is None else {"value": value}
    return performer.gesture.done(detail={"returned": returned})


async def _ask(tab: Tab, expression: str, timeout: float) -> Any:
    """In the page's own world, as a script of its own: no activation, and no object comes back."""
    params = {"expression": expression, "returnByValue": True, "awaitPromise": True}
    text = value_of(await tab.call(tab.session, "Runtime.evaluate", params, timeout=timeout))
    if not isinstance(text, str) or len(text) > MAX_CHARS:
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise CallFailed("Runtime.evaluate", 0, "the page's registry gave no answer") from error
