"""What an action came to, for people: the wire's result with the names Python uses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.api.display import result_html
from uiap.api.trace import Trace
from uiap.errors import RuntimeFault, UiapError
from uiap.spec.action import (
    ActionResultPayload,
    ActionStatus,
    ResolvedTarget,
    RuntimeErrorDescriptor,
    SideEffectState,
    VerificationOutcome,
)

Fetch = Callable[[str], Awaitable[Trace]]


class Result:
    """True in a condition only if the effect was observed."""

    def __init__(self, payload: ActionResultPayload, fetch: Fetch | None = None) -> None:
        self.payload, self._fetch = payload, fetch

    async def trace(self) -> Trace:
        """What it caused: requests, console lines, signals, stages; asked of the session that ran it."""
        if self._fetch is None:
            raise UiapError(
                "this result was not made by an open session, so nobody can be asked for its trace"
            )
        return await self._fetch(self.payload.action_handle)

    @property
    def status(self) -> ActionStatus:
        return self.payload.status

    @property
    def verification(self) -> VerificationOutcome:
        return self.payload.verification

    @property
    def side_effect_state(self) -> SideEffectState | None:
        state = self.payload.side_effect_state
        return None if state is UNSET else state

    @property
    def error(self) -> RuntimeErrorDescriptor | None:
        return None if self.payload.error is UNSET else self.payload.error

    @property
    def target(self) -> ResolvedTarget | None:
        return None if self.payload.resolved_target is UNSET else self.payload.resolved_target

    @property
    def return_value(self) -> dict[str, Any]:
        return {} if self.payload.return_value is UNSET else self.payload.return_value

    @property
    def revision(self) -> str | None:
        return None if self.payload.state_revision is UNSET else self.payload.state_revision

    @property
    def metadata(self) -> dict[str, Any]:
        return {} if self.payload.metadata is UNSET else self.payload.metadata

    @property
    def ok(self) -> bool:
        return self.status == "succeeded"

    def __bool__(self) -> bool:
        return self.ok

    def check(self) -> Result:
        """This result, or the failure raised as what it is."""
        if self.ok:
            return self
        error = self.error
        code, message = (error.code, error.message) if error else ("internal_runtime_error", self.status)
        detail = None if error is None or error.detail is UNSET else error.detail
        raise RuntimeFault(code, message, detail=detail)

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self.payload))
        return plain

    def _repr_html_(self) -> str:
        return result_html(self)

    def __repr__(self) -> str:
        what = f"{self.payload.action_id} {self.status}"
        if self.ok:
            return f"<Result {what}: {self.metadata.get('evidence', self.metadata.get('outcome', 'read'))}>"
        return (
            f"<Result {what}: {self.error.code if self.error else ''}, side effect {self.side_effect_state}>"
        )
