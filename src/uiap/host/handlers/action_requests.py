"""Takes requests for actions: finds what carries each out, accepts it, and fills in its fields first.

An action of the bundle that presses an element may name fields for its arguments. They are filled in by actions of
their own, each decided on and verified, before the element is pressed.
"""

from __future__ import annotations

import asyncio

import msgspec
from msgspec import UNSET

from uiap.actions.invoke import DeclaredAction
from uiap.errors import UiapError
from uiap.host.bundles.requests import IncompleteRequest, RequestCompletion
from uiap.host.execution.app_actions import DeclaredRequest
from uiap.host.execution.running import ReplayedAction, RunningAction, Send
from uiap.host.handlers.actions import ActionHandler
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.runtime import events as when
from uiap.runtime.outcome import Failure
from uiap.spec.action import (
    ActionAcceptedPayload,
    ActionCancelledPayload,
    ActionCancelPayload,
    ActionConfirmationRequestPayload,
    ActionRequestPayload,
    ActionResultPayload,
)
from uiap.spec.core import ErrorPayload


class ActionRequestHandler:
    """Handles `action.request` and `action.cancel` of one page."""

    def __init__(self, actions: ActionHandler, completion: RequestCompletion | None = None) -> None:
        self._actions, self._completion = actions, completion or RequestCompletion()
        self._tasks: set[asyncio.Task[None]] = set()

    async def requested(self, call: Call) -> Outcome:
        """Handle `action.request`: accept it once that is durable, or refuse it before anything happens (ACT-5.1a)."""
        found = await self._resolve(call.payload)
        if isinstance(found, ErrorPayload):
            return found
        connection, request = call.connection, found.request
        send = self._actions.masked_sender(connection)
        principal = connection.session.principal
        taken = await self._actions.accept(
            request, send, connection.id, principal=principal, declared=found.declared
        )
        if isinstance(taken, ErrorPayload):
            return taken
        accepted = ActionAcceptedPayload(
            action_handle=taken.handle, action_id=request.action_id, status="accepted"
        )
        connection.answer(call.id, Reply("action.accepted", accepted))
        self._start(taken, found, call, send)
        return None

    async def _resolve(self, request: ActionRequestPayload) -> DeclaredRequest | ErrorPayload:
        """Return the request as the runtime carries it out: by an address, or by the function of an element."""
        apps = self._actions.app_actions
        store = self._actions.page.tab_for(request.action_id).store
        if request.action_id == "nav.navigate":
            try:
                return await apps.resolve(self._completion.navigation(store, request))
            except IncompleteRequest as error:
                return decline("action_unsupported", str(error))
        if request.action_id == "ui.activate" and apps.replaces_presses:
            id = self._completion.default_action(store, request)
            declared = None if id is None else await apps.replacement(id)
            if declared is not None:
                return DeclaredRequest(_invocation(request, declared), declared)
        return await apps.resolve(request)

    def _start(
        self, taken: RunningAction | ReplayedAction, found: DeclaredRequest, call: Call, send: Send
    ) -> None:
        if isinstance(taken, RunningAction):
            taken.owner = call.connection
        if isinstance(taken, ReplayedAction) or not found.preparations:
            self._actions.start(taken)
            return
        task = asyncio.create_task(self._prepare(taken, found, call, send))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _prepare(self, taken: RunningAction, found: DeclaredRequest, call: Call, send: Send) -> None:
        """Fill in the fields, one after the other, then start the action. A field that fails ends it."""
        for request in found.preparations:
            if taken.done.done():
                return
            try:
                result = await self._actions.run(
                    request,
                    questions_only(send),
                    call.connection.id,
                    principal=call.connection.session.principal,
                )
                failure = preparation_failure(request, result)
            except UiapError as error:
                failure = Failure(
                    "target_not_interactable", f"{_field_of(request)} cannot be filled in: {error}"
                )
            if failure is not None:
                self._actions.start(taken, failure)
                return
        self._actions.start(taken)

    def cancel(self, call: Call) -> Outcome:
        payload: ActionCancelPayload = call.payload
        running = self._actions.running(payload.action_handle)
        if running is None:
            return decline("invalid_state", f"no action `{payload.action_handle}` is under way")
        reason = None if payload.reason is UNSET else payload.reason
        cancelled = ActionCancelledPayload(
            action_handle=running.handle, status="cancelled", reason=payload.reason
        )
        call.connection.answer(call.id, Reply("action.cancelled", cancelled))
        event = when.Cancelled(at=self._actions.clock.now(), reason=reason)
        self._actions.send_event(running.handle, event)
        return None

    async def settle(self) -> None:
        """Stop filling in fields."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _invocation(request: ActionRequestPayload, declared: DeclaredAction) -> ActionRequestPayload:
    """Return the request for the default action of an element, with its target where the action takes one."""
    target = request.target if "element" in declared.descriptor.target_kinds else UNSET
    id = declared.descriptor.id
    return msgspec.structs.replace(request, action_id=id, target=target, preferred_execution_modes=UNSET)


def questions_only(send: Send) -> Send:
    """Return a sender that passes on only the questions to a person."""

    def pass_on(type: str, payload: msgspec.Struct) -> None:
        if isinstance(payload, ActionConfirmationRequestPayload):
            send(type, payload)

    return pass_on


def preparation_failure(request: ActionRequestPayload, result: ActionResultPayload) -> Failure | None:
    """Return why an action cannot start after this field, or None if the field has its value."""
    if result.status == "succeeded":
        return None
    message = "it was cancelled" if result.error is UNSET else result.error.message
    code = "target_not_interactable" if result.error is UNSET else result.error.code
    return Failure(code, f"{_field_of(request)} could not be filled in: {message}")


def _field_of(request: ActionRequestPayload) -> str:
    target = request.target
    value = "" if target is UNSET or target.ref is UNSET else getattr(target.ref, "value", "")
    return f"the field `{value}`"
