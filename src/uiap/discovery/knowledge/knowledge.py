"""Everything a run has learned: states, the actions each offers, the transitions, the paths between states.

It identifies observed pages and records actions. The handlers in `states` decide where the run goes next.
"""

from __future__ import annotations

from uiap.discovery import commands, events
from uiap.discovery.knowledge.candidates import ActionCandidate, find_element, read_candidates
from uiap.discovery.knowledge.findings import Findings
from uiap.discovery.knowledge.frontier import Frontier
from uiap.discovery.knowledge.known_paths import KnownPaths
from uiap.discovery.knowledge.naming import modal_names, route_id, scope_id, target_of
from uiap.discovery.knowledge.press_groups import (
    BUDGET_SPENT,
    NOT_PERMITTED,
    TRIED_ELSEWHERE,
    PressGroups,
)
from uiap.discovery.knowledge.repeated_effects import RepeatedEffects
from uiap.discovery.knowledge.signals import StateFacts, observed_signals
from uiap.discovery.knowledge.states import (
    State,
    StateEntry,
    StateIndex,
    hidden_by_press,
    page_offer,
    scope_digests,
    shown_by_press,
    state_shape,
)
from uiap.discovery.knowledge.transitions import RunLog, Transition
from uiap.discovery.plan.address import address_pattern, path_pattern, path_without_query
from uiap.discovery.plan.plan import RunPlan
from uiap.discovery.safety.safety import SafetyDecision, decide
from uiap.graph.fingerprint import Fingerprint
from uiap.graph.store import GraphStore
from uiap.graph.view import is_hidden
from uiap.spec.capability import SuccessSignal, UIState
from uiap.spec.web import ElementNode

PATTERN_SIBLINGS = 3
"""This many pages of one parent that offer the same are a pattern; the others of that parent are not visited."""
MAX_ENTRIES = 3
"""This many entries are remembered for each state."""


