"""Actions that the application declares: in a bundle, as functions of the program, or of a page (ACT-10.1).

Actions of the bundle come first, then those of the program, so a page cannot replace them. The actions of a page are
read each time they are needed and checked; a page can only raise their risk. Verification is left to the runtime.
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
from uiap.actions.target_kinds import target_kind
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
from uiap.host.bundles.authored_actions import (
    RISK,
    AuthoredActions,
    HandlerPath,
    NoPath,
)
from uiap.host.bundles.in_use import BundleInUse
from uiap.host.loop.dispatch import decline
from uiap.policy.appraisal import strictest_level
from uiap.spec.action import ActionRequestPayload, ActionTarget
from uiap.spec.authoring import AuthoredAction
from uiap.spec.capability import (
    ActionArgDescriptor,
    ActionDescriptor,
    ArgType,
    RiskDescriptor,
    StableIdRef,
)
from uiap.spec.core import ErrorPayload

Handler: TypeAlias = Callable[..., Any]
"""A function that is called with the arguments by name, and may be async. The result carries its `returnValue`."""

MAX_OF_PAGE = 100
ID = re.compile(r"[A-Za-z][\w.-]{0,99}\Z")
OURS = ("ui.", "nav.", "app.", "x.uiap.", "uiap.")
_TYPES: dict[Any, ArgType] = {str: "string", int: "number", float: "number", bool: "boolean"}
_NAMED: dict[str, ArgType] = {kind.__name__: word for kind, word in _TYPES.items()}


class DeclaredRequest(msgspec.Struct, frozen=True):
    """A request with the id of the action it runs, and the declaration of that action."""

    request: ActionRequestPayload
    declared: DeclaredAction | None = None
    preparations: tuple[ActionRequestPayload, ...] = ()
    """The requests that fill in the fields of the action before it."""


class AppActions:
    """The declared actions of one session's page."""

    def __init__(
        self,
        driver: Driver,
        handlers: Mapping[str, Handler] | None = None,
        knowledge: BundleInUse | None = None,
        url: Callable[[], str] = str,
    ) -> None:
        self._driver, self._url = driver, url
        self._knowledge = knowledge or BundleInUse()
        self.on_change: Callable[[], None] = lambda: None
        """Called after a function was registered or removed."""
        self._known: dict[str, tuple[DeclaredAction, Handler]] = {}
        for id, handler in (handlers or {}).items():
            self.register(id, handler)

    @property
    def _authored(self) -> AuthoredActions | None:
        """The actions of the bundle that is in use now."""
        return self._knowledge.authored

    def register(self, id: str, handler: Handler, descriptor: ActionDescriptor | None = None) -> None:
        """Register a function as an action; one with the same id is replaced."""
        if (why := id_fault(id)) is not None:
            raise UiapError(why)
        if descriptor is not None and descriptor.id != id:
            raise UiapError(f"the descriptor is of `{descriptor.id}`, not of `{id}`; give both one id")
        if descriptor is not None and "appAction" not in descriptor.execution_modes:
            raise UiapError(
                f"the descriptor of `{id}` does not list `appAction`, which is how a function runs"
            )
        self._known[id] = (_declared(id, handler, descriptor), handler)
        self.on_change()

    def unregister(self, id: str) -> None:
        self._known.pop(id, None)
        self.on_change()

    def declared_by_program(self, id: str) -> DeclaredAction | None:
        """Return the declaration of a registered function, or None."""
        found = self._known.get(id)
        return None if found is None else found[0]

    # -- finding --------------------------------------------------------------------------------------------

    async def resolve(self, request: ActionRequestPayload) -> DeclaredRequest | ErrorPayload:
        """Return the request for the action itself. `app.invoke` with an `actionId` becomes a request for that id."""
        if request.action_id == "app.invoke":
            given = {} if request.args is UNSET else request.args
            id, args = given.get("actionId"), given.get("args")
            if not isinstance(id, str) or set(given) - {"actionId", "args"}:
                return decline("action_unsupported", "app.invoke takes `actionId` and, if needed, `args`")
            if args is not None and not isinstance(args, dict):
                return decline("action_unsupported", "`args` of app.invoke must be an object")
            request = msgspec.structs.replace(request, action_id=id, args=UNSET if args is None else args)
            return await self._declared(request)
        return DeclaredRequest(request) if request.action_id in ACTIONS else await self._declared(request)

    async def _declared(self, request: ActionRequestPayload) -> DeclaredRequest | ErrorPayload:
        id = request.action_id
        authored = None if self._authored is None else self._authored.get(id, self._url())
        if authored is not None:
            return await self._authored_request(request, authored)
        found = await self._function((id,))
        if found is not None:
            return DeclaredRequest(request, _with_target(found, request))
        known = ", ".join((*sorted(ACTIONS), *(one.id for one in await self.descriptors())))
        return decline("action_unsupported", f"`{id}` is not an action here; there are {known}")

    async def _function(self, ids: tuple[str, ...]) -> DeclaredAction | None:
        """Return the first of these functions that the program or the page registered."""
        own = next((found for id in ids if (found := self.declared_by_program(id)) is not None), None)
        if own is not None:
            return own
        of_page = {one.descriptor.id: one for one in await self._page_actions()}
        return next((of_page[id] for id in ids if id in of_page), None)

    # -- actions of the bundle ------------------------------------------------------------------------------

    async def _authored_request(
        self, request: ActionRequestPayload, action: AuthoredAction
    ) -> DeclaredRequest | ErrorPayload:
        """Return the request for whatever the bundle names as the implementation of its action."""
        assert self._authored is not None
        found = await self._implementation(action)
        if isinstance(found, str):
            return decline("action_unsupported", found)
        if found.source != "element":
            return DeclaredRequest(request, _with_target(found, request))
        prepared = self._authored.preparations(found, request)
        return DeclaredRequest(_aimed_at(request, found.runs), found, prepared)

    async def _implementation(self, action: AuthoredAction) -> DeclaredAction | str:
        """Return what carries an action of the bundle out, or why nothing does."""
        assert self._authored is not None
        missing: list[str] = []
        for path in self._authored.paths(action):
            match path:
                case HandlerPath(ids=ids):
                    function = await self._function(ids)
                    if function is not None:
                        return self._authored.join(action, function)
                    missing.append(f"no function `{ids[0]}` is registered")
                case NoPath(why=why):
                    return why
                case _:
                    return self._authored.declare(action, path)
        return f"`{action.id}` cannot run here: {'; '.join(missing)}"

    @property
    def replaces_presses(self) -> bool:
        """Return whether an element of the bundle has a default action that a function may carry out."""
        return self._authored is not None and self._authored.replaces_presses

    async def replacement(self, id: str) -> DeclaredAction | None:
        """Return the default action of an element, if a function carries it out (ACT-11.4)."""
        authored = None if self._authored is None else self._authored.get(id, self._url())
        if authored is None:
            return None
        found = await self._implementation(authored)
        return found if isinstance(found, DeclaredAction) and found.source in ("program", "page") else None

    async def descriptors(self) -> tuple[ActionDescriptor, ...]:
        """Return the descriptors for the capability document: the bundle's, then those of registered functions.

        A function whose id the bundle describes is left out. The metadata of a page's own action names it as such.
        """
        registered = [declared for declared, _ in self._known.values()]
        functions = [one.descriptor for one in (*registered, *await self._page_actions())]
        authored = await self._authored_descriptors()
        authored_ids = {one.id for one in authored}
        return (*authored, *(one for one in functions if one.id not in authored_ids))

    async def _authored_descriptors(self) -> list[ActionDescriptor]:
        if self._authored is None:
            return []
        found = []
        for action in self._authored.all(self._url()):
            runs = await self._implementation(action)
            offered = isinstance(runs, DeclaredAction) and runs.source != "element"
            found.append(self._authored.descriptor(action, offered=offered))
        return found

    async def _page_actions(self) -> list[DeclaredAction]:
        if not isinstance(self._driver, SupportsAppActions):
            return []
        try:
            declared_by_page = await self._driver.app_actions()
        except DriverError:  # a page that does not answer offers no actions
            return []
        found = [read for one in declared_by_page[:MAX_OF_PAGE] if (read := page_action(one)) is not None]
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
                result = await _run(found[1], _accepted_args(found[1], op.args))
            value = return_value_of(result)
        except TimeoutError:
            return PerformUnknown("timeout", f"`{op.action}` did not return within {timeout:g} s")
        except Exception as error:
            return PerformUnknown(
                "interrupted", f"`{op.action}` raised {type(error).__name__}: {str(error)[:200]}"
            )
        return PerformDispatched(0, begun, detail={"returned": value})


