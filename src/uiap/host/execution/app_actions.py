"""Actions that the application declares: functions of the program, and those a page registered (ACT-10.1).

Actions of the program come first, so a page cannot replace them. The actions of a page are read each time they are
needed and checked; a page can only raise their risk. Verification is left to the runtime.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from uiap.actions.invoke import DeclaredAction
from uiap.actions.ops import Invoke
from uiap.actions.registry import ACTIONS
from uiap.drivers.driver import (
    Driver,
    PerformDispatched,
    PerformOutcome,
    PerformRefused,
    PerformUnknown,
    SupportsAppActions,
)
from uiap.drivers.errors import DriverError
from uiap.errors import UiapError
from uiap.host.loop.dispatch import decline
from uiap.policy.appraisal import strictest_level
from uiap.spec.action import ActionRequestPayload
from uiap.spec.capability import ActionArgDescriptor, ActionDescriptor, ArgType, RiskDescriptor
from uiap.spec.core import ErrorPayload

Handler: TypeAlias = Callable[..., Any]
"""A function that is called with the arguments by name, and may be async. The result carries its `returnValue`."""

MAX_OF_PAGE = 100
ID = re.compile(r"[A-Za-z][\w.-]{0,99}\Z")
OURS = ("ui.", "nav.", "app.", "x.uiap.", "uiap.")
RISK = RiskDescriptor(level="confirm")
"""The risk of an action without a declared one: its side effect is unknown."""
_TYPES: dict[Any, ArgType] = {str: "string", int: "number", float: "number", bool: "boolean"}
_NAMED: dict[str, ArgType] = {kind.__name__: word for kind, word in _TYPES.items()}


class Meant(msgspec.Struct, frozen=True):
    """A request under the id of its action, with the declaration of that action."""

    request: ActionRequestPayload
    declared: DeclaredAction | None = None


class AppActions:
    """The declared actions of one session's page."""

    def __init__(self, driver: Driver, handlers: Mapping[str, Handler] | None = None) -> None:
        self._driver = driver
        self._known: dict[str, tuple[DeclaredAction, Handler]] = {}
        for id, handler in (handlers or {}).items():
            self.register(id, handler)

    def register(self, id: str, handler: Handler, descriptor: ActionDescriptor | None = None) -> None:
        """Register a function as an action; one with the same id is replaced."""
        if (why := unfit(id)) is not None:
            raise UiapError(why)
        if descriptor is not None and descriptor.id != id:
            raise UiapError(f"the descriptor is of `{descriptor.id}`, not of `{id}`; give both one id")
        self._known[id] = (_declared(id, handler, descriptor), handler)

    def unregister(self, id: str) -> None:
        self._known.pop(id, None)

    def declared_by_program(self, id: str) -> DeclaredAction | None:
        """Return the declaration of a registered function, or None."""
        found = self._known.get(id)
        return None if found is None else found[0]

    # -- finding --------------------------------------------------------------------------------------------

    async def meant(self, request: ActionRequestPayload) -> Meant | ErrorPayload:
        """Return the request under its action's own id: `app.invoke` of an id is the same operation as that id."""
        if request.action_id == "app.invoke":
            given = {} if request.args is UNSET else request.args
            id, args = given.get("actionId"), given.get("args")
            if not isinstance(id, str) or set(given) - {"actionId", "args"}:
                return decline("action_unsupported", "app.invoke takes `actionId` and, if needed, `args`")
            if args is not None and not isinstance(args, dict):
                return decline("action_unsupported", "`args` of app.invoke must be an object")
            request = msgspec.structs.replace(request, action_id=id, args=UNSET if args is None else args)
            return await self._declared(request)
        return Meant(request) if request.action_id in ACTIONS else await self._declared(request)

    async def _declared(self, request: ActionRequestPayload) -> Meant | ErrorPayload:
        if (found := self.declared_by_program(request.action_id)) is not None:
            return Meant(request, found)
        of_page = await self._of_page()
        for one in of_page:
            if one.descriptor.id == request.action_id:
                return Meant(request, one)
        known = ", ".join((*sorted(ACTIONS), *sorted(self._known), *(d.descriptor.id for d in of_page)))
        return decline(
            "action_unsupported", f"`{request.action_id}` is not an action here; there are {known}"
        )

    async def listed(self) -> tuple[ActionDescriptor, ...]:
        """Return the descriptors for the capability document. Those of the page are marked."""
        own = [declared for declared, _ in self._known.values()]
        return tuple(one.descriptor for one in (*own, *await self._of_page()))

    async def _of_page(self) -> list[DeclaredAction]:
        if not isinstance(self._driver, SupportsAppActions):
            return []
        try:
            told = await self._driver.app_actions()
        except DriverError:  # a page that does not answer offers no actions
            return []
        found = [declared for one in told[:MAX_OF_PAGE] if (declared := of_page(one)) is not None]
        return [one for one in found if one.descriptor.id not in self._known]

    # -- calling --------------------------------------------------------------------------------------------

    async def call(self, op: Invoke, timeout: float) -> PerformOutcome:
        """Call a function of the program. An exception leaves its outcome unknown."""
        found = self._known.get(op.action)
        if found is None:
            return PerformRefused("unsupported", f"`{op.action}` is no longer registered")
        begun = time.monotonic()
        try:
            async with asyncio.timeout(timeout):
                came = await _run(found[1], op.args)
            value = returned(came)
        except TimeoutError:
            return PerformUnknown("timeout", f"`{op.action}` did not come back within {timeout:g} s")
        except Exception as error:
            return PerformUnknown(
                "interrupted", f"`{op.action}` raised {type(error).__name__}: {str(error)[:200]}"
            )
        return PerformDispatched(0, begun, detail={"returned": value})


