"""What is around the controls: surfaces to leave, forms to send, choosers to fill, boxes to scroll, and a highlight."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from uiap.actions.ops import Click, Dismiss, Guard, Highlight, Scroll, SetFiles, Submit
from uiap.drivers.chromium.browser.files import checked
from uiap.drivers.chromium.input import pointer
from uiap.drivers.chromium.input.gesture import terms
from uiap.drivers.chromium.input.reasons import refusal_of
from uiap.drivers.chromium.page.frames import Document
from uiap.drivers.chromium.page.hosts import node_handle
from uiap.drivers.chromium.page.offsets import Point, viewport
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused
from uiap.drivers.errors import CallFailed, TargetGone

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

LEAVES_S = 0.6
MOVES_S = 1.0
CHOOSER_S = 2.0
CLAIM = """function (note) {
  const heard = () => void globalThis.__uiap.perform(note);
  this.addEventListener("input", heard, { capture: true, once: true });
  this.addEventListener("change", heard, { capture: true, once: true });
}"""
COLOUR = {"r": 255, "g": 170, "b": 0, "a": 0.45}


async def dismiss(performer: Performer, op: Dismiss) -> PerformOutcome:
    """Escape first, as every surface should know it; then the control in it that closes or cancels."""
    assert op.guard is not None
    node, session = op.guard.node, performer.document.session
    focused = await performer.ask("perform", {"op": "focus", **terms(op.guard)})
    if focused.get("ok"):
        outcome = await performer.gesture.guarded(op.guard, lambda: pointer.press(session, "Escape"))
    elif focused.get("reason") == "not_focusable":
        outcome = await performer.gesture.unguarded(lambda: pointer.press(session, "Escape"))
    else:
        return refusal_of(focused)
    if not isinstance(outcome, PerformDispatched) or outcome.interrupted_by is not None:
        return outcome
    left = await performer.looked(
        lambda: performer.probe(node), lambda told: not told.get("visible"), LEAVES_S
    )
    if not left.get("visible"):
        return outcome
    try:
        closer = (await performer.query("closer", node)).get("closer")
    except TargetGone:
        return outcome
    if not closer:
        return performer.ended(False, why="Escape did not close it, and nothing in it says that it closes")
    return await performer.click(Click(guard=Guard(node=closer)))


async def submit(performer: Performer, op: Submit) -> PerformOutcome:
    """As a person does: by its button, else by Enter in the field, else the form by itself."""
    assert op.guard is not None
    answer = await performer.ask("perform", {"op": "submitter", **terms(op.guard)})
    if not answer.get("ok"):
        return refusal_of(answer)
    told = answer["detail"]
    if told["by"] == "button" and told.get("button"):
        same = told["button"] == op.guard.node
        return await performer.click(Click(guard=op.guard if same else Guard(node=told["button"])))
    if told["by"] == "press":
        return await performer.click(Click(guard=op.guard))
    if told["by"] == "field":
        session = performer.document.session
        return await performer.keyboard(op.guard, lambda: pointer.press(session, "Enter"))
    return await performer.through_setter(Submit(guard=op.guard, mode="semanticUi"))


async def give_files(performer: Performer, op: SetFiles) -> PerformOutcome:
    """To the input itself, or to the chooser that a press on the element opens."""
    assert op.guard is not None
    paths = checked(op.paths, performer.uploads)
    armed = await performer.ask("arm", {**terms(op.guard), "token": performer.gesture.token})
    await performer.ask("disarm")
    if not armed.get("ok"):
        return refusal_of(armed)
    told = await performer.query("files", op.guard.node)
    if not told.get("input"):
        return await _through_chooser(performer, op, paths)
    if len(paths) > 1 and not told.get("multiple"):
        return PerformRefused("invalid", "the input takes one file")
    return await _into_input(performer, op.guard.node, paths)


async def _into_input(performer: Performer, node: str, paths: list[str]) -> PerformOutcome:
    handle = await node_handle(performer.tab, performer.document, node)
    if handle is None:
        return PerformRefused("gone", f"`{node}` has left the page")
    session = performer.document.session
    performer.gesture.begin()
    params = {"files": paths, "objectId": handle}
    try:
        await performer.tab.call(session, "DOM.setFileInputFiles", params, timeout=performer.left)
    except CallFailed as error:
        return PerformRefused("unsupported", error.reason)
    finally:
        session.tell("Runtime.releaseObject", {"objectId": handle})
    return performer.gesture.done()


async def _through_chooser(performer: Performer, op: SetFiles, paths: list[str]) -> PerformOutcome:
    tab = performer.tab
    tab.chooser = None
    pressed = await performer.click(Click(guard=op.guard))
    if not isinstance(pressed, PerformDispatched) or pressed.interrupted_by is not None:
        return pressed
    chooser = await _opened(performer)
    if chooser is None:
        return performer.ended(False, why="no file chooser opened")
    if len(paths) > 1 and chooser.get("mode") != "selectMultiple":
        return performer.ended(False, why="the chooser takes one file")
    frame = tab.frames.get(chooser["frameId"])
    session = frame.session if frame is not None else tab.session
    node = {"backendNodeId": chooser["backendNodeId"]}
    await _claim(performer, session, frame.document if frame is not None else None, node)
    await tab.call(session, "DOM.setFileInputFiles", {"files": paths, **node}, timeout=performer.left)
    names = [Path(path).name for path in paths]
    if await _holds(performer, session, node) == names:
        return performer.ended(True, files=names)
    # the page took them out of the input; what it did with them must show
    return performer.ended(True, weak=True, files=names)


async def _opened(performer: Performer) -> dict[str, Any] | None:
    tab = performer.tab
    await tab.until(lambda: tab.chooser or tab.closed or tab.dialog, min(CHOOSER_S, performer.left))
    chooser, tab.chooser = tab.chooser, None
    return chooser


async def _claim(performer: Performer, session: Any, document: Document | None, node: dict[str, Any]) -> None:
    """What the page does when the input tells that it was filled, it does because of us."""
    if document is None:
        return
    where = {**node, "executionContextId": document.context_id}
    resolved = await performer.tab.call(session, "DOM.resolveNode", where, timeout=performer.left)
    handle = resolved["object"]["objectId"]
    params = {
        "objectId": handle,
        "functionDeclaration": CLAIM,
        "arguments": [
            {"value": msgspec.json.encode({"op": "note", "token": performer.gesture.token}).decode()}
        ],
    }
    await performer.tab.call(session, "Runtime.callFunctionOn", params, timeout=performer.left)
    session.tell("Runtime.releaseObject", {"objectId": handle})


async def _holds(performer: Performer, session: Any, node: dict[str, Any]) -> list[str]:
    """The names of the files that an input holds, read outside the page's own world."""
    resolved = await performer.tab.call(session, "DOM.resolveNode", node, timeout=performer.left)
    handle = resolved["object"]["objectId"]
    params = {
        "objectId": handle,
        "functionDeclaration": "function () { return Array.from(this.files ?? [], (file) => file.name) }",
        "returnByValue": True,
    }
    reply = await performer.tab.call(session, "Runtime.callFunctionOn", params, timeout=performer.left)
    session.tell("Runtime.releaseObject", {"objectId": handle})
    return list(reply["result"].get("value", []))


