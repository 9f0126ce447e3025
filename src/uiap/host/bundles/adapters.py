"""Adapters: functions of a program that know what neither names, attributes nor addresses of a page show.

An adapter of elements is asked for the value of a custom target `ID:VALUE`, and for the id of a binding with a matcher
`{by: adapter, id: ID}`. It gets the elements of the page and returns the instance ids of those that are meant. A route
provider reads the path of an application with its own routing from the address, and writes it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from uiap.graph.store import GraphStore
from uiap.runtime.resolve import Candidates, gather
from uiap.spec.action import ActionTarget
from uiap.spec.authoring import AdapterMatcher, ElementBinding
from uiap.spec.capability import CustomRef, InstanceIdRef
from uiap.spec.web import ElementNode


@dataclass(frozen=True)
class RouteProvider:
    """Functions that read the path of the route from an address, and return the address of a path."""

    path: Callable[[str], str]
    address: Callable[[str], str]


ElementAdapter: TypeAlias = Callable[[str, Sequence[ElementNode]], Iterable[str]]
Adapter: TypeAlias = ElementAdapter | RouteProvider
log = logging.getLogger("uiap.host")


class Adapters:
    """The adapters of one session, by their id."""

    def __init__(self, registered: Mapping[str, Adapter] | None = None) -> None:
        self._registered = dict(registered or {})

    def find(self, store: GraphStore, id: str, value: str) -> tuple[ElementNode, ...]:
        """Return the elements that the adapter names for a value; none if it is not registered."""
        adapter = self._registered.get(id)
        ids = () if adapter is None or isinstance(adapter, RouteProvider) else adapter(value, tuple(store))
        return tuple(one for one in map(store.element, ids) if one is not None)

    def bind(self, store: GraphStore, target: ActionTarget, gathered: Candidates) -> Candidates:
        """Return the candidates of a custom target that an adapter is registered for, else those gathered."""
        ref = target.ref
        if not isinstance(ref, CustomRef) or gathered.candidates:
            return gathered
        id, _, value = ref.value.partition(":")
        aims = (InstanceIdRef(value=one.instance_id) for one in self.find(store, id, value))
        found = (gather(store, msgspec.structs.replace(target, ref=aim)).candidates for aim in aims)
        candidates = tuple(
            msgspec.structs.replace(one, by="annotation", name_level=1.0) for some in found for one in some
        )
        return msgspec.structs.replace(gathered, candidates=candidates) if candidates else gathered

    def route_provider(self, ref: str | None) -> RouteProvider | None:
        """Return the route provider that is registered under this id. Log one that nobody registered."""
        found = self._registered.get(ref) if ref is not None else None
        if isinstance(found, RouteProvider):
            return found
        if ref is not None:
            log.warning("the routes need the provider `%s`, which is not registered", ref)
        return None

    def report_unknown(self, bindings: Iterable[ElementBinding]) -> None:
        """Log the adapters that the bindings of a bundle name and nobody registered."""
        for binding in bindings:
            for matcher in binding.match:
                if isinstance(matcher, AdapterMatcher) and matcher.id not in self._registered:
                    log.warning(
                        "`%s` needs the adapter `%s`, which is not registered", binding.id, matcher.id
                    )
