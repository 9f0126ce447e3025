"""Runs actions for a session inside the host, through the same dispatch table as the session's own messages.

Policy, confirmation and audit therefore apply unchanged. Replies and events of such an action stay in the host; the
session's peer does not receive them.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.errors import fault
from uiap.host.loop.dispatch import Call, Handlers, Outcome, Reply
from uiap.host.loop.loop import SessionConnection
from uiap.ids import IdMaker, new_seed
from uiap.spec.action import (
    ActionAcceptedPayload,
    ActionConfirmationDenyPayload,
    ActionConfirmationRequestPayload,
    ActionRequestPayload,
    ActionResultPayload,
)
from uiap.spec.core import ErrorPayload, ParticipantRef


class InternalSession(SessionConnection):
    """A connection of the owner's session that receives its replies and events in this process."""

    source_id = "uiap.discovery"

    def __init__(self, owner: SessionConnection, handlers: Callable[[], Handlers]) -> None:
        super().__init__(owner.host_loop, owner.session, owner.link)
        self._handlers = handlers
        self._ids = IdMaker(new_seed())
        self._replies: dict[str, Outcome] = {}
        self._results: dict[str, asyncio.Future[ActionResultPayload]] = {}
        self.refusal = "no person can confirm an action of an exploration"

    def publish(self, type: str, payload: msgspec.Struct) -> None:
        if isinstance(payload, ActionResultPayload):
            result = self._result(payload.action_handle)
            if not result.done():
                result.set_result(payload)
        elif isinstance(payload, ActionConfirmationRequestPayload):
            denied = ActionConfirmationDenyPayload(action_handle=payload.action_handle, reason=self.refusal)
            asyncio.get_running_loop().call_soon(self._deny, denied)

    def answer(self, request_id: str, outcome: Outcome) -> None:
        self._replies[request_id] = outcome

    async def run_action(self, request: ActionRequestPayload) -> ActionResultPayload:
        """Request an action and return its result. Raise the refusal if the request is not accepted."""
        outcome = await self._dispatch("action.request", request)
        if isinstance(outcome, ErrorPayload):
            detail = None if outcome.detail is UNSET else outcome.detail
            raise fault(outcome.code, outcome.message, detail=detail)
        assert isinstance(outcome, Reply) and isinstance(outcome.payload, ActionAcceptedPayload)
        handle = outcome.payload.action_handle
        try:
            return await self._result(handle)
        finally:
            self._results.pop(handle, None)

    async def _dispatch(self, type: str, payload: Any) -> Outcome:
        id = self._ids.next("internal")
        source = ParticipantRef(role="bridge", id=self.source_id)
        outcome = self._handlers()[type](Call(self, id, "request", type, payload, source))
        if inspect.isawaitable(outcome):
            outcome = await outcome
        return outcome if outcome is not None else self._replies.pop(id, None)

    def _deny(self, payload: ActionConfirmationDenyPayload) -> None:
        source = ParticipantRef(role="bridge", id=self.source_id)
        call = Call(self, self._ids.next("internal"), "event", "action.confirmation.deny", payload, source)
        self._handlers()["action.confirmation.deny"](call)

    def _result(self, handle: str) -> asyncio.Future[ActionResultPayload]:
        return self._results.setdefault(handle, asyncio.get_running_loop().create_future())
