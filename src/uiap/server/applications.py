"""Applications that sessions of a server may have instead of a browser: only those named when it was started."""

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
"""The member of a session's metadata that asks for one."""


@dataclass(frozen=True)
class AllowedApplications:
    allowed: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict)

    def support(self, web: Support) -> Support:
        """With the profiles that allowed applications have."""
        more = {
            kind.profile
            for scheme, kind in APPLICATION_KINDS.items()
            if any(a.startswith(scheme) for a in self.allowed)
        }
        return Support(
            versions=web.versions, profiles=(*web.profiles, *sorted(more)), extensions=web.extensions
        )

    def refusal(self, request: SessionInitializePayload) -> ErrorPayload | None:
        """Why a session cannot have what it asks for; None if it can."""
        asked = _requested_application({} if request.metadata is UNSET else request.metadata)
        if asked is None:
            return None
        try:
            check_allowed(asked, self.allowed)
        except Forbidden as error:
            return ErrorPayload(code="forbidden", message=error.message)
        return None

    async def opened(self, metadata: Mapping[str, Any]) -> Driver | None:
        """The application that a session asked for when it came; None if it wants a browser."""
        asked = _requested_application(metadata)
        if asked is None:
            return None
        return await open_application(check_allowed(asked, self.allowed), environ=self.environ)


def _requested_application(metadata: Mapping[str, Any]) -> str | None:
    asked = metadata.get(APPLICATION_MEMBER)
    return asked if isinstance(asked, str) and is_application(asked) else None
