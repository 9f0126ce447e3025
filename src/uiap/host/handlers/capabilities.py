"""Answers `capabilities.list` with the current capability document, and announces when it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

import msgspec
from msgspec import UNSET, UnsetType

from uiap.digests import json_digest
from uiap.graph.shown_words import shown_words
from uiap.host.handlers.state import RedactionFor, observe_refusal
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.host.loop.loop import SessionConnection
from uiap.policy.origins import SessionOrigins
from uiap.spec.base import JsonObject
from uiap.spec.capability import ActionDescriptor, CapabilityDocument, RiskDescriptor
from uiap.spec.core import CapabilitiesChangedPayload, CapabilitiesListedPayload, CapabilitiesListPayload
from uiap.spec.web import ElementNode


class CapabilityHandler:
    """One capability document and its revision, which changes exactly when the document does.

    `declared` returns the actions that the application currently offers, and `elements` what its page shows. A role or
    an action that the page shows is declared, too (CAP-2.2c).
    """

    def __init__(
        self,
        document: CapabilityDocument,
        declared: Callable[[], Awaitable[tuple[ActionDescriptor, ...]]] | None = None,
        redact: RedactionFor | None = None,
        origins: Callable[[], SessionOrigins] | None = None,
        elements: Callable[[], Iterable[ElementNode]] = tuple,
    ) -> None:
        self._fixed, self._declared, self._redact, self._origins = document, declared, redact, origins
        self._elements = elements
        self._readers: dict[str, SessionConnection] = {}
        """The sessions that asked for the document."""
        self._unchecked = False
        self._announcing: asyncio.Task[None] | None = None
        self._use(document)

    def use(self, fixed: CapabilityDocument) -> None:
        """Answer with another document from now on, and announce it: a bundle was loaded or unloaded (RUN-36)."""
        self._fixed = fixed
        self.check_for_changes()

    def _use(self, document: CapabilityDocument) -> None:
        self.document = document
        self.revision = "cap_" + json_digest(document)[:16]

    def _metadata(self) -> JsonObject | UnsetType:
        """Return the metadata with the origins that the session may read and act on."""
        if self._origins is None or not (origins := self._origins()).act:
            return self._fixed.metadata
        sets: JsonObject = {
            "act": list(origins.act),
            "read": list(dict.fromkeys((*origins.act, *origins.read))),
        }
        return {**(self._fixed.metadata or {}), "origins": sets}

    async def _refresh(self) -> None:
        if self._declared is not None:
            actions = (*self._fixed.actions, *await self._declared())
            shown = shown_words(self._elements())
            unknown = sorted(shown.actions - {one.id for one in actions})
            document = msgspec.structs.replace(
                self._fixed,
                roles=(*self._fixed.roles, *sorted(shown.roles - {*self._fixed.roles})),
                actions=(*actions, *(_named_action(id) for id in unknown)),
                metadata=self._metadata(),
            )
            self._use(document)

    # -- changes --------------------------------------------------------------------------------------------

    def check_elements(self, elements: Iterable[ElementNode]) -> None:
        """Announce a change if an element has a role or an action that the capability document does not list yet."""
        if not self._readers:
            return
        shown = shown_words(elements)
        if shown.roles - {*self.document.roles} or shown.actions - {one.id for one in self.document.actions}:
            self.check_for_changes()

    def check_for_changes(self) -> None:
        """Announce a changed document to the sessions that read it."""
        self._unchecked = True
        if self._readers and (self._announcing is None or self._announcing.done()):
            self._announcing = asyncio.create_task(self._check())

    async def _check(self) -> None:
        while self._unchecked:  # something may change while the page is asked
            self._unchecked = False
            await self._announce_changes()

    async def _announce_changes(self) -> None:
        revision, before = self.revision, {one.id for one in self.document.actions}
        await self._refresh()
        if self.revision == revision:
            return
        now = {one.id for one in self.document.actions}
        changed = CapabilitiesChangedPayload(
            revision=self.revision,
            added_actions=tuple(sorted(now - before)) or UNSET,
            removed_actions=tuple(sorted(before - now)) or UNSET,
        )
        for reader in self._readers.values():
            reader.publish("capabilities.changed", changed)

    def end_session(self, connection: SessionConnection) -> None:
        self._readers.pop(connection.id, None)

    async def settle(self) -> None:
        """End a check that is under way."""
        if self._announcing is not None:
            self._announcing.cancel()
            await asyncio.gather(self._announcing, return_exceptions=True)

    async def list(self, call: Call) -> Outcome:
        request: CapabilitiesListPayload = call.payload
        if (
            self._redact is not None
            and (refused := observe_refusal(self._redact(call.connection))) is not None
        ):
            return refused  # CAP-SEC.1: only callers who may observe get capabilities
        self._readers[call.connection.id] = call.connection
        await self._refresh()
        if request.profile is not UNSET and request.profile != self.document.profile:
            return decline(
                "not_found", f"no capabilities for profile `{request.profile}`; use `{self.document.profile}`"
            )
        if request.known_revision == self.revision:
            return Reply(
                "capabilities.listed", CapabilitiesListedPayload(revision=self.revision, unchanged=True)
            )
        payload = CapabilitiesListedPayload(revision=self.revision, document=self.document)
        return Reply("capabilities.listed", payload)


def _named_action(id: str) -> ActionDescriptor:
    """Return the descriptor of an action that a page names at an element. Nothing carries it out, so it has no mode."""
    return ActionDescriptor(
        id=id,
        kind="domain",
        target_kinds=("element",),
        execution_modes=(),
        risk=RiskDescriptor(level="confirm"),
        metadata={"source": "page", "pageSupplied": ["id"]},
    )
