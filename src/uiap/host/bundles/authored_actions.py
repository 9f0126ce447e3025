"""The implementation of an action of a bundle: a function, a bound element, a workflow, an endpoint, or none.

The manifest decides. Functions are registered elsewhere; `host/execution/app_actions` joins them with these actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET

from uiap.actions.invoke import DeclaredAction, is_endpoint
from uiap.authoring.bundles.derived import action_descriptor
from uiap.host.bundles.bundle import Bundle
from uiap.policy.strictest_risk import strictest_risk
from uiap.spec.action import ActionRequestPayload, ActionTarget
from uiap.spec.authoring import AuthoredAction, ElementBinding
from uiap.spec.capability import ActionDescriptor, RiskDescriptor, StableIdRef

RISK = RiskDescriptor(level="confirm")
"""The risk of an action without a declared one: its side effect is unknown."""


class HandlerPath(NamedTuple):
    """Functions that may carry the action out; the first that is registered does."""

    ids: tuple[str, ...]


class ElementPath(NamedTuple):
    """The bound element that is pressed."""

    element: str


class WorkflowPath(NamedTuple):
    workflow: str


class ServerPath(NamedTuple):
    """An endpoint of the application: a method and a path, such as `POST /api/videos`."""

    endpoint: str


class NoPath(NamedTuple):
    """The action is declared and cannot be executed."""

    why: str


ImplementationPath: TypeAlias = HandlerPath | ElementPath | WorkflowPath | ServerPath | NoPath


class AuthoredActions:
    """The actions of one bundle, on the pages of its origins."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._signed = bundle.signed_by is not None
        self._workflows = {one.id for one in bundle.workflows}
        self._pressed_for = {
            str(one.default_action): id
            for id, one in bundle.bindings.elements.items()
            if one.default_action is not UNSET
        }

        self.replaces_presses = any(
            isinstance(path, HandlerPath)
            for id in self._pressed_for
            if (action := bundle.actions.get(id)) is not None
            for path in self.paths(action)
        )
        """Whether a function may carry out the default action of an element."""

    def get(self, id: str, url: str) -> AuthoredAction | None:
        """Return the action with this id, if the bundle is for the page at this URL."""
        found = self._bundle.actions.get(id)
        return found if found is not None and self._bundle.covers(url) else None

    def all(self, url: str) -> Iterator[AuthoredAction]:
        if self._bundle.covers(url):
            yield from self._bundle.actions.values()

    # -- implementations --------------------------------------------------------------------------------

    def paths(self, action: AuthoredAction) -> tuple[ImplementationPath, ...]:
        """Return what may carry the action out, the declared implementation first."""
        given = action.implementation
        kind, ref = ("", "") if given is UNSET else (given.kind, given.ref or "")
        match kind:
            case "none":
                return (NoPath(f"`{action.id}` is only described in the bundle; nothing carries it out"),)
            case "serverAction":
                return (self._server_path(action.id, ref),)
            case "externalDriver":
                return (self._driver_path(ref),)
        functions = HandlerPath(tuple(dict.fromkeys((ref or action.id, action.id))))
        pressed = self._pressed_for.get(action.id)
        return (functions,) if pressed is None else (functions, ElementPath(pressed))

    def _server_path(self, id: str, ref: str) -> ImplementationPath:
        if is_endpoint(ref):
            return ServerPath(ref)
        return NoPath(f"`{id}` names no endpoint; write its ref as `POST /api/videos`")

    def _driver_path(self, ref: str) -> ImplementationPath:
        if ref in self._bundle.bindings.elements:
            return ElementPath(ref)
        return WorkflowPath(ref) if ref in self._workflows else HandlerPath((ref,))

    def declare(
        self, action: AuthoredAction, path: ElementPath | WorkflowPath | ServerPath
    ) -> DeclaredAction:
        """Return the action as the runtime carries it out. An unsigned bundle cannot declare it safe."""
        match path:
            case ElementPath(element=ref):
                return self._declared(action, "element", ref, action.risk)
            case WorkflowPath(workflow=ref):
                return self._declared(action, "workflow", ref, self._risk(action, None))
            case ServerPath(endpoint=ref):
                return self._declared(action, "server", ref, self._risk(action, None))

    def join(self, action: AuthoredAction, function: DeclaredAction) -> DeclaredAction:
        """Return the function with the description of the bundle. Its own risk may only make it stricter."""
        risk = self._risk(action, function.own_risk)
        return self._declared(action, function.source, function.runs, risk)

    def _risk(self, action: AuthoredAction, own: RiskDescriptor | None) -> RiskDescriptor:
        """Return the risk of the bundle. Without a signature it counts only where it is stricter (CAP-8.1)."""
        others = [own] if own is not None else [] if self._signed else [RISK]
        strictest: RiskDescriptor = strictest_risk((action.risk, *others))
        return strictest

    def _declared(
        self, action: AuthoredAction, source: Any, ref: str, risk: RiskDescriptor
    ) -> DeclaredAction:
        descriptor = msgspec.structs.replace(self._described(action), risk=risk)
        return DeclaredAction(
            descriptor=descriptor, source=source, ref=ref, authored=True, vouched=self._signed
        )

    def descriptor(self, action: AuthoredAction, *, offered: bool) -> ActionDescriptor:
        """Return the descriptor for the capability document; `appAction` only where something is registered for it."""
        made = self._described(action)
        pressed = self._presses(action)
        modes = tuple(one for one in made.execution_modes if offered or (pressed and one != "appAction"))
        return msgspec.structs.replace(made, execution_modes=modes)

    def _described(self, action: AuthoredAction) -> ActionDescriptor:
        """Return the descriptor with the title that a locale pack of the bundle gives it, as `action.<id>.title`."""
        made = action_descriptor(action)
        title = self._bundle.texts.get(f"action.{action.id}.title")
        return made if title is None else msgspec.structs.replace(made, title=title)

    def _presses(self, action: AuthoredAction) -> bool:
        return any(isinstance(one, ElementPath) for one in self.paths(action))

    # -- the fields of an action that presses an element ----------------------------------------------------

    def preparations(
        self, declared: DeclaredAction, request: ActionRequestPayload
    ) -> tuple[ActionRequestPayload, ...]:
        """Return the requests that fill in the fields of the arguments before the element is pressed."""
        args = {} if request.args is UNSET else request.args
        found = (
            (self.field(declared.descriptor, declared.runs, name), value) for name, value in args.items()
        )
        return tuple(
            msgspec.structs.replace(fill_request(field, value), timeout_ms=request.timeout_ms)
            for field, value in found
            if field is not None
        )

    def field(self, action: ActionDescriptor, pressed: str, name: str) -> ElementBinding | None:
        """Return the element that takes an argument: a named one, one called after the action, or a sibling."""
        elements = self._bundle.bindings.elements
        return next(
            (elements[id] for id in field_ids(action.metadata, action.id, pressed, name) if id in elements),
            None,
        )