async def _run(handler: Handler, args: dict[str, Any]) -> Any:
    """Await an async function; run a plain one in a thread, so that it cannot block the event loop."""
    if inspect.iscoroutinefunction(handler):
        return await handler(**args)
    came = await asyncio.to_thread(handler, **args)
    return await came if inspect.isawaitable(came) else came


def returned(came: Any) -> dict[str, Any]:
    """Return a value as `returnValue` carries it: an object, or anything else as its `value`."""
    value = msgspec.to_builtins(came)
    return value if isinstance(value, dict) else {} if value is None else {"value": value}


def unfit(id: str) -> str | None:
    """Return why an application may not declare this id, or None."""
    if not ID.match(id):
        return f"`{id}` cannot be the id of an action; use words with dots, such as `video.create`"
    if id in ACTIONS or id.startswith(OURS):
        return f"`{id}` belongs to the protocol; choose an id of your own, such as `video.create`"
    return None


def _declared(id: str, handler: Handler, descriptor: ActionDescriptor | None) -> DeclaredAction:
    if descriptor is not None:
        own = msgspec.structs.replace(descriptor, kind="domain", execution_modes=("appAction",))
        return DeclaredAction(descriptor=own)
    parameters = inspect.signature(handler).parameters.values()
    args, either = [], set()
    for one in parameters:
        if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL):
            continue
        said = _TYPES.get(one.annotation) or _NAMED.get(str(one.annotation))
        if said is None:
            either.add(one.name)
        args.append(
            ActionArgDescriptor(name=one.name, type=said or "string", required=one.default is one.empty)
        )
    made = ActionDescriptor(
        id=id,
        kind="domain",
        target_kinds=("none",),
        execution_modes=("appAction",),
        args=tuple(args),
        risk=RISK,
    )
    return DeclaredAction(descriptor=made, number_or_text=frozenset(either))


class _Said(msgspec.Struct):
    """The members a page may declare of an action; others are ignored."""

    id: str
    title: str = ""
    description: str = ""
    args: tuple[ActionArgDescriptor, ...] = ()
    risk: RiskDescriptor = RISK


def of_page(told: Any) -> DeclaredAction | None:
    """Return the declaration of a page, or None if it is invalid. A page can only raise the risk."""
    try:
        said = msgspec.convert(told, _Said)
    except msgspec.ValidationError:
        return None
    if unfit(said.id) is not None or len(said.args) > 30:
        return None
    risk = msgspec.structs.replace(said.risk, level=strictest_level(RISK.level, said.risk.level))
    descriptor = ActionDescriptor(
        id=said.id,
        kind="domain",
        title=said.title[:100] or UNSET,
        description=said.description[:300] or UNSET,
        target_kinds=("none",),
        execution_modes=("appAction",),
        args=said.args,
        risk=risk,
        metadata={"source": "page", "pageSupplied": ["title", "description", "args", "risk"]},
    )
    return DeclaredAction(descriptor=descriptor, source="page")
