"""Map between CDP nodes and published elements: hosts of frames, and elements with a closed shadow root."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec

from uiap.drivers.chromium.page.frames import Document, Frame
from uiap.drivers.chromium.page.world import sdk_call
from uiap.drivers.errors import BlockedByDialog, CallFailed, TargetGone

if TYPE_CHECKING:
    from uiap.drivers.chromium.page.tab import Tab

MAX_CANDIDATES = (
    200  # per message; a page with a thousand empty custom elements does not justify a thousand calls
)


async def find_host(tab: Tab, frame: Frame, parent: Document) -> str | None:
    """Return the instanceId of the element that contains `frame`, as the parent's page script reports it."""
    try:
        owner = await tab.call(parent.session, "DOM.getFrameOwner", {"frameId": frame.id})
        handle = await resolve_handle(tab, parent, owner["backendNodeId"])
        reply = await tab.call(
            parent.session,
            "Runtime.callFunctionOn",
            {
                "objectId": handle,
                "functionDeclaration": "function(){return globalThis.__uiap.idOf(this)}",
                "returnByValue": True,
            },
        )
        parent.session.send_and_forget("Runtime.releaseObject", {"objectId": handle})
    except (CallFailed, TargetGone, BlockedByDialog):
        return None
    instance_id = reply.get("result", {}).get("value")
    return instance_id if isinstance(instance_id, str) and instance_id else None


async def resolve_handle(tab: Tab, document: Document, backend_node: int) -> str:
    """Return a handle of the node in the document's isolated world."""
    resolved = await tab.call(
        document.session,
        "DOM.resolveNode",
        {"backendNodeId": backend_node, "executionContextId": document.context_id},
    )
    return str(resolved["object"]["objectId"])


async def node_handle(tab: Tab, document: Document, instance_id: str) -> str | None:
    """Return a handle of a published element for CDP calls; the caller releases it after use."""
    reply = await tab.call(
        document.session,
        "Runtime.evaluate",
        {"expression": sdk_call("element", instance_id), "uniqueContextId": document.unique_id},
    )
    result: dict[str, Any] = reply.get("result", {})
    return result.get("objectId") if result.get("subtype") == "node" else None


async def confirm_closed_roots(
    tab: Tab, document: Document, checked: set[str], candidates: list[str] | None = None
) -> bool:
    """Report the candidates with a closed shadow root to the page script, and return whether there are any.

    The content of a closed root is never read. Without candidates the page script searches the whole page for them,
    which is expensive and therefore done once per reading.
    """
    if candidates is None:
        candidates = msgspec.json.decode(await tab.evaluate_isolated(document, sdk_call("closedCandidates")))[
            "ids"
        ]
    unchecked = [str(candidate) for candidate in candidates if candidate not in checked][:MAX_CANDIDATES]
    checked.update(unchecked)
    closed = await asyncio.gather(*(_has_closed_root(tab, document, candidate) for candidate in unchecked))
    found = [candidate for candidate, is_closed in zip(unchecked, closed, strict=True) if is_closed]
    if found:
        await tab.evaluate_isolated(document, sdk_call("closed", found))
    return bool(found)


async def _has_closed_root(tab: Tab, document: Document, candidate: str) -> bool:
    handle = await node_handle(tab, document, candidate)
    if handle is None:
        return False
    described = await tab.call(document.session, "DOM.describeNode", {"objectId": handle, "depth": 0})
    document.session.send_and_forget("Runtime.releaseObject", {"objectId": handle})
    roots = described["node"].get("shadowRoots", [])
    return any(root.get("shadowRootType") == "closed" for root in roots)