def _with_target(declared: DeclaredAction, request: ActionRequestPayload) -> DeclaredAction:
    """Return the action with the scope, route, entity or session that the request names, if it takes one."""
    ref = UNSET if request.target is UNSET else request.target.ref
    kind = None if ref is UNSET else target_kind(ref)
    if ref is UNSET or kind == "element" or kind not in declared.descriptor.target_kinds:
        return declared
    return msgspec.structs.replace(declared, target=ref)


def _aimed_at(request: ActionRequestPayload, element: str) -> ActionRequestPayload:
    """Return the request with the bound element as its target, if it names none."""
    target = ActionTarget() if request.target is UNSET else request.target
    if target.ref is not UNSET:
        return request
    aimed = msgspec.structs.replace(target, ref=StableIdRef(value=element))
    return msgspec.structs.replace(request, target=aimed)


def _accepted_args(handler: Handler, args: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments without `target` if the function does not take it."""
    if "target" not in args:
        return args
    parameters = inspect.signature(handler).parameters
    takes_all = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    keep = takes_all or "target" in parameters
    return args if keep else {name: value for name, value in args.items() if name != "target"}


async def _run(handler: Handler, args: dict[str, Any]) -> Any:
    """Await an async function; run a plain one in a thread, so that it cannot block the event loop."""
    if inspect.iscoroutinefunction(handler):
        return await handler(**args)
    result = await asyncio.to_thread(handler, **args)
    return await result if inspect.isawaitable(result) else result


def return_value_of(result: Any) -> dict[str, Any]:
    """Return a value as `returnValue` carries it: an object, or anything else as its `value`."""
    value = msgspec.to_builtins(result)
    return value if isinstance(value, dict) else {} if value is None else {"value": value}


def id_fault(id: str) -> str | None:
    """Return why an application may not declare this id, or None."""
    if not ID.match(id):
        return f"`{id}` cannot be the id of an action; use words with dots, such as `video.create`"
    if id in ACTIONS or id.startswith(OURS):
        return f"`{id}` belongs to the protocol; choose an id of your own, such as `video.create`"
    return None


def _declared(id: str, handler: Handler, descriptor: ActionDescriptor | None) -> DeclaredAction:
    if descriptor is not None:
        own = msgspec.structs.replace(descriptor, kind="domain")
        return DeclaredAction(descriptor=own, own_risk=descriptor.risk)
    parameters = inspect.signature(handler).parameters.values()
    args, either = [], set()
    for one in parameters:
        if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL):
            continue
        type = _TYPES.get(one.annotation) or _NAMED.get(str(one.annotation))
        if type is None:
            either.add(one.name)
        args.append(
            ActionArgDescriptor(name=one.name, type=type or "string", required=one.default is one.empty)
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


class _PageDeclaration(msgspec.Struct):
    """The members a page may declare of an action; others are ignored."""

    id: str
    title: str = ""
    description: str = ""
    args: tuple[ActionArgDescriptor, ...] = ()
    risk: RiskDescriptor | None = None


def page_action(declaration: Any) -> DeclaredAction | None:
    """Return the action that a page declares, or None if the declaration is invalid. A page can only raise the risk."""
    try:
        declared = msgspec.convert(declaration, _PageDeclaration)
    except msgspec.ValidationError:
        return None
    if id_fault(declared.id) is not None or len(declared.args) > 30:
        return None
    given = declared.risk or RISK
    risk = msgspec.structs.replace(given, level=strictest_level(RISK.level, given.level))
    descriptor = ActionDescriptor(
        id=declared.id,
        kind="domain",
        title=declared.title[:100] or UNSET,
        description=declared.description[:300] or UNSET,
        target_kinds=("none",),
        execution_modes=("appAction",),
        args=declared.args,
        risk=risk,
        metadata={"source": "page", "pageSupplied": ["title", "description", "args", "risk"]},
    )
    return DeclaredAction(descriptor=descriptor, source="page", own_risk=declared.risk)