def field_ids(metadata: Any, action: str, pressed: str, name: str) -> tuple[str, ...]:
    """Return the ids that the field of an argument may have, the best first: `metadata.fields` names it."""
    named = metadata.get("fields") if isinstance(metadata, Mapping) else None
    given = named.get(name) if isinstance(named, Mapping) else None
    if isinstance(given, str):
        return (given,)
    return (f"{action}.{name}", f"{pressed.rpartition('.')[0]}.{name}")


_CHOSEN = frozenset({"combobox", "listbox", "radio"})
_TOGGLED = frozenset({"checkbox", "switch"})
_TYPED = frozenset({"textbox", "textarea", "searchbox"})


def fill_request(field: ElementBinding, value: Any) -> ActionRequestPayload:
    """Return the request that gives a field its value, by the role of the field."""
    target = ActionTarget(ref=StableIdRef(value=field.id))
    if field.role in _CHOSEN:
        made = ActionRequestPayload(action_id="ui.choose", target=target, args={"label": str(value)})
    elif field.role in _TOGGLED:
        made = ActionRequestPayload(action_id="ui.toggle", target=target, args={"checked": bool(value)})
    elif field.role in _TYPED or isinstance(value, str):
        made = ActionRequestPayload(
            action_id="ui.enterText",
            target=target,
            args={"text": value if isinstance(value, dict) else str(value)},
        )
    else:
        made = ActionRequestPayload(action_id="ui.setValue", target=target, args={"value": value})
    return made
