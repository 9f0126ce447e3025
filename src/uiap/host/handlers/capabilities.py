"""Answers `capabilities.list` with the current capability document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec
from msgspec import UNSET

from uiap.digests import json_digest
from uiap.host.handlers.state import RedactionFor, observe_refusal
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.spec.capability import ActionDescriptor, CapabilityDocument
from uiap.spec.core import CapabilitiesListedPayload, CapabilitiesListPayload


class CapabilityHandler:
    """One capability document and its revision, which changes exactly when the document does.

    `declared` returns the actions that the application currently offers.
    """

    def __init__(
        self,
        document: CapabilityDocument,
        declared: Callable[[], Awaitable[tuple[ActionDescriptor, ...]]] | None = None,
        redact: RedactionFor | None = None,
    ) -> None:
        self._fixed, self._declared, self._redact = document, declared, redact
        self._use(document)

    def _use(self, document: CapabilityDocument) -> None:
        self.document = document
        self.revision = "cap_" + json_digest(document)[:16]

    async def list(self, call: Call) -> Outcome:
        request: CapabilitiesListPayload = call.payload
        if (
            self._redact is not None
            and (refused := observe_refusal(self._redact(call.connection))) is not None
        ):
            return refused  # CAP-SEC.1: only callers who may observe get capabilities
        if self._declared is not None:
            actions = (*self._fixed.actions, *await self._declared())
            self._use(msgspec.structs.replace(self._fixed, actions=actions))
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
