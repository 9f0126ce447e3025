"""The methods of a session about people: questions that wait for one, their answers, and cancelling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from msgspec import UNSET

from uiap.api.absent import none_for_absent
from uiap.client.caller import Caller
from uiap.spec import tools
from uiap.spec.action import (
    ActionCancelledPayload,
    ActionCancelPayload,
    ActionConfirmationDenyPayload,
    ActionConfirmationGrantPayload,
    ActionConfirmationRequestPayload,
)
from uiap.spec.base import Struct
from uiap.timeouts import REPLY_S

T = TypeVar("T", bound=Struct)


class UiAnswers:
    """The part of `Ui` that lists and answers the questions to a person."""

    _caller: Caller

    async def pending(self) -> tuple[ActionConfirmationRequestPayload, ...]:
        """Return the confirmation requests that wait for a person."""
        payload = tools.ToolsPendingPayload()
        reply = await self._call("x.uiap.tools.pending.list", payload, tools.ToolsPendingListedPayload)
        return reply.confirmations

    def on_confirmation(self, ask: Callable[[Any], None]) -> Callable[[], None]:
        """Call `ask` with each confirmation request; call the returned function to stop."""
        return self._listen("action.confirmation.request", ask)

    async def grant(self, handle: str, *, remember: Literal["session"] | None = None) -> None:
        """Grant a confirmation request, as the person of this session.

        Args:
            handle: The handle of the action that waits.
            remember: With `session`, later questions of the same kind are granted until the session ends: the same
                origin, verb, scope, target and risk. `PendingConfirmation.kind` says it in words.
        """
        if remember is not None:
            wanted = tools.ToolsPendingGrantPayload(action_handle=handle, token="", remember=remember)
            await self._caller.call("x.uiap.tools.pending.grant", wanted, tools.ToolsPendingGrantedPayload)
            return
        payload = ActionConfirmationGrantPayload(action_handle=handle)
        await self._caller.send("action.confirmation.grant", payload)

    async def hand_back(self, handle: str, *, done: bool = True) -> None:
        """Report, as the person, that a handed over step is done or declined."""
        payload = tools.ToolsHandoffEndPayload(action_handle=handle, outcome="done" if done else "declined")
        await self._caller.call("x.uiap.tools.handoff.end", payload, tools.ToolsHandoffEndedPayload)

    async def waiting(self) -> tools.ToolsPendingListedPayload:
        """Return everything that waits for a person: confirmation requests with their terms, and handed over steps."""
        payload = tools.ToolsPendingPayload()
        return await self._call("x.uiap.tools.pending.list", payload, tools.ToolsPendingListedPayload)

    async def result(
        self, handle: str | None = None, *, timeout_ms: float | None = None, keep: bool = False
    ) -> tools.ToolsResultedPayload:
        """Return the result of an action, or the stage it is in.

        Args:
            handle: The action; without it, the last one that was kept.
            timeout_ms: Wait at most this long for the result; without it, do not wait.
            keep: Let the action continue after this session has ended.
        """
        payload = tools.ToolsResultPayload(
            action_handle=handle or UNSET,
            timeout_ms=UNSET if timeout_ms is None else timeout_ms,
            keep=keep or UNSET,
        )
        limit_s = (timeout_ms or 0.0) / 1000 + REPLY_S
        return await self._call("x.uiap.tools.result", payload, tools.ToolsResultedPayload, timeout=limit_s)

    async def deny(self, handle: str, reason: str | None = None) -> None:
        """Deny a confirmation request, as the person of this session."""
        payload = ActionConfirmationDenyPayload(action_handle=handle, reason=reason or UNSET)
        await self._caller.send("action.confirmation.deny", payload)

    async def cancel(self, handle: str, reason: str | None = None) -> None:
        """Cancel a running action; its result still arrives and reports what may have happened."""
        payload = ActionCancelPayload(action_handle=handle, reason=reason or UNSET)
        await self._caller.call("action.cancel", payload, ActionCancelledPayload)

    def _listen(self, type: str, receive: Callable[[Any], None]) -> Callable[[], None]:
        return self._caller.listen(type, lambda payload: receive(none_for_absent(payload)))

    async def _call(self, type: str, payload: Struct, reply: type[T], *, timeout: float = REPLY_S) -> T:
        """Send a request and return its reply, with None for absent members."""
        return none_for_absent(await self._caller.call(type, payload, reply, timeout=timeout))
