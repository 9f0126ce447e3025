"""The states a run knows, and the rules that make two observed pages one state.

Pages with equal fingerprints are one state, and pages that offer the same controls in the same scopes. A page with
other parameters that offers nothing new is the same state too. No threshold is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from uiap.discovery.knowledge.candidates import ActionCandidate, ReplayStep
from uiap.discovery.knowledge.page_keys import PageOffer, control_kinds, panel_keys, without_mark
from uiap.discovery.plan.address import page_address, view_address, view_parameters
from uiap.graph.fingerprint import Fingerprint, fingerprint
from uiap.graph.store import GraphStore
from uiap.spec.discovery import DiscoverySeed, StateFingerprintPolicy


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
    title: str = ""
    entries: list[StateEntry] = field(default_factory=list)
    candidates: list[ActionCandidate] = field(default_factory=list)
    scopes: tuple[str, ...] = ()
    modal: tuple[str, ...] = ()
    seed: int | None = None
    found_at: str = ""
    entry_seed: DiscoverySeed | None = None
    """The seed whose exploration led here."""
    screenshot: str | None = None
    ax: str | None = None
    merged_count: int = 0
    """The number of other pages that were merged into this state."""
    has_canvas: bool = False
    storage_changed: bool = False
    """The state was reached by an action that changed the page's own storage."""


