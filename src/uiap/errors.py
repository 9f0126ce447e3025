"""The exceptions of the package: one class per wire code, so that a caller can catch a code by its class.

UiapError
├── CoreFault                 one subclass per CoreErrorCode
├── RuntimeFault              carries one of the 15 RuntimeErrorCodes (ACT-6.4)
├── TransportClosed           the connection to the peer ended
└── Unavailable               something on this machine is missing; the message says what to do next

Expected outcomes are values (`Refusal`, `action.result`). An exception is a violated contract, or an `error` envelope
that the agent received.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class UiapError(Exception):
    """The base of all exceptions that this package raises."""

    code: str = "internal_error"
    retryable: bool = False

    def __init__(self, message: str, *, detail: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.detail: dict[str, Any] = dict(detail or {})


class CoreFault(UiapError):
    """An `error` envelope with a core code."""

    by_code: ClassVar[dict[str, type[CoreFault]]] = {}

    def __init_subclass__(cls) -> None:
        CoreFault.by_code[cls.code] = cls


class InvalidEnvelope(CoreFault):
    code = "invalid_envelope"


class InvalidPayload(CoreFault):
    code = "invalid_payload"


class UnsupportedVersion(CoreFault):
    code = "unsupported_version"


class UnsupportedProfile(CoreFault):
    code = "unsupported_profile"


class UnsupportedExtension(CoreFault):
    code = "unsupported_extension"


class RequiredExtensionUnavailable(CoreFault):
    code = "required_extension_unavailable"


class UnsupportedType(CoreFault):
    code = "unsupported_type"


class SessionRequired(CoreFault):
    code = "session_required"


class SessionNotFound(CoreFault):
    code = "session_not_found"


class SessionNotActive(CoreFault):
    code = "session_not_active"


class InvalidState(CoreFault):
    code = "invalid_state"


class DuplicateMessage(CoreFault):
    code = "duplicate_message"


class Unauthorized(CoreFault):
    code = "unauthorized"


class Forbidden(CoreFault):
    code = "forbidden"


class PolicyDenied(CoreFault):
    code = "policy_denied"


class NotFound(CoreFault):
    code = "not_found"


class Conflict(CoreFault):
    code = "conflict"
    retryable = True


class StaleRevision(CoreFault):
    code = "stale_revision"
    retryable = True


class RateLimited(CoreFault):
    code = "rate_limited"
    retryable = True


class PayloadTooLarge(CoreFault):
    code = "payload_too_large"


class Timeout(CoreFault):
    code = "timeout"
    retryable = True


class Busy(CoreFault):
    code = "busy"
    retryable = True


class InternalError(CoreFault):
    code = "internal_error"


class RuntimeFault(UiapError):
    """A runtime error code raised before acceptance, or unwrapped from a failed result."""

    def __init__(self, code: str, message: str, *, detail: Mapping[str, Any] | None = None) -> None:
        super().__init__(message, detail=detail)
        self.code = code


class TransportClosed(UiapError):
    """The connection ended. `close_code` is that of the WebSocket binding."""

    def __init__(self, reason: str = "the connection is closed", *, close_code: int = 1006) -> None:
        super().__init__(reason)
        self.close_code = close_code


class Unavailable(UiapError):
    """Something is missing on this machine, such as a browser, an extra or a free port. The message says what to do."""


def fault(code: str, message: str, *, detail: Mapping[str, Any] | None = None) -> UiapError:
    """Return the exception for a code of an `error` envelope. An unknown code becomes a `RuntimeFault`."""
    known = CoreFault.by_code.get(code)
    if known is not None:
        return known(message, detail=detail)
    return RuntimeFault(code, message, detail=detail)
