"""Action requests of one session: sends each, and waits for its one result."""

from __future__ import annotations

import asyncio

from msgspec import UNSET

from uiap.client.caller import Caller
from uiap.errors import Timeout
from uiap.spec.action import ActionAcceptedPayload, ActionRequestPayload, ActionResultPayload
from uiap.timeouts import ACTION_MS, CONFIRMATION_S, REPLY_S


class ActionCalls:
    """Matches results with requests. A result may arrive before the reply to its request was read."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._results: dict[str, asyncio.Future[ActionResultPayload]] = {}
        self._early_results: dict[str, ActionResultPayload] = {}
        caller.listen("action.result", self._receive_result)

    async def run(self, request: ActionRequestPayload) -> ActionResultPayload:
        """Send the request and return its result."""
        return await self.result(await self.begin(request), request)

    async def begin(self, request: ActionRequestPayload) -> str:
        """Send the request and return the handle of the action."""
        accepted = await self._caller.call("action.request", request, ActionAcceptedPayload)
        handle = accepted.action_handle
        future = self._results.setdefault(handle, asyncio.get_running_loop().create_future())
        early = self._early_results.pop(handle, None)
        if early is not None and not future.done():
            future.set_result(early)
        return handle

    async def result(self, handle: str, request: ActionRequestPayload) -> ActionResultPayload:
        """Wait for the result of an action that was begun here."""
        action_ms = ACTION_MS if request.timeout_ms is UNSET else request.timeout_ms
        limit_s = action_ms / 1000 + CONFIRMATION_S + REPLY_S
        try:
            async with asyncio.timeout(limit_s):
                return await asyncio.shield(self._results[handle])
        except TimeoutError:
            raise Timeout(
                f"no result for `{handle}` within {limit_s:g} s; read its trace with `ui.trace`"
            ) from None
        finally:
            self._results.pop(handle, None)

    def _receive_result(self, result: ActionResultPayload) -> None:
        future = self._results.get(result.action_handle)
        if future is None:
            self._early_results[result.action_handle] = result
        elif not future.done():
            future.set_result(result)
