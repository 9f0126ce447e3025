"""Gestures around controls: dismiss a surface, submit a form, set files, scroll, highlight."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from uiap.actions.ops import Click, Dismiss, Guard, Highlight, Scroll, SetFiles, Submit
from uiap.drivers.chromium.browser.files import check_upload_paths
from uiap.drivers.chromium.input import pointer
from uiap.drivers.chromium.input.gesture import guard_terms
from uiap.drivers.chromium.input.reasons import refusal_from_answer
from uiap.drivers.chromium.page.frames import Document
from uiap.drivers.chromium.page.hosts import node_handle
from uiap.drivers.chromium.page.offsets import Point, viewport
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused
from uiap.drivers.errors import CallFailed, TargetGone

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

CLOSE_WAIT_S = 0.6
CHOOSER_WAIT_S = 2.0
CLAIM_EVENTS = """function (note) {
  const claim = () => void globalThis.__uiap.perform(note);
  this.addEventListener("input", claim, { capture: true, once: true });
  this.addEventListener("change", claim, { capture: true, once: true });
}"""
HIGHLIGHT_COLOUR = {"r": 255, "g": 170, "b": 0, "a": 0.45}


async def dismiss(performer: Performer, op: Dismiss) -> PerformOutcome:
    """Press Escape; if the surface stays open, press its close or cancel control."""
    assert op.guard is not None
    node, session = op.guard.node, performer.document.session
    focused = await performer.call_page_script("perform", {"op": "focus", **guard_terms(op.guard)})
    if focused.get("ok"):
        outcome = await performer.gesture.guarded(op.guard, lambda: pointer.press(session, "Escape"))
    elif focused.get("reason") == "not_focusable":
        outcome = await performer.gesture.unguarded(lambda: pointer.press(session, "Escape"))
    else:
        return refusal_from_answer(focused)
    if not isinstance(outcome, PerformDispatched) or outcome.interrupted_by is not None:
        return outcome
    probe = await performer.poll(
        lambda: performer.probe(node), lambda answer: not answer.get("visible"), CLOSE_WAIT_S
    )
    if not probe.get("visible"):
        return outcome
    try:
        closer = (await performer.query("closer", node)).get("closer")
    except TargetGone:
        return outcome
    if not closer:
        return performer.read_back_outcome(False, why="Escape did not close it, and it has no close control")
    return await performer.click(Click(guard=Guard(node=closer)))


async def submit(performer: Performer, op: Submit) -> PerformOutcome:
    """Submit by the form's button, else by Enter in the field, else by the form's own method."""
    assert op.guard is not None
    answer = await performer.call_page_script("perform", {"op": "submitter", **guard_terms(op.guard)})
    if not answer.get("ok"):
        return refusal_from_answer(answer)
    detail = answer["detail"]
    if detail["by"] == "button" and detail.get("button"):
        same = detail["button"] == op.guard.node
        return await performer.click(Click(guard=op.guard if same else Guard(node=detail["button"])))
    if detail["by"] == "press":
        return await performer.click(Click(guard=op.guard))
    if detail["by"] == "field":
        session = performer.document.session
        return await performer.keyboard(op.guard, lambda: pointer.press(session, "Enter"))
    return await performer.call_setter(Submit(guard=op.guard, mode="semanticUi"))


async def set_files(performer: Performer, op: SetFiles) -> PerformOutcome:
    """Set files of a file input, or answer the chooser that a press on the element opens."""
    assert op.guard is not None
    paths = check_upload_paths(op.paths, performer.uploads)
    armed = await performer.call_page_script(
        "arm", {**guard_terms(op.guard), "token": performer.gesture.token}
    )
    await performer.call_page_script("disarm")
    if not armed.get("ok"):
        return refusal_from_answer(armed)
    answer = await performer.query("files", op.guard.node)
    if not answer.get("input"):
        return await _through_chooser(performer, op, paths)
    if len(paths) > 1 and not answer.get("multiple"):
        return PerformRefused("invalid", "the input takes one file")
    return await _into_input(performer, op.guard.node, paths)


async def _into_input(performer: Performer, node: str, paths: list[str]) -> PerformOutcome:
    handle = await node_handle(performer.tab, performer.document, node)
    if handle is None:
        return PerformRefused("gone", f"`{node}` is no longer on the page")
    session = performer.document.session
    performer.gesture.begin()
    params = {"files": paths, "objectId": handle}
    try:
        await performer.tab.call(session, "DOM.setFileInputFiles", params, timeout=performer.remaining_s)
    except CallFailed as error:
        return PerformRefused("unsupported", error.reason)
    finally:
        session.send_and_forget("Runtime.releaseObject", {"objectId": handle})
    return performer.gesture.dispatched()


async def _through_chooser(performer: Performer, op: SetFiles, paths: list[str]) -> PerformOutcome:
    tab = performer.tab
    tab.chooser = None
    pressed = await performer.click(Click(guard=op.guard))
    if not isinstance(pressed, PerformDispatched) or pressed.interrupted_by is not None:
        return pressed
    chooser = await _wait_for_chooser(performer)
    if chooser is None:
        return performer.read_back_outcome(False, why="no file chooser opened")
    if len(paths) > 1 and chooser.get("mode") != "selectMultiple":
        return performer.read_back_outcome(False, why="the chooser takes one file")
    frame = tab.frames.get(chooser["frameId"])
    session = frame.session if frame is not None else tab.session
    node = {"backendNodeId": chooser["backendNodeId"]}
    await _claim_input_events(performer, session, frame.document if frame is not None else None, node)
    await tab.call(session, "DOM.setFileInputFiles", {"files": paths, **node}, timeout=performer.remaining_s)
    names = [Path(path).name for path in paths]
    if await _file_names(performer, session, node) == names:
        return performer.read_back_outcome(True, files=names)
    # the page removed them from the input; their effect must show elsewhere
    return performer.read_back_outcome(True, weak=True, files=names)


async def _wait_for_chooser(performer: Performer) -> dict[str, Any] | None:
    tab = performer.tab
    await tab.wait_until(
        lambda: tab.chooser or tab.closed or tab.dialog, min(CHOOSER_WAIT_S, performer.remaining_s)
    )
    chooser, tab.chooser = tab.chooser, None
    return chooser


async def _claim_input_events(
    performer: Performer, session: Any, document: Document | None, node: dict[str, Any]
) -> None:
    """Attribute the page's handling of the input and change events to this gesture."""
    if document is None:
        return
    where = {**node, "executionContextId": document.context_id}
    resolved = await performer.tab.call(session, "DOM.resolveNode", where, timeout=performer.remaining_s)
    handle = resolved["object"]["objectId"]
    params = {
        "objectId": handle,
        "functionDeclaration": CLAIM_EVENTS,
        "arguments": [
            {"value": msgspec.json.encode({"op": "note", "token": performer.gesture.token}).decode()}
        ],
    }
    await performer.tab.call(session, "Runtime.callFunctionOn", params, timeout=performer.remaining_s)
    session.send_and_forget("Runtime.releaseObject", {"objectId": handle})