class StateIndex:
    def __init__(self, policy: StateFingerprintPolicy | None) -> None:
        self._policy = policy
        self._by_fingerprint: dict[tuple[str | None, str], State] = {}
        self._by_shape: dict[tuple[str | None, str], State] = {}
        self._first_with_scope: dict[tuple[str | None, str, str], State] = {}
        """Principal, route and scope digest to the first state that showed the scope."""
        self._first_with_control: dict[tuple[str | None, str], dict[str, State]] = {}
        """Principal and path with its view to the controls it offers, each with the first state that offered it."""
        self._by_address: dict[tuple[str | None, str], list[tuple[frozenset[str], State]]] = {}
        """Principal and address to the states it was loaded as, each with its kinds of controls."""
        self._first_on_route: dict[tuple[str | None, str], dict[str, State]] = {}
        """Principal and route to the scopes and named controls it showed, each with the first state."""
        self._by_named_controls: dict[tuple[str | None, str, frozenset[str]], State] = {}
        """Principal, route, and all named controls and scopes of a page."""
        self._first_with_panel: dict[tuple[str | None, frozenset[str]], State] = {}
        """Principal and the controls that one press showed to the first state with them."""
        self._panels: dict[tuple[str | None, str], list[tuple[frozenset[str], State]]] = {}
        """Principal and pressed control to the controls that its presses showed."""
        self._by_part: dict[tuple[str | None, str, str], State] = {}
        """Principal, address and fragment to the first state with them."""
        self.by_id: dict[str, State] = {}
        self.per_route: dict[tuple[str | None, str], int] = {}

    @property
    def has_policy(self) -> bool:
        """Whether the run was given its own fingerprint policy; then fingerprints alone decide."""
        return self._policy is not None

    def fingerprint_of(self, store: GraphStore) -> Fingerprint:
        return fingerprint(store, self._policy) if self._policy is not None else fingerprint(store)

    def find(self, principal: str | None, fingerprint: Fingerprint, shape: str) -> State | None:
        """Return the state with this fingerprint, else the one with this shape."""
        exact = self._by_fingerprint.get((principal, fingerprint.digest))
        if exact is not None:
            return exact
        same_shape = self._by_shape.get((principal, shape)) if self._policy is None else None
        if same_shape is not None:
            self._by_fingerprint[principal, fingerprint.digest] = same_shape
            same_shape.merged_count += 1
        return same_shape

    def find_combination(
        self, principal: str | None, route: str, scopes: frozenset[str], new_scopes: frozenset[str]
    ) -> State | None:
        """Return the first state that showed the new scopes, if every scope was seen on this route before."""
        found = ((scope, self._first_with_scope.get((principal, route, scope))) for scope in scopes)
        first = {scope: state for scope, state in found if state is not None}
        if not new_scopes or len(first) < len(scopes):
            return None
        return min((first[scope] for scope in new_scopes), key=_number)

    def find_known_parts(
        self, principal: str | None, route: str, before: GraphStore, after: GraphStore
    ) -> State | None:
        """Return the newest state that first showed a new control, if the route showed all controls before."""
        first, keys = self._first_on_route.get((principal, route), {}), panel_keys(after)
        shown = keys - panel_keys(before)
        if not shown or not keys <= first.keys():
            return None
        return max((first[key] for key in shown), key=_number)

    def find_same_address(self, principal: str | None, store: GraphStore) -> tuple[State | None, bool]:
        """Return the state that this address was loaded as, and whether the page has further controls now.

        A page that lacks some of the kinds of controls, or has further ones, was read at another moment. So was one
        with a dialog that the page opens by itself, such as a welcome: dialogs do not count here.
        """
        kinds = control_kinds(store, with_dialogs=False)
        pages = self._by_address.get((principal, page_address(store.route.url)), [])
        for place, (known, state) in enumerate(pages):
            if kinds <= known or known <= kinds:
                pages[place] = (kinds | known, state)
                return state, known < kinds
        return None, False

    def add_address(self, state: State, store: GraphStore) -> None:
        known = self._by_address.setdefault((state.principal, page_address(store.route.url)), [])
        known.append((control_kinds(store, with_dialogs=False), state))

    def find_same_controls(self, principal: str | None, route: str, store: GraphStore) -> State | None:
        """Return the state of the route with the same named controls and scopes; nameless ones are left out."""
        return self._by_named_controls.get((principal, route, panel_keys(store)))

    def find_part(self, principal: str | None, url: str) -> State | None:
        """Return the state that shows the part of the page which the fragment of the address names."""
        return self._by_part.get((principal, page_address(url), urlsplit(url).fragment))

    def add_part(self, state: State, url: str) -> None:
        if not state.modal:
            self._by_part.setdefault((state.principal, page_address(url), urlsplit(url).fragment), state)

    def add_controls(self, state: State, store: GraphStore) -> None:
        keys = panel_keys(store)
        self._by_named_controls.setdefault((state.principal, state.route, keys), state)
        first = self._first_on_route.setdefault((state.principal, state.route), {})
        first.update((key, state) for key in keys if key not in first)

    def find_same_panel(self, source: State, shown: frozenset[str], control: str | None) -> State | None:
        """Return the state that a press on `source` repeats, if it shows nothing that is not known.

        A press that shows no further scope or named control leaves the page as it is. A press that shows the same
        controls as one before shows the same panel, over another page or another part of the page. So does a press on
        the same control that shows a part of them, whichever of them is selected.
        """
        if not shown:
            return source
        same = self._first_with_panel.get((source.principal, shown))
        panels = self._panels.get((source.principal, control or ""), ())
        parts = {without_mark(one) for one in shown}
        return same or next((state for known, state in panels if parts <= known), None)

    def add_panel(self, state: State, shown: frozenset[str], control: str | None) -> None:
        """Record the state that a press led to, by what it showed and by the pressed control."""
        if shown:
            self._first_with_panel.setdefault((state.principal, shown), state)
            if control:
                parts = frozenset(map(without_mark, shown))
                self._panels.setdefault((state.principal, control), []).append((parts, state))

    def find_with_other_parameters(self, principal: str | None, url: str, offer: PageOffer) -> State | None:
        """Return the state of the same path with other parameters, if this page offers nothing new.

        Filters, orders and pages of a list show other data and link to more of the same. Links to the same page with
        other parameters are new only where a parameter chooses a view. Pages of different views are not compared.
        """
        known = self._first_with_control.get((principal, view_address(url)), {})
        other = next((state for state in known.values() if state.url != url), None)
        if other is None or not offer.controls <= known.keys():
            return None
        return None if view_parameters(url) and not offer.self_links <= known.keys() else other

    def add_offer(self, state: State, scopes: frozenset[str], offer: PageOffer) -> None:
        """Remember which scopes and controls this state was the first to show."""
        for scope in scopes:
            self._first_with_scope.setdefault((state.principal, state.route, scope), state)
        if not state.modal:
            known = self._first_with_control.setdefault((state.principal, view_address(state.url)), {})
            known.update((one, state) for one in (*offer.controls, *offer.self_links) if one not in known)

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


def _number(state: State) -> int:
    return int(state.id[3:])
