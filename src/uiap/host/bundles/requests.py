"""Completes a request by what the page and the bundle know: the address of a route or link, a default action.

The runtime then sees a plain request. Whether it may run, and whether it worked, is decided there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

import msgspec
from msgspec import UNSET

from uiap.graph.store import GraphStore
from uiap.host.bundles.bundle import Bundle
from uiap.host.bundles.in_use import BundleInUse
from uiap.runtime.resolve import Candidate, gather
from uiap.spec.action import ActionRequestPayload, VerificationSpec
from uiap.spec.authoring import RouteBinding
from uiap.spec.capability import RouteRef, SuccessSignal
from uiap.spec.web import RouteInfo


class IncompleteRequest(ValueError):
    """A request that names no address; the message says what is missing."""


class RequestCompletion:
    """Completes the requests of one session."""

    def __init__(self, knowledge: BundleInUse | None = None) -> None:
        self._knowledge = knowledge or BundleInUse()

    @property
    def _bundle(self) -> Bundle | None:
        return self._knowledge.bundle

    # -- navigation -----------------------------------------------------------------------------------------

    def navigation(self, store: GraphStore, request: ActionRequestPayload) -> ActionRequestPayload:
        """Return a `nav.navigate` with the address of its route or link, and the success signals of the route."""
        target, args = request.target, dict(request.args or {})
        if target is not UNSET and target.ref is not UNSET:
            if "url" in args:
                raise IncompleteRequest("nav.navigate takes a target or a url, not both; leave one out")
            params = args.pop("params", {})
            if isinstance(target.ref, RouteRef):
                args["url"] = self._route_address(store, target.ref.value, params)
                args.setdefault("keepPage", True)
            else:
                args["url"] = self._link_address(store, request)
            request = msgspec.structs.replace(request, target=UNSET, args=args)
        elif args.get("url") in self._routes(store):  # `goto videos.detail` means the route of that id
            params = args.pop("params", {})
            args["url"] = self._route_address(store, args["url"], params)
            args.setdefault("keepPage", True)
            request = msgspec.structs.replace(request, args=args)
        return self._with_arrival(store, request, str(args.get("url", "")))

    def _routes(self, store: GraphStore) -> Mapping[str, RouteBinding]:
        """Return the routes of the bundle by id, on the pages of its application."""
        if self._bundle is None or not self._bundle.covers(store.route.url):
            return {}
        return self._bundle.bindings.routes

    def _route_address(self, store: GraphStore, id: str, params: Any) -> str:
        """Return the address of a route. The id that discovery gives a route is its pattern: `/videos/:id`."""
        if id not in self._routes(store) and id.startswith("/"):
            return id
        if self._bundle is None or not self._bundle.covers(store.route.url):
            raise IncompleteRequest(f"no bundle is open that knows the route `{id}`; use a url")
        if not isinstance(params, dict):
            raise IncompleteRequest("`params` must be an object with the parameters of the route")
        try:
            return self._bundle.bindings.known_routes.address(id, params)
        except ValueError as error:
            raise IncompleteRequest(str(error)) from None

    def _link_address(self, store: GraphStore, request: ActionRequestPayload) -> str:
        """Return the address of the one link that the target names."""
        found = self._candidates(store, request)
        addresses = {
            urljoin(store.route.url, href)
            for one in found
            if isinstance(one.element.metadata, dict)
            and isinstance(href := one.element.metadata.get("href"), str)
        }
        if len(addresses) != 1:
            raise IncompleteRequest(
                f"the target names {len(addresses)} addresses; name one link, a route or a url"
            )
        return addresses.pop()

    def _with_arrival(
        self, store: GraphStore, request: ActionRequestPayload, url: str
    ) -> ActionRequestPayload:
        """Return the request with the success signals of the route, unless the caller names its own (RUN-10)."""
        spec = VerificationSpec() if request.verification is UNSET else request.verification
        signals = self._arrival_signals(urljoin(store.route.url, url)) if spec.signals is UNSET else ()
        if not signals:
            return request
        return msgspec.structs.replace(request, verification=msgspec.structs.replace(spec, signals=signals))

    def _arrival_signals(self, url: str) -> tuple[SuccessSignal, ...]:
        if self._bundle is None or not self._bundle.covers(url):
            return ()
        routes = self._bundle.bindings.known_routes
        found = routes.of(RouteInfo(url=url))
        return (routes.by_id[found[0]].success_signals or ()) if len(found) == 1 else ()

    # -- default actions ------------------------------------------------------------------------------------

    def default_action(self, store: GraphStore, request: ActionRequestPayload) -> str | None:
        """Return the default action of the one element that an activation names (ACT-11.4)."""
        modes = request.preferred_execution_modes
        if (
            self._bundle is None
            or request.target is UNSET
            or (modes is not UNSET and "appAction" not in modes)
        ):
            return None
        found = self._candidates(store, request)
        action = found[0].element.default_action if len(found) == 1 else UNSET
        return action if isinstance(action, str) else None

    def _candidates(self, store: GraphStore, request: ActionRequestPayload) -> tuple[Candidate, ...]:
        assert request.target is not UNSET
        gathered = gather(store, request.target)
        bound = gathered if self._bundle is None else self._bundle.bind(store, request.target, gathered)
        return bound.candidates
