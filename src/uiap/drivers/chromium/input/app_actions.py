"""List and call the actions that a page registers with `window.uiap.registerAction`; nothing they report is trusted.

The registry is a small script in the page's own world. The driver calls it with a timeout and receives strings. The
page cannot send anything through it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from uiap.actions.ops import Invoke
from uiap.drivers.chromium.input.endpoint_call import endpoint_call
from uiap.drivers.chromium.input.gesture import guard_terms
from uiap.drivers.chromium.input.reasons import refusal_from_answer
from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.chromium.page.world import as_js_string, value_of
from uiap.drivers.driver import PerformOutcome, PerformRefused, PerformUnknown
from uiap.drivers.errors import CallFailed
from uiap.ids import new_secret

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

MAX_CHARS = 200_000
LIST_S = 5.0


async def list_actions(tab: Tab) -> list[Any]:
    """Return the actions that the page declares, unchecked."""
    actions = await _call_registry(tab, "globalThis.__uiap_actions?.list() ?? '[]'", LIST_S)
    return actions if isinstance(actions, list) else []


async def invoke(performer: Performer, op: Invoke) -> PerformOutcome:
    """Call the page's function in its own world, and let the page script attribute its task to this gesture."""
    mark = new_secret("uiap")
    request = {"op": "attend", "token": performer.gesture.token, "text": mark}
    answer = await performer.call_page_script(
        "perform", request | (guard_terms(op.guard) if op.guard is not None else {})
    )
    if not answer.get("ok"):
        return refusal_from_answer(answer)
    try:
        call = endpoint_call(op, mark) if op.source == "server" else _registry_call(op, mark)
    except ValueError as error:
        return PerformRefused("invalid", str(error))
    performer.gesture.begin()
    result = await _call_registry(performer.tab, call, performer.remaining_s)
    if not isinstance(result, dict):
        return PerformUnknown("interrupted", "the page's registry gave no answer")
    if result.get("gone"):
        return PerformRefused("unsupported", f"the page no longer offers `{op.action}`")
    if "error" in result:
        return PerformUnknown("interrupted", f"the page's `{op.action}` failed: {result['error']}")
    value = result.get("value")
    returned = value if isinstance(value, dict) else {} if value is None else {"value": value}
    return performer.gesture.dispatched(detail={"returned": returned})


def _registry_call(op: Invoke, mark: str) -> str:
    arguments = (op.action, json.dumps(op.args), mark)
    return f"globalThis.__uiap_actions.call({', '.join(map(as_js_string, arguments))})"


async def _call_registry(tab: Tab, expression: str, timeout: float) -> Any:
    """Evaluate in the page's own world, without user activation, and decode the returned JSON text."""
    params = {"expression": expression, "returnByValue": True, "awaitPromise": True}
    text = value_of(await tab.call(tab.session, "Runtime.evaluate", params, timeout=timeout))
    if not isinstance(text, str) or len(text) > MAX_CHARS:
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise CallFailed("Runtime.evaluate", 0, "the page's registry gave no answer") from error