async def _file_names(performer: Performer, session: Any, node: dict[str, Any]) -> list[str]:
    """Return the names of the files of an input, read outside the page's own world."""
    resolved = await performer.tab.call(session, "DOM.resolveNode", node, timeout=performer.remaining_s)
    handle = resolved["object"]["objectId"]
    params = {
        "objectId": handle,
        "functionDeclaration": "function () { return Array.from(this.files ?? [], (file) => file.name) }",
        "returnByValue": True,
    }
    reply = await performer.tab.call(session, "Runtime.callFunctionOn", params, timeout=performer.remaining_s)
    session.send_and_forget("Runtime.releaseObject", {"objectId": handle})
    return list(reply["result"].get("value", []))


async def scroll_by_wheel(performer: Performer, op: Scroll) -> PerformOutcome:
    """Turn the wheel over the element, or over the middle of the page."""
    if op.to is not None:
        return PerformRefused(
            "unsupported", "the wheel scrolls by a distance, not to an end; use `dx` and `dy`"
        )
    if op.guard is None:
        view = await viewport(performer.tab)
        aim: Point | PerformRefused = (view.right / 2, view.bottom / 2)
    else:
        aim = await performer.aim(op.guard)
    if isinstance(aim, PerformRefused):
        return aim
    point = aim
    session = performer.tab.session
    return await performer.gesture.unguarded(lambda: pointer.wheel(session, point, op.dx, op.dy))


async def highlight(performer: Performer, op: Highlight) -> PerformOutcome:
    """Highlight the element for some time; the browser draws it, so the page does not change."""
    assert op.guard is not None
    handle = await node_handle(performer.tab, performer.document, op.guard.node)
    if handle is None:
        return PerformRefused("gone", f"`{op.guard.node}` is no longer on the page")
    session = performer.document.session
    for domain in ("DOM.enable", "Overlay.enable"):
        session.send_and_forget(domain)
    params = {"objectId": handle, "highlightConfig": {"contentColor": HIGHLIGHT_COLOUR, "showInfo": False}}
    try:
        await performer.tab.call(session, "Overlay.highlightNode", params, timeout=performer.remaining_s)
    except CallFailed as error:
        return PerformRefused("unsupported", error.reason)
    finally:
        session.send_and_forget("Runtime.releaseObject", {"objectId": handle})
    seconds = max(0.0, min(op.duration_ms / 1000, 30.0))
    asyncio.get_running_loop().call_later(seconds, _hide_highlight, session)
    return performer.gesture.dispatched()


def _hide_highlight(session: Any) -> None:
    if session.ended is None:
        session.send_and_forget("Overlay.hideHighlight")
