"""Everything a run has learned: states, the actions each offers, the transitions, the paths between states.

It identifies observed pages and records actions. The handlers in `states` decide where the run goes next.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from uiap.discovery import commands, events
from uiap.discovery.knowledge.areas import Areas
from uiap.discovery.knowledge.blocked_requests import BlockedRequests
from uiap.discovery.knowledge.candidates import ActionCandidate, ReplayStep, find_element, read_candidates
from uiap.discovery.knowledge.covered_links import covered_links
from uiap.discovery.knowledge.deferred_links import DeferredLinks
from uiap.discovery.knowledge.findings import Findings
from uiap.discovery.knowledge.frontier import Frontier
from uiap.discovery.knowledge.known_paths import KnownPaths
from uiap.discovery.knowledge.naming import modal_names, route_id, scope_id, target_of
from uiap.discovery.knowledge.page_keys import (
    hidden_by_press,
    is_page,
    page_offer,
    scope_digests,
    shown_by_press,
    shows_only_variants,
    shows_other_data,
    state_shape,
)
from uiap.discovery.knowledge.press_effects import (
    contradiction_of,
    entry_after,
    opened_state,
    parameters_differ,
)
from uiap.discovery.knowledge.press_groups import (
    BUDGET_SPENT,
    NOT_PERMITTED,
    TRIED_ELSEWHERE,
    PressGroups,
)
from uiap.discovery.knowledge.pressed_control import PressedControl
from uiap.discovery.knowledge.registered import registered_candidates
from uiap.discovery.knowledge.repeated_effects import RepeatedEffects
from uiap.discovery.knowledge.siblings import Siblings
from uiap.discovery.knowledge.signals import StateFacts, observed_signals
from uiap.discovery.knowledge.states import State, StateEntry, StateIndex
from uiap.discovery.knowledge.transitions import RunLog, Transition
from uiap.discovery.knowledge.visited import VisitedAddresses
from uiap.discovery.plan.address import address_pattern, page_address, path_pattern
from uiap.discovery.plan.plan import RunPlan
from uiap.discovery.safety.safety import Judgement, SafetyDecision, decide
from uiap.graph.fingerprint import Fingerprint
from uiap.graph.store import GraphStore
from uiap.graph.view import is_hidden
from uiap.spec.capability import ActionDescriptor, SuccessSignal
from uiap.spec.web import ElementNode

MAX_ENTRIES = 3
"""This many entries are remembered for each state."""


class Knowledge:
    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self.states = StateIndex(plan.fingerprint_policy)
        self.findings = Findings()
        self.log = RunLog()
        self.blocked = BlockedRequests(self.log)
        self.paths = KnownPaths()
        self.frontier = Frontier()
        self.profile: str | None = None
        self.runtime_actions: tuple[str, ...] = ()
        """The actions that the runtime offers; empty means all."""
        self.registered: dict[str, ActionDescriptor] = {}
        """The actions that the application registered."""
        self._areas = Areas()
        self.deferred_links = DeferredLinks()
        self._siblings = Siblings()
        self._repeated_effects = RepeatedEffects()
        self._groups = PressGroups()
        self._seen_paths: set[str] = set()
        """The paths that earlier principals visited."""
        self._anonymous = False
        self._visited = VisitedAddresses()
        """The addresses that the current principal visited."""

    def add_registered(self, actions: Iterable[ActionDescriptor]) -> None:
        """Remember the actions that a page registered; an id keeps its first declaration."""
        for one in actions:
            self.registered.setdefault(one.id, one)

    def count_left_over(self) -> None:
        """Record why the rest of the frontier was not tried."""
        left = len(self.frontier)
        for reason, count in ((BUDGET_SPENT, left), (TRIED_ELSEWHERE, self.frontier.dropped_count - left)):
            if count > 0:
                self.log.not_tried[reason] += count

    def switch_principal(self, profile: str | None, *, anonymous: bool = False) -> None:
        """Start with an empty frontier for another principal. Without one, only pages that nobody saw are visited."""
        self.count_left_over()
        self.profile = profile
        self._seen_paths.update(self._visited.paths)
        self._anonymous = anonymous
        self.frontier = Frontier()
        self._visited = VisitedAddresses()
        self._repeated_effects = RepeatedEffects()

    # -- states ---------------------------------------------------------------------------------------------

    def identify(
        self,
        observed: events.ObservedGraph,
        store: GraphStore,
        entry: StateEntry | None,
        seed: int | None = None,
        *,
        storage_changed: bool = False,
        before: GraphStore | None = None,
        source: State | None = None,
        pressed: ElementNode | None = None,
    ) -> tuple[State | None, bool]:
        """Return the state of the page and whether it is new; None if a budget leaves it out."""
        fingerprint, shape = self.states.fingerprint_of(store), state_shape(store)
        self._record_address(store.route.url)
        press = PressedControl(source, before, pressed) if source and before and pressed else None
        link = press.link if press is not None else self.deferred_links.key_of(entry.url) if entry else None
        known = self.states.find(self.profile, fingerprint, shape)
        if known is not None:
            self._record_link(link, known, store)
            if entry is not None and entry not in known.entries and len(known.entries) < MAX_ENTRIES:
                known.entries.append(entry)
                known.entries.sort(key=lambda one: one.depth)
            self.findings.add_route(store, self.profile or "")
            return known, False
        if not is_page(store):
            path = path_pattern(store.route.url)
            self.log.add_gap(f"file {path}", f"`{path}` is a file, not a page")
            return None, False
        is_press = before is not None and page_address(before.route.url) == page_address(store.route.url)
        same = None
        if not self.states.has_policy:
            same = (
                self._known_after_press(store, before, press)
                if is_press and before
                else self._known_page(observed, store, entry, link)
            )
        if same is not None:
            if is_press:
                same.merged_count += 1
                if same.route == route_id(store):  # other data: another page of a list
                    self.findings.add_state(store, same.id, self.profile or "", state_shape(store, ""))
            else:
                self.states.merge(same, fingerprint, shape)
            return same, False
        budget = self._spent_budget(store)
        if budget is not None:
            route = route_id(store)
            self.log.limits[budget] += 1
            self.log.add_gap(f"{budget} {route}", f"the budget for {budget} left a state of `{route}` out")
            return None, False
        state = self._add_state(observed, store, entry, seed, fingerprint, shape, storage_changed)
        self.states.add_offer(state, scope_digests(store), page_offer(store))
        self.states.add_controls(state, store)
        self.states.add_part(state, store.route.url)
        if is_press and press is not None:
            self.states.add_panel(state, press.panel(store), press.control)
        elif not is_press:
            self.states.add_address(state, store)
            self._record_link(link, state, store)
        return state, True

    def _record_link(self, link: str | None, state: State, store: GraphStore) -> None:
        """Remember which link led to the page of a state."""
        if link is not None and state.route == route_id(store):
            self._siblings.add_link(link, state)

    def _known_page(
        self,
        observed: events.ObservedGraph,
        store: GraphStore,
        entry: StateEntry | None,
        link: str | None,
    ) -> State | None:
        """Return the state of a page that an address or a link led to, if it is a variant of a known page."""
        same, has_grown = self.states.find_same_address(self.profile, store)
        if same is not None and has_grown:  # the page was read before all of it was there
            same.graph_digest = observed.digest
        if same is None and not store.modal_stack:
            same = self.states.find_with_other_parameters(self.profile, store.route.url, page_offer(store))
        if same is None:
            same = self.states.find_same_controls(self.profile, route_id(store), store)
        if same is not None:
            self._extend(same, store, entry)
            return same
        sibling = self._siblings.find(self.profile, store, link)
        if sibling is not None:  # another record: its buttons do what those of the first one do
            self._extend(sibling, store, entry, links_only=True)
        return sibling

    def _known_after_press(
        self, store: GraphStore, before: GraphStore, press: PressedControl | None
    ) -> State | None:
        """Return the state that a press led to, if the page shows nothing new."""
        route, scopes = route_id(store), scope_digests(store)
        same = None
        if not store.modal_stack:
            new_scopes = scopes - scope_digests(before)
            same = self.states.find_combination(self.profile, route, scopes, new_scopes)
        same = same or self.states.find_same_controls(self.profile, route, store)
        same = same or self.states.find_known_parts(self.profile, route, before, store)
        if same is None and press is not None:
            has_other_data = shows_other_data(before, store) or shows_only_variants(before, store)
            shown = frozenset[str]() if has_other_data else press.panel(store)
            same = self.states.find_same_panel(press.source, shown, press.control)
        if same is not None and press is not None and press.shows_other_part(store):
            return self.states.find_part(press.source.principal, store.route.url)
        return same

    def _extend(
        self, state: State, store: GraphStore, entry: StateEntry | None, *, links_only: bool = False
    ) -> None:
        """Add the actions that a variant offers and its state does not, so that they are tried too."""
        if entry is not None and entry not in state.entries and len(state.entries) < MAX_ENTRIES:
            state.entries.append(entry)
        self.findings.add_state(store, state.id, self.profile or "", state_shape(store, ""))
        known = {one.cover_key for one in state.candidates}
        for candidate in self._decide_all(store, state):
            if candidate.cover_key not in known and not (links_only and candidate.url is None):
                self._open_candidate(store, state, candidate)

    def mark_initial(self, state: State, entry: StateEntry, seed: int | None) -> None:
        """Make this the initial state of a seed, reached by the seed's address (DISC-11.2a)."""
        if entry not in state.entries:
            state.entries.insert(0, entry)
        state.depth = 0
        state.seed = seed if state.seed is None else state.seed

    def _spent_budget(self, store: GraphStore) -> str | None:
        bounds = self._plan.bounds
        if len(self.states) >= bounds.states:
            return "states"
        count = self.states.per_route.get((self.profile, route_id(store)), 0)
        return "states per route" if count >= bounds.per_route else None

    def _add_state(
        self,
        observed: events.ObservedGraph,
        store: GraphStore,
        entry: StateEntry | None,
        seed: int | None,
        fingerprint: Fingerprint,
        shape: str,
        storage_changed: bool,
    ) -> State:
        visible_scopes = (one for one in store.scopes.values() if not is_hidden(one))
        state = State(
            id=f"st_{len(self.states) + 1}",
            principal=self.profile,
            fingerprint=fingerprint,
            shape=shape,
            route=route_id(store),
            url=store.route.url,
            graph_digest=observed.digest,
            depth=entry.depth if entry is not None else 0,
            title=store.route.title or "",
            entries=[entry] if entry is not None else [],
            scopes=tuple(dict.fromkeys(scope_id(store, one) for one in visible_scopes)),
            modal=modal_names(store),
            seed=seed,
            has_canvas=any(one.kind == "canvas" for one in store.opaque_regions.values()),
            storage_changed=storage_changed,
        )
        self.states.add(state)
        self.findings.add_state(store, state.id, self.profile or "", state_shape(store, ""))
        self._open_candidates(store, state)
        if state.candidates and not state.depth:  # pages that offer nothing are equal in that alone
            self._siblings.add(state, store)
        return state

    def _open_candidates(self, store: GraphStore, state: State) -> None:
        """Put every allowed action of the state on the frontier."""
        for link in covered_links(store, state, self._plan):
            self.deferred_links.add(store, link)
        for candidate in self._decide_all(store, state):
            self._open_candidate(store, state, candidate)

    def _open_candidate(self, store: GraphStore, state: State, candidate: ActionCandidate) -> None:
        if candidate.judgement.by_address or (state.storage_changed and candidate.url is not None):
            self.deferred_links.add(store, candidate)
        else:
            state.candidates.append(candidate)
            self.frontier.add(state, candidate)

    def _decide_all(self, store: GraphStore, state: State) -> list[ActionCandidate]:
        """Record a decision about every action of the state and return the allowed ones (DISC-13.1)."""
        allowed = []
        spent = "depth" if state.depth >= self._plan.bounds.depth else None
        read = read_candidates(store, self._plan.allowed_origins)
        self.log.not_tried.update(read.skipped)
        self._decide_opaque(store)
        if spent is not None and read.found:
            self.log.limits[spent] += len(read.found)
            self.log.add_gap(
                f"depth {state.route}",
                f"the budget for depth left {len(read.found)} actions of a state of `{state.route}` out",
                state.id,
            )
        invocations = registered_candidates(store, self.registered)
        for candidate in (*invocations, *read.found):
            decision = decide(candidate.judgement, self._plan.safety, spent=spent)
            action, side_effect = candidate.step.action, candidate.judgement.side_effect
            if decision.effect == "allow" and (why := self._plan.missing_grant(self.profile, side_effect)):
                decision = SafetyDecision("skip", "manual_only", why)
            is_offered = action in self.runtime_actions or action in self.registered
            if decision.effect == "allow" and self.runtime_actions and not is_offered:
                decision = SafetyDecision("skip", "manual_only", f"the runtime does not offer {action}")
            if decision.effect == "allow" and candidate.is_file:
                decision = SafetyDecision("skip", "manual_only", "it leads to a file, not to a page")
            self.findings.add_decision(store, candidate, decision, state.route)
            self.log.decisions[f"{decision.effect} {decision.reason}"] += 1
            self._areas.add(candidate, state, decision)
            if decision.effect == "allow":
                allowed.append(candidate)
            else:
                self.log.not_tried[NOT_PERMITTED[decision.reason]] += 1
        return allowed

    def _decide_opaque(self, store: GraphStore) -> None:
        """Record that nothing is done behind a boundary that cannot be read."""
        for region in store.opaque_regions.values():
            if region.kind != "canvas":
                decision = decide(Judgement("unknown", region.kind), self._plan.safety, opaque=True)
                self.log.decisions[f"{decision.effect} {decision.reason}"] += 1
                self.log.not_tried[NOT_PERMITTED[decision.reason]] += 1

    def record_unreached_areas(self) -> None:
        """Record a gap for each page that a link leads to and that no state shows (DISC-5)."""
        for path, text, state in self._areas.unreached(self.findings.routes.values()):
            if not self._siblings.is_known_pattern(path):
                self.log.add_gap(f"area {path}", text, state)

    def is_worth_trying(self, candidate: ActionCandidate, route: str = "") -> bool:
        """Whether the action may show something new on the route (DISC-11.5d); the reason is recorded if not."""
        if (reason := self._reason_to_skip(candidate, route)) is not None:
            self.log.not_tried[reason] += 1
        return reason is None

    def _reason_to_skip(self, candidate: ActionCandidate, route: str) -> str | None:
        if candidate.destination is None:
            settled = self._repeated_effects.reason_to_skip(candidate.control_key, route)
            return settled or self._groups.reason_to_skip(candidate)
        path, _, parameters = candidate.destination.partition("?")
        if path != route and self._siblings.is_known_pattern(path):  # a page still shows its own views
            return "several pages of the same parent offer the same"
        if self._anonymous and path in self._seen_paths:
            return "a principal visited the page"
        has_visited = parameters and self._visited.has(candidate.destination)
        return "the page was visited with these parameters" if has_visited else None

    def has_visited(self, url: str) -> bool:
        """Whether the current principal visited the address, with each of its parameters."""
        return self._visited.has(address_pattern(url))

    def _record_address(self, url: str) -> None:
        self.frontier.cover(f"-> {address_pattern(url)}")
        self._visited.add(url)

    # -- transitions ----------------------------------------------------------------------------------------

    def record_action(
        self,
        event: events.Acted,
        act: commands.Act,
        candidate: ActionCandidate,
        source: State,
        before: GraphStore,
    ) -> tuple[State | None, bool, GraphStore | None]:
        """Record the action as a transition (DISC-11.6).

        Return the state it led to, whether that state is new, and its page.
        """
        after = GraphStore(event.observed.graph) if event.observed is not None else None
        blocked = self.blocked.writes(event.effects)
        self.blocked.record_outside(event.effects, candidate.label, source)
        state, is_new, contradiction = None, False, None
        signals: tuple[SuccessSignal, ...] = ()
        element = before.element(act.node)
        assert element is not None, "an action is commanded on an element of the state it was chosen in"
        target = target_of(before, element)
        if after is not None and self._plan.allowed_origins.allows(after.route.url) and not blocked:
            assert event.observed is not None
            entry = entry_after(source, candidate, before, after)
            storage_changed = event.effects.storage_changed or source.storage_changed
            state, is_new = self.identify(
                event.observed,
                after,
                entry,
                storage_changed=storage_changed,
                before=before,
                source=source,
                pressed=element,
            )
            entered = act.args.get("text", act.args.get("value")) if event.status == "succeeded" else None
            signals = observed_signals(
                StateFacts.of(before),
                StateFacts.of(after),
                event.effects,
                target=target,
                opened=opened_state(after, candidate.step),
                entered=entered,
            )
            if not event.effects.popups:  # a page in another window leaves this one where it is
                contradiction = contradiction_of(candidate, before, after, source, state)
            stays_on_page = path_pattern(before.route.url) == path_pattern(after.route.url)
            # A press that only closes what an earlier press opened says nothing about its own effect.
            only_closes = source.depth > 0 and not shown_by_press(before, after, element)
            if candidate.control_key is not None and stays_on_page and not only_closes:
                self._repeated_effects.learn(candidate.control_key, source, before, after)
        is_elsewhere = (
            state is not None and after is not None and not self._is_shown(state, source, before, after)
        )
        keeps_page = not (is_elsewhere or event.effects.storage_changed or event.effects.dialogs)
        if state is not None and keeps_page:
            self.paths.learn(source, state, candidate.step, candidate.judgement.side_effect)
        parameters_changed = (
            after is not None and state is source and parameters_differ(before.route.url, after.route.url)
        )
        self._groups.learn(candidate, has_shown=is_new or (state is not None and state is not source))
        has_effect = bool(signals) or parameters_changed or (state is not None and state is not source)
        self._add_transition(
            Transition(
                id=f"tr_{len(self.log.transitions) + 1}",
                source=source.id,
                target=state.id if state is not None else source.id,
                action=act.action,
                element=target,
                label=candidate.label,
                role=candidate.role,
                args=act.args,
                side_effect=candidate.judgement.side_effect,
                decision=SafetyDecision(act.effect, act.reason, act.why),
                signals=signals,
                # An observed effect decides: whether the runtime verified it in time depends on the machine's load.
                status="succeeded" if has_effect else event.status,
                error=None if has_effect else event.error,
                blocked=blocked,
                popups=event.effects.popups,
                dialogs=event.effects.dialogs,
                downloads=event.effects.downloads,
                contradiction=contradiction,
                parameters_changed=parameters_changed,
                step=candidate.step,
                fallback=candidate.fallback,
            ),
            before,
            act.node,
            source,
            state,
        )
        # A panel that is known from another page: the state is known, but not the page that shows it now.
        return (state, is_new, after) if state is not None and not is_elsewhere else (None, False, None)

    def record_repetition(
        self, event: events.Acted, step: ReplayStep, source: State, before: GraphStore, state: State | None
    ) -> None:
        """Count a step of a path as another observation of its transition."""
        if event.observed is None or state is None:
            return
        after, element = GraphStore(event.observed.graph), find_element(before, step)
        signals = observed_signals(
            StateFacts.of(before),
            StateFacts.of(after),
            event.effects,
            target=target_of(before, element) if element is not None else None,
            opened=opened_state(after, step),
        )
        self.log.repeat(source.id, step, state.id, signals)

    def _is_shown(self, state: State, source: State, before: GraphStore, after: GraphStore) -> bool:
        """Whether the page is the state itself, and no variant of it that lacks controls or is over another page."""
        if state.route != route_id(after):
            return False
        return state is not source or not hidden_by_press(before, after)

    def _add_transition(
        self, transition: Transition, before: GraphStore, node: str, source: State, state: State | None
    ) -> None:
        self.log.transitions.append(transition)
        self.findings.add_transition(before, node, source.route, transition.id)
        if state is not None and state.route != source.route:
            route = self.findings.routes[state.route]
            route.transitions[transition.id] = None
            route.entered_by[transition.action] = None
            left = self.findings.routes[source.route].exit_signals
            left.update((msgspec.json.encode(one), one) for one in transition.signals)
