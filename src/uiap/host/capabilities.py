"""Answers `capabilities.list` from the document in force."""

from __future__ import annotations

from hashlib import sha256

import msgspec
from msgspec import UNSET

from uiap.host.dispatch import Call, Outcome, Reply, decline
from uiap.spec.capability import CapabilityDocument
from uiap.spec.core import CapabilitiesListedPayload, CapabilitiesListPayload


class CapabilityDesk:
    """One capability document and its revision, which changes exactly when the document does."""

    def __init__(self, document: CapabilityDocument) -> None:
        self.document = document
        self.revision = "cap_" + sha256(msgspec.json.encode(document, order="sorted")).hexdigest()[:16]

    def listed(self, call: Call) -> Outcome:
        asked: CapabilitiesListPayload = call.payload
        if asked.profile is not UNSET and asked.profile != self.document.profile:
            return decline("not_found", f"no capabilities for profile `{asked.profile}` here")
        if asked.known_revision == self.revision:
            return Reply(
                "capabilities.listed", CapabilitiesListedPayload(revision=self.revision, unchanged=True)
            )
        payload = CapabilitiesListedPayload(revision=self.revision, document=self.document)
        return Reply("capabilities.listed", payload)
