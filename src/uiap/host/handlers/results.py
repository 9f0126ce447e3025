"""x.uiap.tools.result: the result of an action by its handle, also after the session that requested it has ended."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from msgspec import UNSET

from uiap.host.handlers.actions import ActionHandler
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.spec.action import ActionResultPayload
from uiap.spec.tools import ToolsResultedPayload, ToolsResultPayload

MAX_KEPT = 200


class ResultHandler:
    """Waits for results. An action that a caller keeps is found here until many others were kept after it."""

    def __init__(self, actions: ActionHandler) -> None:
        self._actions = actions
        self._kept: OrderedDict[str, asyncio.Future[ActionResultPayload]] = OrderedDict()

    async def result(self, call: Call) -> Outcome:
        request: ToolsResultPayload = call.payload
        handle = (
            request.action_handle if request.action_handle is not UNSET else next(reversed(self._kept), "")
        )
        running = self._actions.running(handle)
        done = self._kept.get(handle) or (running.done if running is not None else None)
        if done is None:
            return decline(
                "not_found", "no such action waits or was kept here; list the latest with their traces"
            )
        if request.keep is True and running is not None:
            self._keep(handle, done)
            running.kept = True
        timeout_ms = 0 if request.timeout_ms is UNSET else request.timeout_ms
        await asyncio.wait({done}, timeout=timeout_ms / 1000)
        if done.done():
            return Reply(
                "x.uiap.tools.resulted", ToolsResultedPayload(action_handle=handle, result=done.result())
            )
        stage = running.stage if running is not None else UNSET
        return Reply("x.uiap.tools.resulted", ToolsResultedPayload(action_handle=handle, stage=stage))

    def _keep(self, handle: str, done: asyncio.Future[ActionResultPayload]) -> None:
        self._kept[handle] = done
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
