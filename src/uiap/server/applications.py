"""Applications that sessions may open instead of a browser: only those named when the server was started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from uiap.drivers.address import APPLICATION_KINDS, check_allowed, is_application, open_application
from uiap.drivers.driver import Driver
from uiap.errors import Forbidden
from uiap.protocol.negotiation import Support
from uiap.spec.core import ErrorPayload, SessionInitializePayload

APPLICATION_MEMBER = "application"
"""The member of the session metadata that asks for an application."""


@dataclass(frozen=True)
class AllowedApplications:
    """Checks and opens the applications that a server allows."""

    allowed: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict)

    def support(self, web: Support) -> Support:
        """Return the support of the browser, with the profiles of the allowed applications added."""
        added = {
            kind.profile
            for scheme, kind in APPLICATION_KINDS.items()
            if any(a.startswith(scheme) for a in self.allowed)
        }
        return Support(
            versions=web.versions, profiles=(*web.profiles, *sorted(added)), extensions=web.extensions
        )

    def refusal(self, request: SessionInitializePayload) -> ErrorPayload | None:
        """Return an error if the session asks for an application that is not allowed, else None."""
        requested = _requested_application({} if request.metadata is UNSET else request.metadata)
        if requested is None:
            return None
        try:
            check_allowed(requested, self.allowed)
        except Forbidden as error:
            return ErrorPayload(code="forbidden", message=error.message)
        return None

    async def open(self, metadata: Mapping[str, Any]) -> Driver | None:
        """Open the application that the session metadata asks for; return None if it wants a browser."""
        requested = _requested_application(metadata)
        if requested is None:
            return None
        return await open_application(check_allowed(requested, self.allowed), environ=self.environ)


def _requested_application(metadata: Mapping[str, Any]) -> str | None:
    requested = metadata.get(APPLICATION_MEMBER)
    return requested if isinstance(requested, str) and is_application(requested) else None
