"""Nodes across the CDP boundary: which published element hosts a frame, which one hides a closed shadow root."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec

from uiap.drivers.chromium.page.frames import Document, Frame
from uiap.drivers.chromium.page.world import sdk_call
from uiap.drivers.errors import BlockedByDialog, CallFailed, TargetGone

if TYPE_CHECKING:
    from uiap.drivers.chromium.page.tab import Tab

MOST_CANDIDATES = 200  # per message; a page of a thousand empty custom elements is not worth a thousand calls


async def host_of(tab: Tab, frame: Frame, parent: Document) -> str | None:
    """The instanceId of the element that holds `frame`, as the parent document's publisher names it."""
    try:
        owner = await tab.call(parent.session, "DOM.getFrameOwner", {"frameId": frame.id})
        handle = await handle_of(tab, parent, owner["backendNodeId"])
        said = await tab.call(
            parent.session,
            "Runtime.callFunctionOn",
            {
                "objectId": handle,
                "functionDeclaration": "function(){return globalThis.__uiap.idOf(this)}",
                "returnByValue": True,
            },
        )
        parent.session.tell("Runtime.releaseObject", {"objectId": handle})
    except (CallFailed, TargetGone, BlockedByDialog):
        return None
    found = said.get("result", {}).get("value")
    return found if isinstance(found, str) and found else None


async def handle_of(tab: Tab, document: Document, backend_node: int) -> str:
    """A handle of the node inside the document's isolated world."""
    resolved = await tab.call(
        document.session,
        "DOM.resolveNode",
        {"backendNodeId": backend_node, "executionContextId": document.context_id},
    )
    return str(resolved["object"]["objectId"])


async def node_handle(tab: Tab, document: Document, instance_id: str) -> str | None:
    """A handle of a published element, for CDP calls that take a node; release it after use."""
    reply = await tab.call(
        document.session,
        "Runtime.evaluate",
        {"expression": sdk_call("element", instance_id), "uniqueContextId": document.unique_id},
    )
    result: dict[str, Any] = reply.get("result", {})
    return result.get("objectId") if result.get("subtype") == "node" else None


async def confirm_closed(
    tab: Tab, document: Document, checked: set[str], candidates: list[str] | None = None
) -> bool:
    """Tell the publisher which candidates hide a closed shadow root, if any; their content is never read.

    Without candidates the publisher looks for them, which measures the whole page: once per reading, no more.
    """
    if candidates is None:
        candidates = msgspec.json.decode(await tab.ask(document, sdk_call("closedCandidates")))["ids"]
    fresh = [str(found) for found in candidates if found not in checked][:MOST_CANDIDATES]
    checked.update(fresh)
    closed = await asyncio.gather(*(_hides_closed_root(tab, document, candidate) for candidate in fresh))
    found = [candidate for candidate, hides in zip(fresh, closed, strict=True) if hides]
    if found:
        await tab.ask(document, sdk_call("closed", found))
    return bool(found)


async def _hides_closed_root(tab: Tab, document: Document, candidate: str) -> bool:
    handle = await node_handle(tab, document, candidate)
    if handle is None:
        return False
    described = await tab.call(document.session, "DOM.describeNode", {"objectId": handle, "depth": 0})
    document.session.tell("Runtime.releaseObject", {"objectId": handle})
    roots = described["node"].get("shadowRoots", [])
    return any(root.get("shadowRootType") == "closed" for root in roots)