class Knowledge:
    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self.states = StateIndex(plan.fingerprint_policy)
        self.findings = Findings()
        self.log = RunLog()
        self.paths = KnownPaths()
        self.frontier = Frontier()
        self.profile: str | None = None
        self.runtime_actions: tuple[str, ...] = ()
        """The actions that the runtime offers; empty means all."""
        self.deferred_links: list[ActionCandidate] = []
        """Links of pages whose storage was changed by an action; their addresses are loaded instead."""
        self._siblings: dict[tuple[str | None, str, str], dict[str, State]] = {}
        """Principal, parent path and shape to the routes that have them, each with its first state."""
        self._pattern_parents: set[str] = set()
        self._page_requests: set[str] = set()
        """Requests that pages send by themselves while they load."""
        self._repeated_effects = RepeatedEffects()
        self._groups = PressGroups()
        self._known_parameters: dict[str, set[str]] = {}
        """Path to the parameters it was visited with by the current principal."""

    def count_left_over(self) -> None:
        """Record why the rest of the frontier was not tried."""
        left = len(self.frontier)
        for reason, count in ((BUDGET_SPENT, left), (TRIED_ELSEWHERE, self.frontier.dropped_count - left)):
            if count > 0:
                self.log.not_tried[reason] += count

    def switch_principal(self, profile: str | None) -> None:
        """Start with an empty frontier for another principal."""
        self.count_left_over()
        self.profile = profile
        self.frontier = Frontier()
        self._known_parameters = {}
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
        """Return the state of the page and whether it is new; None if a budget leaves it out.

        `before`, `source` and `pressed` are the page, the state and the element of an action that led here.
        """
        fingerprint, shape = self.states.fingerprint_of(store), state_shape(store)
        self._record_address(store.route.url)
        known = self.states.find(self.profile, fingerprint, shape)
        if known is not None:
            if entry is not None and entry not in known.entries and len(known.entries) < MAX_ENTRIES:
                known.entries.append(entry)
                known.entries.sort(key=lambda one: one.depth)
            self.findings.add_route(store, self.profile or "")
            return known, False
        scopes, offer = scope_digests(store), page_offer(store)
        address_changed = before is None or before.route.url != store.route.url
        same = (
            self.states.find_with_other_parameters(self.profile, store.route.url, offer)
            if address_changed
            else None
        )
        if same is not None and not store.modal_stack:
            self.states.merge(same, fingerprint, shape)
            self.findings.add_state(store, same.id, self.profile or "", state_shape(store, ""))
            self._decide_all(store, same)  # recorded only: its actions are on the frontier already
            return same, False
        if before is not None and not store.modal_stack and before.route.url == store.route.url:
            new_scopes = scopes - scope_digests(before)
            combined = self.states.find_combination(self.profile, route_id(store), scopes, new_scopes)
            if combined is not None:
                combined.merged_count += 1
                return combined, False
        alike = self.states.find_same_controls(self.profile, route_id(store), store)
        if alike is not None:
            self.states.merge(alike, fingerprint, shape)
            return alike, False
        shown: frozenset[str] = frozenset()
        if before and source and pressed and before.route.url == store.route.url:
            shown = shown_by_press(before, store, pressed)
            repeated = self.states.find_same_panel(source, shown)
            if repeated is not None:
                repeated.merged_count += 1
                return repeated, False
        sibling = self._sibling_state(store)
        if sibling is not None:
            self.findings.add_state(store, sibling.id, self.profile or "", state_shape(store, ""))
            self.states.merge(sibling, fingerprint, shape)
            return sibling, False
        budget = self._spent_budget(store)
        if budget is not None:
            route = route_id(store)
            self.log.add_gap(f"{budget} {route}", f"the budget for {budget} left a state of `{route}` out")
            return None, False
        state = self._add_state(observed, store, entry, seed, fingerprint, shape, storage_changed)
        self.states.add_offer(state, scopes, offer)
        self.states.add_panel(state, shown)
        self.states.add_controls(state, store)
        return state, True

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
            entries=[entry] if entry is not None else [],
            scopes=tuple(dict.fromkeys(scope_id(store, one) for one in visible_scopes)),
            modal=modal_names(store),
            seed=seed,
            has_canvas=any(one.kind == "canvas" for one in store.opaque_regions.values()),
            storage_changed=storage_changed,
        )
        self.states.add(state)
        shape_without_route = state_shape(store, "")
        self.findings.add_state(store, state.id, self.profile or "", shape_without_route)
        self._open_candidates(store, state)
        if state.candidates:  # pages that offer nothing are equal in that alone
            self._record_sibling(state, shape_without_route)
        return state

    def _record_sibling(self, state: State, shape: str) -> None:
        parent = path_pattern(state.url).rpartition("/")[0]
        self._siblings.setdefault((self.profile, parent, shape), {}).setdefault(state.route, state)

    def _sibling_state(self, store: GraphStore) -> State | None:
        """Return the first of several pages of the same parent that offer what this page offers."""
        parent = path_pattern(store.route.url).rpartition("/")[0]
        known = self._siblings.get((self.profile, parent, state_shape(store, "")), {})
        if not parent or route_id(store) in known or len(known) < PATTERN_SIBLINGS - 1:
            return None
        self._pattern_parents.add(parent)
        return next(iter(known.values()))

    def _open_candidates(self, store: GraphStore, state: State) -> None:
        """Put every allowed action of the state on the frontier."""
        for candidate in self._decide_all(store, state):
            if state.storage_changed and candidate.url is not None:
                self.deferred_links.append(candidate)
            else:
                state.candidates.append(candidate)
                self.frontier.add(state, candidate)

    def _decide_all(self, store: GraphStore, state: State) -> list[ActionCandidate]:
        """Record a decision about every action of the state and return the allowed ones (DISC-13.1)."""
        allowed = []
        spent = "depth" if state.depth >= self._plan.bounds.depth else None
        read = read_candidates(store, self._plan.allowed_origins)
        self.log.not_tried.update(read.skipped)
        for candidate in read.found:
            decision = decide(candidate.judgement, self._plan.safety, spent=spent)
            action = candidate.step.action
            if decision.effect == "allow" and self.runtime_actions and action not in self.runtime_actions:
                decision = SafetyDecision("skip", "manual_only", f"the runtime does not offer {action}")
            if decision.effect == "allow" and candidate.is_file:
                decision = SafetyDecision("skip", "manual_only", "it leads to a file, not to a page")
            self.findings.add_decision(store, candidate, decision, state.route)
            if decision.effect == "allow":
                allowed.append(candidate)
            else:
                self.log.not_tried[NOT_PERMITTED[decision.reason]] += 1
        return allowed

    def is_worth_trying(self, candidate: ActionCandidate) -> bool:
        """Whether the action may show something new (DISC-11.5d); the reason is recorded if not."""
        reason = self._reason_to_skip(candidate)
        if reason is not None:
            self.log.not_tried[reason] += 1
        return reason is None

    def _reason_to_skip(self, candidate: ActionCandidate) -> str | None:
        if candidate.destination is None:
            if self._repeated_effects.is_settled(candidate.control_key):
                return "it did the same on several routes"
            return self._groups.reason_to_skip(candidate)
        path, _, parameters = candidate.destination.partition("?")
        if path.rpartition("/")[0] in self._pattern_parents:
            return "several pages of the same parent offer the same"
        known = self._known_parameters.get(path)
        # Filters, orders and pages multiply: each parameter is visited once, not every combination of them.
        if known is None or not parameters or not set(parameters.split("&")) <= known:
            return None
        return "the page was visited with these parameters"

    def _record_address(self, url: str) -> None:
        pattern = address_pattern(url)
        self.frontier.cover(f"-> {pattern}")
        path, _, parameters = pattern.partition("?")
        self._known_parameters.setdefault(path, set()).update(parameters.split("&") if parameters else ())

    # -- blocked requests -----------------------------------------------------------------------------------

    def record_blocked_on_load(self, effects: events.Effects, url: str) -> None:
        """Record the blocked requests of a load. The page sends them by itself, so no action caused them."""
        for request in effects.blocked:
            key = _request_key(request)
            self._page_requests.add(key)
            text = f"loading `{address_pattern(url)}` made the page send {request.method} {request.url}"
            self.log.add_gap(f"blocked {key}", f"{text}; the network guard blocked it ({request.reason})")

    def blocked_writes(self, effects: events.Effects) -> tuple[events.BlockedRequest, ...]:
        """Return the blocked writes that the action caused, without those that the page sends by itself."""
        return tuple(
            one for one in effects.blocked if one.is_write and _request_key(one) not in self._page_requests
        )

    def record_blocked_outside(self, effects: events.Effects, label: str, state: State) -> None:
        """Record blocked requests to other origins: hops of a redirect, windows and frames."""
        for request in effects.blocked:
            key = _request_key(request)
            if request.reason in ("origin", "address", "scheme") and key not in self._page_requests:
                text = f"`{label}` leads outside, to {request.url}"
                text += f"; the network guard blocked it ({request.reason})"
                self.log.add_gap(f"outside {label} {key}", text, state.id)

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
        blocked = self.blocked_writes(event.effects)
        self.record_blocked_outside(event.effects, candidate.label, source)
        state, is_new = None, False
        signals: tuple[SuccessSignal, ...] = ()
        contradiction = None
        element = before.element(act.node)
        assert element is not None, "an action is commanded on an element of the state it was chosen in"
        target = target_of(before, element)
        if after is not None and self._plan.allowed_origins.allows(after.route.url) and not blocked:
            assert event.observed is not None
            entry = _entry_after(source, candidate, before, after)
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
                opened=_opened_state(after, candidate),
                entered=entered,
            )
            contradiction = _contradiction(candidate, before, after, source, state)
            stays_on_page = path_pattern(before.route.url) == path_pattern(after.route.url)
            # A press that only closes what an earlier press opened says nothing about its own effect.
            only_closes = source.depth > 0 and not shown_by_press(before, after, element)
            if candidate.control_key is not None and stays_on_page and not only_closes:
                self._repeated_effects.learn(candidate.control_key, source.route, before, after)
        is_elsewhere = (
            state is not None and after is not None and not self._is_shown(state, source, before, after)
        )
        keeps_page = not (is_elsewhere or event.effects.storage_changed or event.effects.dialogs)
        if state is not None and keeps_page:
            self.paths.learn(source, state, candidate.step, candidate.judgement.side_effect)
        parameters_changed = (
            after is not None and state is source and _parameters_changed(before.route.url, after.route.url)
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
            ),
            before,
            act.node,
            source,
            state,
        )
        # A panel that is known from another page: the state is known, but not the page that shows it now.
        return (state, is_new, after) if state is not None and not is_elsewhere else (None, False, None)

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


