"""The result of an action."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from uiap.api.absent import none_for_absent
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


class ActionFailed(RuntimeFault):
    """An action whose effect was not observed, or that was refused. `result` is the whole result."""

    def __init__(self, result: Result) -> None:
        error = result.error
        code, message = (error.code, error.message) if error else ("internal_runtime_error", result.status)
        detail = (error.detail or None) if error else None
        super().__init__(code, f"{result.reason}: {message}", detail=detail)
        self.result = result


class Result:
    """The result of an action; true in a condition only if the effect was observed.

    `payload` is the result message as the protocol has it.
    """

    def __init__(self, payload: ActionResultPayload, fetch: Fetch | None = None) -> None:
        self.payload, self._fetch = payload, fetch

    async def trace(self) -> Trace:
        """Return the requests, console lines, signals and stages of the action, from the session that ran it."""
        if self._fetch is None:
            raise UiapError(
                "this result has no open session to read its trace from; use a result of `ui.act`"
            )
        original = self.metadata.get("originalHandle") if self.replayed else None
        return await self._fetch(str(original or self.payload.action_handle))

    @property
    def status(self) -> ActionStatus:
        return self.payload.status

    @property
    def verification(self) -> VerificationOutcome:
        return none_for_absent(self.payload.verification)

    @property
    def side_effect_state(self) -> SideEffectState | None:
        return self.payload.side_effect_state or None

    @property
    def error(self) -> RuntimeErrorDescriptor | None:
        return none_for_absent(self.payload.error) or None

    @property
    def reason(self) -> str:
        """Why it failed in one word: the code of the error, or `policy_denied`; empty after a success."""
        error = self.error
        if error is None:
            return "" if self.ok else self.status
        return "policy_denied" if (error.detail or {}).get("reason") == "policy_denied" else error.code

    @property
    def target(self) -> ResolvedTarget | None:
        return none_for_absent(self.payload.resolved_target) or None

    @property
    def return_value(self) -> dict[str, Any]:
        return self.payload.return_value or {}

    @property
    def revision(self) -> str | None:
        return self.payload.state_revision or None

    @property
    def metadata(self) -> dict[str, Any]:
        return self.payload.metadata or {}

    @property
    def replayed(self) -> bool:
        """Whether this is the result of an earlier request with the same key; then nothing was done now."""
        return self.metadata.get("replayed") is True

    @property
    def judgement(self) -> dict[str, Any]:
        """The answers to the three questions of success: `ownState`, `cause` and `ending`.

        Each has `holds` and `evidence`. It is empty if nothing was done.
        """
        return dict(self.metadata.get("judgement", {}))

    @property
    def settled(self) -> bool:
        """False if some work of the action had not ended when the result was given; `pending` names it."""
        return self.metadata.get("settled", True) is not False

    @property
    def pending(self) -> list[str]:
        """The work of the action that had not ended, in words."""
        return list(self.metadata.get("pending", ()))

    @property
    def ok(self) -> bool:
        return self.status == "succeeded"

    def __bool__(self) -> bool:
        return self.ok

    def check(self) -> Result:
        """Return this result, or raise `ActionFailed`."""
        if self.ok:
            return self
        raise ActionFailed(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as the protocol's JSON has it."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self.payload))
        return plain

    def _repr_html_(self) -> str:
        return result_html(self)

    def __repr__(self) -> str:
        again = ", replayed (nothing was done now)" if self.replayed else ""
        action = f"{self.payload.action_id} {self.status}{again}"
        if self.ok:
            return f"<Result {action}: {self.metadata.get('evidence', self.metadata.get('outcome', 'read'))}>"
        return f"<Result {action}: {self.reason}, side effect {self.side_effect_state}>"
