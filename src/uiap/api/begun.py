"""An action that was begun and has no result yet: its progress, its result, and a way to cancel it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from typing import Any, Protocol

from uiap.api.absent import none_for_absent
from uiap.api.action_calls import ActionCalls
from uiap.api.result import Result
from uiap.api.trace import Trace
from uiap.client.caller import Caller
from uiap.errors import UiapError
from uiap.spec.action import ActionConfirmationRequestPayload, ActionProgressPayload, ActionRequestPayload

GRACE_S = 0.7
"""How long a result may arrive after the timeout, which the session itself keeps."""


class ActionOwner(Protocol):
    """The session that runs an action."""

    async def cancel(self, handle: str, reason: str | None = None) -> None: ...

    async def trace(self, of: Result | str) -> Trace: ...


async def begin(
    caller: Caller, actions: ActionCalls, request: ActionRequestPayload, owner: ActionOwner
) -> BegunAction:
    """Send a request and return the running action."""
    early: list[Any] = []
    kinds = ("action.progress", "action.confirmation.request")
    stops = [caller.listen(kind, early.append) for kind in kinds]
    handle = await actions.begin(request)

    async def finish() -> Result:
        try:
            return Result(await actions.result(handle, request), owner.trace)
        finally:
            for stop in stops:
                stop()

    begun = BegunAction(handle, asyncio.ensure_future(finish()), owner.cancel)
    for stop in stops:
        stop()
    for event in early:
        begun.receive(event)
    stops[:] = [caller.listen(kind, begun.receive) for kind in kinds]
    return begun


class PersonNeeded(UiapError):
    """An action waits for a person. `action` has its handle, its question and its result; awaiting it continues."""

    code = "confirmation_pending"

    def __init__(self, action: BegunAction) -> None:
        handle, question = action.handle, action.question
        if question is not None:
            asked = question.preview.summary if question.preview else question.action_id
            text = f"a person has to confirm: {asked}; they answer with `ui.person.grant({handle!r})`"
        else:
            note = action.progress[-1].note if action.progress else ""
            text = f"a person has to do this: {note}; then they call `ui.person.hand_back({handle!r})`"
        super().__init__(f"{text}, or in a terminal; `await error.action` waits for the result")
        self.action = action


class BegunAction:
    """A running action. `await` it, or call `result`, for its result; `cancel` ends it.

    `progress` has the stages so far. `question` is the confirmation request, if the action waits for a person.
    """

    def __init__(
        self, handle: str, finish: asyncio.Task[Result], cancel: Callable[[str, str | None], Awaitable[None]]
    ) -> None:
        self.handle = handle
        """The handle of the action, as `ui.cancel` and `ui.trace` take it."""
        self.progress: list[ActionProgressPayload] = []
        self.question: ActionConfirmationRequestPayload | None = None
        self._finish, self._cancel = finish, cancel
        self._changed = asyncio.Event()

    @property
    def stage(self) -> str:
        """The latest stage, such as `verifying`; empty before the first."""
        return self.progress[-1].stage if self.progress else ""

    @property
    def done(self) -> bool:
        return self._finish.done()

    async def result(self, *, check: bool = True) -> Result:
        """Wait for the result.

        Args:
            check: Raise `ActionFailed` if the effect was not observed; otherwise return the result.
        """
        result = await asyncio.shield(self._finish)
        return result.check() if check else result

    async def result_within(self, timeout_ms: float) -> Result:
        """Return the result; cancel the action if it has none in time, also if it waits for a person.

        Args:
            timeout_ms: The time of the action; its result may arrive a little later.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_ms / 1000 + GRACE_S):
                return await self.result(check=False)
        await self.cancel("the timeout of the caller is over")
        return await self.result(check=False)

    async def waits_for_person(self, timeout_s: float) -> bool:
        """Wait until the action has a result or waits for a person, and return whether it waits for one.

        Args:
            timeout_s: Return False after this time.
        """
        self._finish.add_done_callback(lambda _: self._changed.set())
        try:
            async with asyncio.timeout(timeout_s):
                while not self.done and not self.is_waiting:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return not self.done

    @property
    def is_waiting(self) -> bool:
        """Whether a person has to confirm the action or to do it."""
        return not self.done and (self.question is not None or self.stage == "waiting_for_user")

    async def result_or_question(self) -> Result:
        """Return the result, or raise `PersonNeeded` as soon as the action waits for a person."""
        self._finish.add_done_callback(lambda _: self._changed.set())
        while not self.done and not self.is_waiting:
            self._changed.clear()
            await self._changed.wait()
        if not self.done:
            raise PersonNeeded(self)
        return await self.result(check=False)

    async def cancel(self, reason: str | None = None) -> None:
        """Cancel the action; its question to a person is withdrawn.

        Args:
            reason: Recorded with the result.
        """
        await self._cancel(self.handle, reason)

    def abandon(self) -> None:
        """Stop waiting for the result, because the session ends."""
        self._finish.cancel()

    def receive(self, event: ActionProgressPayload | ActionConfirmationRequestPayload) -> None:
        """Store an event of this action; others are ignored."""
        if event.action_handle != self.handle:
            return
        if isinstance(event, ActionConfirmationRequestPayload):
            self.question = none_for_absent(event)
        else:
            self.progress.append(none_for_absent(event))
            if event.stage not in ("awaiting_confirmation", "waiting_for_user"):
                self.question = None
        self._changed.set()

    def __await__(self) -> Generator[Any, None, Result]:
        return self.result().__await__()