def _parameters_changed(before: str, after: str) -> bool:
    """Whether the two addresses differ in their parameters alone."""
    return before != after and path_without_query(before) == path_without_query(after)


def _request_key(request: events.BlockedRequest) -> str:
    return f"{request.method} {address_pattern(request.url)}"


def _entry_after(
    source: State, candidate: ActionCandidate, before: GraphStore, after: GraphStore
) -> StateEntry | None:
    """Return how to reach the page again: by its new address, else by one more step from the source."""
    if after.route.url != before.route.url and not after.modal_stack:
        return StateEntry(after.route.url)
    if not source.entries:
        return None
    known = source.entries[0]
    return StateEntry(known.url, (*known.steps, candidate.step))


def _opened_state(after: GraphStore, candidate: ActionCandidate) -> UIState | None:
    """Return the state of the control itself if it is expanded, selected or open now."""
    element = find_element(after, candidate.step)
    if element is None:
        return None
    state = element.state
    if state.expanded is True:
        return UIState(expanded=True)
    if element.role == "tab" and state.selected is True:
        return UIState(selected=True)
    return UIState(open=True) if state.open is True else None


def _contradiction(
    candidate: ActionCandidate, before: GraphStore, after: GraphStore, source: State, state: State | None
) -> str | None:
    """Return how the effect of the control differs from its label; None if it does not (DISC-16)."""
    path = path_pattern(after.route.url)
    if candidate.destination is not None and path != candidate.destination.partition("?")[0]:
        return f"`{candidate.label}` points to `{candidate.destination}` and leads to `{path}`"
    promises_to_open = candidate.step.action == "ui.expand" or candidate.judgement.opens
    if promises_to_open and state is source:
        return f"`{candidate.label}` says that it opens something, and nothing opened"
    left = path_pattern(before.route.url) != path
    return f"the tab `{candidate.label}` leads to another page" if candidate.role == "tab" and left else None
