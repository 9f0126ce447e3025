"""The states a run knows, and the rules that make two observed pages one state.

Pages with equal fingerprints are one state, and pages that offer the same controls in the same scopes. A page with
other parameters that offers nothing new is the same state too. No threshold is needed.
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
    """A way to reach a state: load an address, then repeat these steps."""

    url: str
    steps: tuple[ReplayStep, ...] = ()

    @property
    def depth(self) -> int:
        return len(self.steps)


@dataclass(slots=True)
class State:
    id: str
    principal: str | None
    fingerprint: Fingerprint
    shape: str
    route: str
    url: str
    graph_digest: str
    depth: int
    entries: list[StateEntry] = field(default_factory=list)
    candidates: list[ActionCandidate] = field(default_factory=list)
    scopes: tuple[str, ...] = ()
    modal: tuple[str, ...] = ()
    seed: int | None = None
    screenshot: str | None = None
    ax: str | None = None
    merged_count: int = 0
    """The number of other pages that were merged into this state."""
    has_canvas: bool = False
    storage_changed: bool = False
    """The state was reached by an action that changed the page's own storage."""


class PageOffer(NamedTuple):
    """The controls a page offers whatever its parameters are; options and records count as data."""

    controls: frozenset[str]
    self_links: frozenset[str]
    """Links to the same page with other parameters."""


class StateIndex:
    def __init__(self, policy: StateFingerprintPolicy | None) -> None:
        self._policy = policy
        self._by_fingerprint: dict[tuple[str | None, str], State] = {}
        self._by_shape: dict[tuple[str | None, str], State] = {}
        self._first_with_scope: dict[tuple[str | None, str, str], State] = {}
        """Principal, route and scope digest to the first state that showed the scope."""
        self._first_with_control: dict[tuple[str | None, str], dict[str, State]] = {}
        """Principal and path to the controls it offers, each with the first state that offered it."""
        self._self_links: dict[tuple[str | None, str], set[str]] = {}
        """Principal and parent path to the self links of the pages below it."""
        self._by_named_controls: dict[tuple[str | None, str, frozenset[str]], State] = {}
        """Principal, route, and all named controls and scopes of a page."""
        self._first_with_panel: dict[tuple[str | None, frozenset[str]], State] = {}
        """Principal and the controls that one press showed to the first state with them."""
        self.by_id: dict[str, State] = {}
        self.per_route: dict[tuple[str | None, str], int] = {}

    def fingerprint_of(self, store: GraphStore) -> Fingerprint:
        return fingerprint(store, self._policy) if self._policy is not None else fingerprint(store)

    def find(self, principal: str | None, fingerprint: Fingerprint, shape: str) -> State | None:
        """Return the state with this fingerprint, else the one with this shape."""
        exact = self._by_fingerprint.get((principal, fingerprint.digest))
        if exact is not None:
            return exact
        same_shape = self._by_shape.get((principal, shape))
        if same_shape is not None:
            self._by_fingerprint[principal, fingerprint.digest] = same_shape
            same_shape.merged_count += 1
        return same_shape

    def find_combination(
        self, principal: str | None, route: str, scopes: frozenset[str], new_scopes: frozenset[str]
    ) -> State | None:
        """Return the first state that showed the new scopes, if every scope was seen on this route before."""
        first = {scope: self._first_with_scope.get((principal, route, scope)) for scope in scopes}
        if not new_scopes or any(state is None for state in first.values()):
            return None
        return min((first[scope] for scope in new_scopes), key=lambda one: int(one.id[3:]))  # type: ignore[union-attr]

    def find_same_controls(self, principal: str | None, route: str, store: GraphStore) -> State | None:
        """Return the state of the route with the same named controls and scopes; nameless ones are left out."""
        return self._by_named_controls.get((principal, route, _panel_keys(store)))

    def add_controls(self, state: State, store: GraphStore) -> None:
        self._by_named_controls.setdefault((state.principal, state.route, _panel_keys(store)), state)

    def find_same_panel(self, source: State, shown: frozenset[str]) -> State | None:
        """Return the state that a press on `source` repeats, if it shows nothing that is not known.

        A press that shows no further scope or named control leaves the page as it is. A press that shows the same
        controls as one before shows the same panel, over another page or another part of the page.
        """
        if not shown:
            return source
        return self._first_with_panel.get((source.principal, shown))

    def add_panel(self, state: State, shown: frozenset[str]) -> None:
        if shown:
            self._first_with_panel.setdefault((state.principal, shown), state)

    def find_with_other_parameters(self, principal: str | None, url: str, offer: PageOffer) -> State | None:
        """Return the state of the same path with other parameters, if this page offers nothing new.

        Filters, orders and pages of a list show other data and link to more of the same. Self links that another list
        below the same parent has are not new either.
        """
        known = self._first_with_control.get((principal, path_without_query(url)), {})
        other = next((state for state in known.values() if state.url != url), None)
        if other is None or not offer.controls <= known.keys():
            return None
        return other if offer.self_links <= self._self_links.get((principal, _parent(url)), set()) else None

    def add_offer(self, state: State, scopes: frozenset[str], offer: PageOffer) -> None:
        """Remember which scopes and controls this state was the first to show."""
        for scope in scopes:
            self._first_with_scope.setdefault((state.principal, state.route, scope), state)
        if not state.modal:
            path = path_without_query(state.url)
            known = self._first_with_control.setdefault((state.principal, path), {})
            known.update((one, state) for one in offer.controls if one not in known)
            links = self._self_links.setdefault((state.principal, _parent(state.url)), set())
            links.update(offer.self_links)

    def merge(self, state: State, fingerprint: Fingerprint, shape: str) -> None:
        """Treat pages with this fingerprint or shape as the given state from now on."""
        self._by_fingerprint[state.principal, fingerprint.digest] = state
        self._by_shape.setdefault((state.principal, shape), state)
        state.merged_count += 1

    def add(self, state: State) -> None:
        self.by_id[state.id] = state
        self._by_fingerprint[state.principal, state.fingerprint.digest] = state
        self._by_shape[state.principal, state.shape] = state
        key = (state.principal, state.route)
        self.per_route[key] = self.per_route.get(key, 0) + 1

    def __len__(self) -> int:
        return len(self.by_id)

    def __iter__(self) -> Iterator[State]:
        return iter(self.by_id.values())


