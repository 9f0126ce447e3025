"""x.uiap.tools: outline, find, capture, evaluate and pending confirmations of a page."""

from __future__ import annotations

from base64 import b64encode
from contextlib import suppress
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from uiap.drivers.errors import DriverError, NotSupported
from uiap.graph.outline import token_count
from uiap.graph.query import Match, find
from uiap.graph.store import GraphStore
from uiap.host.consent.principals import effective_principal
from uiap.host.handlers.actions import ActionHandler
from uiap.host.handlers.outline_cache import OutlineCache
from uiap.host.handlers.scroll_search import ScrollSearch
from uiap.host.handlers.state import observe_refusal
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.host.observation.page import Page, TabView
from uiap.spec.tools import (
    FoundElement,
    PendingConfirmation,
    Scrolled,
    ToolsCapturedPayload,
    ToolsCapturePayload,
    ToolsEvaluatedPayload,
    ToolsEvaluatePayload,
    ToolsFindPayload,
    ToolsFoundPayload,
    ToolsOutlinedPayload,
    ToolsOutlinePayload,
    ToolsPendingListedPayload,
)


class ToolHandler:
    """Answers tool requests for one page."""

    def __init__(self, page: Page, actions: ActionHandler) -> None:
        self._page, self._actions = page, actions
        self._scroll_search = ScrollSearch(page, actions)
        self._outlines = OutlineCache()
        self._corrections_sent: dict[tuple[str, str], int] = {}
        """How many corrections of each tab each caller has got with an outline."""

    async def outline(self, call: Call) -> Outcome:
        request: ToolsOutlinePayload = call.payload
        tab = await self._page.read_active_tab()
        redaction = self._actions.redaction(call.connection)
        if (refused := observe_refusal(redaction)) is not None:
            return refused
        tab.mark_reported()
        corrections = self._new_corrections(_caller(call), tab)

        def read() -> ToolsOutlinedPayload:
            text = self._outlines.text(tab.id, tab.store, redaction, request)
            if corrections:
                text = redaction.text_mask.mask_text("\n".join([*corrections, text]))
            return ToolsOutlinedPayload(text=text, revision=tab.store.revision, tokens=token_count(text))

        return Reply("x.uiap.tools.outlined", await self._page.apart(read), masked=True)

    def _new_corrections(self, caller: str, tab: TabView) -> list[str]:
        """Return the corrections of earlier results that this caller has not got yet, a line each."""
        sent = self._corrections_sent.get((caller, tab.id), 0)
        self._corrections_sent[caller, tab.id] = len(tab.corrections)
        return [
            f"correction: {one['actionId']} {one['actionHandle']}: {one['message']}"
            for one in tab.corrections[sent:]
        ]

    async def find(self, call: Call) -> Outcome:
        request: ToolsFindPayload = call.payload
        tab = await self._page.read_active_tab()
        redaction = self._actions.redaction(call.connection)
        if (refused := observe_refusal(redaction)) is not None:
            return refused
        scrolled: Scrolled | UnsetType = UNSET

        def search() -> list[Match]:
            return _matches(redaction.masked_view(tab.store), request)

        if request.scroll is True and not _is_certain(await self._page.apart(search)):
            principal = call.connection.session.principal
            scrolled = await self._scroll_search.search(tab, lambda: _is_certain(search()), principal)
        tab.mark_reported()
        matches = await self._page.apart(search)
        found = tuple(
            FoundElement(
                element=m.element, confidence=m.confidence, reason=m.reason, record=m.record or UNSET
            )
            for m in matches
        )
        return Reply(
            "x.uiap.tools.found",
            ToolsFoundPayload(revision=tab.store.revision, matches=found, scrolled=scrolled),
        )

    async def pending(self, call: Call) -> Outcome:
        """List what waits for a person. Only a person's channel gets the positions of the targets."""
        details = self._actions.pending_details
        principal = call.connection.session.principal
        if principal is not None and principal.type == "user":
            details = tuple([await self._with_position(one) for one in details])
        payload = ToolsPendingListedPayload(
            confirmations=self._actions.pending,
            details=details,
            handoffs=self._actions.handoffs,
        )
        return Reply("x.uiap.tools.pending.listed", payload)

    async def _with_position(self, one: PendingConfirmation) -> PendingConfirmation:
        preview = one.request.preview
        if preview is UNSET or preview.target is UNSET:
            return one
        node = preview.target.instance_id
        with suppress(DriverError):
            facts = (await self._page.driver.probe([node])).get(node)
            if facts is not None and facts.bbox is not None:
                viewport = self._page.tab_of(node).store.viewport
                return msgspec.structs.replace(one, box=facts.bbox, viewport=viewport)
        return one

    async def capture(self, call: Call) -> Outcome:
        request: ToolsCapturePayload = call.payload
        redaction = self._actions.redaction(call.connection)
        if (refused := observe_refusal(redaction)) is not None:
            return refused
        store = self._page.live_tab().store
        hidden = await self._page.apart(lambda: redaction.elements_to_cover(store))
        kind: Literal["annotated", "screenshot", "pdf"] = (
            "pdf" if request.format == "pdf" else "annotated" if request.annotated is True else "screenshot"
        )
        try:
            shot = await self._page.driver.evidence(kind, hide=hidden)
        except NotSupported as error:
            return decline("invalid_state", error.message)
        payload = ToolsCapturedPayload(media_type=shot.media_type, data=b64encode(shot.data).decode())
        # private elements are covered in the picture
        return Reply("x.uiap.tools.captured", payload, masked=True)

    async def evaluate(self, call: Call) -> Outcome:
        """Evaluate a script expression. Only a person may do this, never an agent."""
        request: ToolsEvaluatePayload = call.payload
        principal = effective_principal(call.connection.session.principal, self._actions.rules)
        if principal.type != "user":
            return decline("forbidden", "only a person may evaluate scripts; use observe, find and act")
        try:
            value = await self._page.driver.evaluate(request.expression)
        except DriverError as error:
            return decline("internal_error", error.message)
        return Reply("x.uiap.tools.evaluated", ToolsEvaluatedPayload(value=value))


CERTAIN_CONFIDENCE = 0.9
"""A match below this confidence does not end a scroll search."""


def _caller(call: Call) -> str:
    """Return who asks. A shell opens a connection per command, so its commands are known by their principal."""
    principal = call.connection.session.principal
    return call.connection.id if principal is None else f"{principal.type} {principal.id}"


def _matches(store: GraphStore, request: ToolsFindPayload) -> list[Match]:
    return find(
        store,
        request.text,
        role=request.role or None,
        scope=request.scope or None,
        near=request.near or None,
        limit=request.limit or 10,
    )


def _is_certain(matches: list[Match]) -> bool:
    return bool(matches) and matches[0].confidence >= CERTAIN_CONFIDENCE
