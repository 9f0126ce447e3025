"""The states a run knows: which are one, how to come back to each, and what is still open in it.

Equal fingerprints are one state, and so are two that offer the same in the same places, and a page that was asked with
other parameters and offers nothing new; no threshold is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import UNSET

from uiap.digests import text_digest
from uiap.discovery.knowledge.candidates import (
    ActionCandidate,
    ReplayStep,
    element_key,
    is_in_record,
    link_url,
)
from uiap.discovery.knowledge.naming import scope_key, scope_path_key
from uiap.discovery.plan.address import path_pattern, path_without_query
from uiap.graph.fingerprint import Fingerprint, fingerprint
from uiap.graph.identity import route_key
from uiap.graph.store import GraphStore
from uiap.graph.view import is_actionable, is_hidden, scope_path, visible_elements
from uiap.spec.discovery import StateFingerprintPolicy
from uiap.spec.web import ElementNode


@dataclass(frozen=True, slots=True)
class StateEntry:
    """A way to a state: load an address, then do these steps."""

    url: str
    steps: tuple[ReplayStep, ...] = ()

    @property
    def depth(self) -> int:
        return len(self.steps)


@dataclass(slots=True)
class State:
    id: str
    principal: str | None
    print: Fingerprint
    shape: str
    route: str
    url: str
    sight: str
    depth: int
    entries: list[StateEntry] = field(default_factory=list)
    open: list[ActionCandidate] = field(default_factory=list)
    scopes: tuple[str, ...] = ()
    modal: tuple[str, ...] = ()
    seed: int | None = None
    screenshot: str | None = None
    ax: str | None = None
    alike: int = 0
    """How many other fingerprints were taken for this state."""
    canvas: bool = False
    kept: bool = False
    """Reached by something that pages go on keeping: what is seen from here is seen in its light."""


class PageOffer(NamedTuple):
    """What a page offers however it was asked: choices and records are data."""

    offers: frozenset[str]
    turns: frozenset[str]
    """Links to itself with other parameters."""


class StateIndex:
    def __init__(self, policy: StateFingerprintPolicy | None) -> None:
        self._policy = policy
        self._by_print: dict[tuple[str | None, str], State] = {}
        self._by_shape: dict[tuple[str | None, str], State] = {}
        self._owners: dict[tuple[str | None, str, str], State] = {}
        """Which state was the first to show a part of a route."""
        self._asked: dict[tuple[str | None, str], dict[str, State]] = {}
        """What each path offers however it is asked, and which state was the first to."""
        self._turns: dict[tuple[str | None, str], set[str]] = {}
        """How the pages beside each other lead to themselves with other parameters, by their parent."""
        self.all: dict[str, State] = {}
        self.per_route: dict[tuple[str | None, str], int] = {}

    def print(self, store: GraphStore) -> Fingerprint:
        return fingerprint(store, self._policy) if self._policy is not None else fingerprint(store)

    def known(self, principal: str | None, mark: Fingerprint, shape: str) -> State | None:
        exact = self._by_print.get((principal, mark.digest))
        if exact is not None:
            return exact
        alike = self._by_shape.get((principal, shape))
        if alike is not None:
            self._by_print[principal, mark.digest] = alike
            alike.alike += 1
        return alike

    def combined(
        self, principal: str | None, route: str, parts: frozenset[str], new: frozenset[str]
    ) -> State | None:
        """Of parts that were all seen on this route, only not together: the state that first showed what is `new`."""
        owners = {part: self._owners.get((principal, route, part)) for part in parts}
        if not new or any(owner is None for owner in owners.values()):
            return None
        return min((owners[part] for part in new), key=lambda one: int(one.id[3:]))  # type: ignore[union-attr]

    def asked_otherwise(self, principal: str | None, url: str, core: PageOffer) -> State | None:
        """The page at this path that was asked with other parameters, if this one offers nothing that it did not.

        Filters, orders and pages of a list show less or other data, and lead to more of the same; how lists beside it
        are narrowed down is known as well.
        """
        known = self._asked.get((principal, path_without_query(url)), {})
        other = next((state for state in known.values() if state.url != url), None)
        if other is None or not core.offers <= known.keys():
            return None
        return other if core.turns <= self._turns.get((principal, _parent(url)), set()) else None

    def own(self, state: State, parts: frozenset[str], core: PageOffer) -> None:
        for part in parts:
            self._owners.setdefault((state.principal, state.route, part), state)
        if not state.modal:
            known = self._asked.setdefault((state.principal, path_without_query(state.url)), {})
            known.update((one, state) for one in core.offers if one not in known)
            self._turns.setdefault((state.principal, _parent(state.url)), set()).update(core.turns)

    def same(self, state: State, mark: Fingerprint, shape: str) -> None:
        """Another look of a state we know."""
        self._by_print[state.principal, mark.digest] = state
        self._by_shape.setdefault((state.principal, shape), state)
        state.alike += 1

    def add(self, state: State) -> State:
        self.all[state.id] = state
        self._by_print[state.principal, state.print.digest] = state
        self._by_shape[state.principal, state.shape] = state
        key = (state.principal, state.route)
        self.per_route[key] = self.per_route.get(key, 0) + 1
        return state

    def __len__(self) -> int:
        return len(self.all)

    def __iter__(self) -> Iterator[State]:
        return iter(self.all.values())


def state_shape(store: GraphStore, route: str | None = None) -> str:
    """What the state offers and where: scopes, controls, and which of them stand open or chosen."""
    key = route_key(store.route) if route is None else route
    modal = [scope_key(store.scopes[key]) for key in store.modal_stack]
    scopes = {
        scope_path_key(scope_path(store, scope.scope_id))
        for scope in store.scopes.values()
        if not is_hidden(scope)
    }
    controls = {_control_key(store, one, key) for one in visible_elements(store) if is_actionable(one)}
    regions = _opaque_regions(store)
    parts = (key, *modal, "|", *sorted(scopes), "|", *sorted(controls), "|", *sorted(regions))
    return text_digest(parts)


def scope_digests(store: GraphStore) -> frozenset[str]:
    """Each scope with what it offers and how that stands, by itself."""
    offers: dict[str, set[str]] = {one.scope_id: set() for one in store.scopes.values() if not is_hidden(one)}
    for one in visible_elements(store):
        if is_actionable(one) and one.scope_id in offers:
            offers[one.scope_id].add(_control_key(store, one, ""))
    regions = _opaque_regions(store)
    said = [
        "\x1f".join((scope_path_key(scope_path(store, id)), *sorted(found))) for id, found in offers.items()
    ]
    return frozenset(text_digest([text], size_bytes=8) for text in (*said, *regions))


def page_offer(store: GraphStore) -> PageOffer:
    here = path_pattern(store.route.url)
    offers = {
        scope_path_key(scope_path(store, one.scope_id)) for one in store.scopes.values() if not is_hidden(one)
    }
    turns = set()
    for one in visible_elements(store):
        if not is_actionable(one) or one.role == "option":
            continue
        url = link_url(store, one)
        if url is None or path_pattern(url) != here:
            offers.add(f"record {one.role}" if is_in_record(store, one) else _control_key(store, one, ""))
        elif not is_in_record(store, one):
            turns.add(_control_key(store, one, ""))
    return PageOffer(frozenset(offers | _opaque_regions(store)), frozenset(turns))


def _parent(url: str) -> str:
    return path_pattern(url).rpartition("/")[0]


def _control_key(store: GraphStore, one: ElementNode, route: str) -> str:
    """A control, and whether it stands open or chosen."""
    state = one.state
    chosen = state.expanded is True or state.open is True or state.pressed is True
    chosen = chosen or (one.role == "tab" and state.selected is True)
    return f"{element_key(store, one, route)}{' !' if chosen else ''}"


def _opaque_regions(store: GraphStore) -> set[str]:
    return {f"{one.kind} {one.name or ''}" for one in store.opaque_regions.values()}


def declared_route(store: GraphStore) -> str | None:
    """The id the application gives this route, if it gives one."""
    if store.route.route_id is not UNSET and store.route.route_id:
        return store.route.route_id
    return None