def state_shape(store: GraphStore, route: str | None = None) -> str:
    """Return a digest of the scopes and controls of a page, and of which controls are open or selected."""
    key = route_key(store.route) if route is None else route
    modal = [scope_key(store.scopes[id]) for id in store.modal_stack]
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
    """Return a digest of each scope with its own controls, and of each opaque region."""
    controls: dict[str, set[str]] = {
        one.scope_id: set() for one in store.scopes.values() if not is_hidden(one)
    }
    for one in visible_elements(store):
        if is_actionable(one) and one.scope_id in controls:
            controls[one.scope_id].add(_control_key(store, one, ""))
    regions = _opaque_regions(store)
    scopes = [
        "\x1f".join((scope_path_key(scope_path(store, id)), *sorted(found))) for id, found in controls.items()
    ]
    return frozenset(text_digest([text], size_bytes=8) for text in (*scopes, *regions))


def shown_by_press(before: GraphStore, after: GraphStore, pressed: ElementNode) -> frozenset[str]:
    """Return the scopes and named controls that are new on the page, and the controls that are open now.

    If the pressed control only has another name now, as a switch between two themes, it shows nothing.
    """
    old, new = _panel_keys(before), _panel_keys(after)
    shown, gone = new - old, old - new
    if (
        len(shown) == 1
        and gone == {_control_key(before, pressed, "")}
        and _without_name(*shown) == _without_name(*gone)
    ):
        return frozenset()
    return shown


def hidden_by_press(before: GraphStore, after: GraphStore) -> frozenset[str]:
    """Return the scopes and named controls that the page does not show any more."""
    return _panel_keys(before) - _panel_keys(after)


def _without_name(key: str) -> str:
    """Return the scopes and the role of a control; a scope stays as it is."""
    place, separator, _ = key.rpartition("|")
    return place if separator else key


def _panel_keys(store: GraphStore) -> frozenset[str]:
    scopes = {
        scope_path_key(scope_path(store, one.scope_id)) for one in store.scopes.values() if not is_hidden(one)
    }
    controls = {
        _control_key(store, one, "")
        for one in visible_elements(store)
        if is_actionable(one) and (one.name or one.text or one.stable_id)
    }
    return frozenset(scopes | controls | _opaque_regions(store))


def page_offer(store: GraphStore) -> PageOffer:
    """Return the controls and self links of a page, apart from its options and records."""
    path = path_pattern(store.route.url)
    controls = {
        scope_path_key(scope_path(store, one.scope_id)) for one in store.scopes.values() if not is_hidden(one)
    }
    self_links = set()
    for one in visible_elements(store):
        if not is_actionable(one) or one.role == "option":
            continue
        url = link_url(store, one)
        if url is None or path_pattern(url) != path:
            controls.add(f"record {one.role}" if is_in_record(store, one) else _control_key(store, one, ""))
        elif not is_in_record(store, one):
            self_links.add(_control_key(store, one, ""))
    return PageOffer(frozenset(controls | _opaque_regions(store)), frozenset(self_links))


def _parent(url: str) -> str:
    return path_pattern(url).rpartition("/")[0]


def _control_key(store: GraphStore, one: ElementNode, route: str) -> str:
    """Return the key of a control, with a mark if it is open or selected."""
    state = one.state
    is_open = state.expanded is True or state.open is True or state.pressed is True
    is_open = is_open or (one.role == "tab" and state.selected is True)
    return f"{element_key(store, one, route)}{' !' if is_open else ''}"


def _opaque_regions(store: GraphStore) -> set[str]:
    return {f"{one.kind} {one.name or ''}" for one in store.opaque_regions.values()}


def declared_route(store: GraphStore) -> str | None:
    """Return the id that the application gives this route, or None."""
    if store.route.route_id is not UNSET and store.route.route_id:
        return store.route.route_id
    return None