async def wheel(performer: Performer, op: Scroll) -> PerformOutcome:
    """Turn the wheel over the element, or over the middle of the page, and see whether anything moved."""
    if op.to is not None:
        return PerformRefused("unsupported", "a wheel knows distances, not ends")
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
    """Drawn by the browser over the page, so that nothing in the page changes; gone by itself."""
    assert op.guard is not None
    handle = await node_handle(performer.tab, performer.document, op.guard.node)
    if handle is None:
        return PerformRefused("gone", f"`{op.guard.node}` has left the page")
    session = performer.document.session
    for domain in ("DOM.enable", "Overlay.enable"):
        session.tell(domain)
    shown = {"objectId": handle, "highlightConfig": {"contentColor": COLOUR, "showInfo": False}}
    try:
        await performer.tab.call(session, "Overlay.highlightNode", shown, timeout=performer.left)
    except CallFailed as error:
        return PerformRefused("unsupported", error.reason)
    finally:
        session.tell("Runtime.releaseObject", {"objectId": handle})
    seconds = max(0.0, min(op.duration_ms / 1000, 30.0))
    asyncio.get_running_loop().call_later(seconds, _fade, session)
    return performer.gesture.done()


def _fade(session: Any) -> None:
    if session.ended is None:
        session.tell("Overlay.hideHighlight")
