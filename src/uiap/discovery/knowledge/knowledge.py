"""What a run knows so far: states, what each offers and what was decided about it, and the way that was gone.

It reads states and keeps books; where to go next is the machine's business.
"""

from __future__ import annotations

from uiap.discovery import commands as do
from uiap.discovery import events as when
from uiap.discovery.knowledge.candidates import ActionCandidate, find_element, read_candidates
from uiap.discovery.knowledge.findings import Findings
from uiap.discovery.knowledge.frontier import Frontier
from uiap.discovery.knowledge.known_paths import KnownPaths
from uiap.discovery.knowledge.naming import modal_names, route_id, scope_id, target_of
from uiap.discovery.knowledge.repeated_effects import RepeatedEffects
from uiap.discovery.knowledge.signals import StateFacts, observed_signals
from uiap.discovery.knowledge.states import (
    State,
    StateEntry,
    StateIndex,
    page_offer,
    scope_digests,
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

PATTERN_SIBLINGS = 3
"""So many pages of one parent that offer the same are a pattern; the rest of them is not looked at."""
MAX_ENTRIES = 3
"""So many ways back to a state are remembered."""


class Knowledge:
    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self.book = StateIndex(plan.fingerprints)
        self.findings = Findings()
        self.trail = RunLog()
        self.ways = KnownPaths()
        self.frontier = Frontier()
        self.profile: str | None = None
        self.offered: tuple[str, ...] = ()
        """Actions the runtime has; none known means all."""
        self._siblings: dict[tuple[str, str], set[str]] = {}
        self._patterned: set[str] = set()
        self._habits: set[str] = set()
        self._customs = RepeatedEffects()
        self.aside: list[ActionCandidate] = []
        """Links seen only in the light of something kept; their places are visited by address."""
        self._asked: dict[str, set[str]] = {}
        """The parameters each path was seen with, for this principal."""

    def turn_to(self, profile: str | None) -> None:
        """Another principal has seen nothing yet."""
        self.profile = profile
        self.frontier = Frontier()
        self._asked = {}
        self._customs = RepeatedEffects()

    # -- states ---------------------------------------------------------------------------------------------

    def identify(
        self,
        sight: when.ObservedGraph,
        store: GraphStore,
        entry: StateEntry | None,
        seed: int | None = None,
        *,
        kept: bool = False,
        before: GraphStore | None = None,
    ) -> tuple[State | None, bool]:
        """Which state this is, and whether it is new; None where a budget leaves it out."""
        mark, shape = self.book.print(store), state_shape(store)
        self._note_address(store.route.url)
        known = self.book.known(self.profile, mark, shape)
        if known is not None:
            if entry is not None and entry not in known.entries and len(known.entries) < MAX_ENTRIES:
                known.entries.append(entry)
                known.entries.sort(key=lambda one: one.depth)
            self.findings.route(store, self.profile or "")
            return known, False
        parts, core = scope_digests(store), page_offer(store)
        came = before is None or before.route.url != store.route.url
        same = self.book.asked_otherwise(self.profile, store.route.url, core) if came else None
        if same is not None and not store.modal_stack:
            self.book.same(same, mark, shape)
            self.findings.take(store, same.id, self.profile or "", state_shape(store, ""))
            self._decided(store, same)  # what it offers is known there, or leads to more of the same
            return same, False
        if before is not None and not store.modal_stack and before.route.url == store.route.url:
            shown = self.book.combined(self.profile, route_id(store), parts, parts - scope_digests(before))
            if shown is not None:
                shown.alike += 1
                return shown, False
        over = self._over(store)
        if over is not None:
            route = route_id(store)
            self.trail.gap(f"{over} {route}", f"the budget for {over} left a state of `{route}` out")
            return None, False
        state = self._new(sight, store, entry, seed, mark, shape, kept)
        self.book.own(state, parts, core)
        return state, True

    def begins_at(self, state: State, entry: StateEntry, seed: int | None) -> None:
        """DISC-11.2a: this is the initial state of a seed, and its address leads to it."""
        if entry not in state.entries:
            state.entries.insert(0, entry)
        state.depth = 0
        state.seed = seed if state.seed is None else state.seed

    def _over(self, store: GraphStore) -> str | None:
        bounds = self._plan.bounds
        if len(self.book) >= bounds.states:
            return "states"
        many = self.book.per_route.get((self.profile, route_id(store)), 0)
        return "states per route" if many >= bounds.per_route else None

    def _new(
        self,
        sight: when.ObservedGraph,
        store: GraphStore,
        entry: StateEntry | None,
        seed: int | None,
        mark: Fingerprint,
        shape: str,
        kept: bool,
    ) -> State:
        shown = (one for one in store.scopes.values() if not is_hidden(one))
        state = State(
            id=f"st_{len(self.book) + 1}",
            principal=self.profile,
            print=mark,
            shape=shape,
            route=route_id(store),
            url=store.route.url,
            sight=sight.digest,
            depth=entry.depth if entry is not None else 0,
            entries=[entry] if entry is not None else [],
            scopes=tuple(dict.fromkeys(scope_id(store, one) for one in shown)),
            modal=modal_names(store),
            seed=seed,
            canvas=any(one.kind == "canvas" for one in store.opaque_regions.values()),
            kept=kept,
        )
        self.book.add(state)
        free = state_shape(store, "")
        self.findings.take(store, state.id, self.profile or "", free)
        self._judge(store, state)
        if state.open:  # pages that offer nothing are alike in that alone
            self._notice_pattern(state, free)
        return state

    def _notice_pattern(self, state: State, shape: str) -> None:
        parent = path_pattern(state.url).rpartition("/")[0]
        alike = self._siblings.setdefault((parent, shape), set())
        alike.add(state.route)
        if parent and len(alike) >= PATTERN_SIBLINGS:
            self._patterned.add(parent)

    def _judge(self, store: GraphStore, state: State) -> None:
        """What may be done here is open from now on."""
        for candidate in self._decided(store, state):
            if state.kept and candidate.url is not None:
                self.aside.append(candidate)
            else:
                state.open.append(candidate)
                self.frontier.add(state, candidate)

    def _decided(self, store: GraphStore, state: State) -> list[ActionCandidate]:
        """DISC-13.1: a decision about everything that could be done here, before anything is; what is allowed."""
        allowed = []
        deep = "depth" if state.depth >= self._plan.bounds.depth else None
        for candidate in read_candidates(store, self._plan.territory):
            decision = decide(candidate.judged, self._plan.safety, spent=deep)
            action = candidate.step.action
            if decision.effect == "allow" and self.offered and action not in self.offered:
                decision = SafetyDecision("skip", "manual_only", f"the runtime does not offer {action}")
            if decision.effect == "allow" and candidate.file:
                decision = SafetyDecision("skip", "manual_only", "it leads to a file, not to a page")
            self.findings.decided(store, candidate, decision, state.route)
            if decision.effect == "allow":
                allowed.append(candidate)
        return allowed

    def worth(self, candidate: ActionCandidate) -> bool:
        """DISC-11.5d: does it promise something that was not seen yet?"""
        if candidate.destination is None:
            return not self._customs.settled(candidate.alike)
        path, _, keys = candidate.destination.partition("?")
        if path.rpartition("/")[0] in self._patterned:
            return False
        asked = self._asked.get(path)
        # filters, orders and pages multiply: each parameter is looked at once, not every combination of them
        return asked is None or not keys or not set(keys.split("&")) <= asked

    def _note_address(self, url: str) -> None:
        where = address_pattern(url)
        self.frontier.cover(f"-> {where}")
        path, _, keys = where.partition("?")
        self._asked.setdefault(path, set()).update(keys.split("&") if keys else ())

    # -- requests that were held back -----------------------------------------------------------------------

    def held_on_load(self, effects: when.Effects, url: str) -> None:
        """What a page asks by itself is a habit of it, and told once."""
        for one in effects.blocked:
            self._habits.add(_request_key(one))
            text = f"loading `{address_pattern(url)}` made the page ask {one.method} {one.url}; the guard held it back"
            self.trail.gap(f"blocked {_request_key(one)}", f"{text} ({one.reason})")

    def held_back(self, effects: when.Effects) -> tuple[when.BlockedRequest, ...]:
        """Writes that an action caused; habits of the page are not its doing."""
        return tuple(one for one in effects.blocked if one.wrote and _request_key(one) not in self._habits)

    def led_outside(self, effects: when.Effects, label: str, state: State) -> None:
        """H13: a way out that showed itself only on the way: a hop of a redirect, a window, a frame."""
        for one in effects.blocked:
            if one.reason in ("origin", "address", "scheme") and _request_key(one) not in self._habits:
                text = f"`{label}` leads outside, to {one.url}; the guard held it back ({one.reason})"
                self.trail.gap(f"outside {label} {_request_key(one)}", text, state.id)

    # -- transitions ----------------------------------------------------------------------------------------

    def record(
        self, event: when.Acted, act: do.Act, candidate: ActionCandidate, source: State, before: GraphStore
    ) -> tuple[State | None, bool, GraphStore | None]:
        """DISC-11.6: the action as a transition; the state it led to, whether that is new, and how it looks."""
        after = GraphStore(event.sight.graph) if event.sight is not None else None
        held = self.held_back(event.effects)
        self.led_outside(event.effects, candidate.label, source)
        state, fresh = None, False
        signals: tuple[SuccessSignal, ...] = ()
        contradiction = None
        element = before.element(act.node)
        assert element is not None, "an action is commanded on an element of the state it was chosen in"
        target = target_of(before, element)
        if after is not None and self._plan.territory.admits(after.route.url) and not held:
            assert event.sight is not None
            entry = _entry_after(source, candidate, before, after)
            kept = event.effects.kept or source.kept
            state, fresh = self.identify(event.sight, after, entry, kept=kept, before=before)
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
            if candidate.alike is not None and path_pattern(before.route.url) == path_pattern(
                after.route.url
            ):
                self._customs.learn(candidate.alike, source.route, before, after)
        if state is not None and not event.effects.kept and not event.effects.dialogs:
            self.ways.learn(source, state, candidate.step, candidate.judged.side_effect)
        turned = (
            after is not None and state is source and _parameters_changed(before.route.url, after.route.url)
        )
        seen = bool(signals) or turned or (state is not None and state is not source)
        self._keep(
            Transition(
                id=f"tr_{len(self.trail.transitions) + 1}",
                source=source.id,
                target=state.id if state is not None else source.id,
                action=act.action,
                element=target,
                label=candidate.label,
                role=candidate.role,
                args=act.args,
                side_effect=candidate.judged.side_effect,
                decision=SafetyDecision(act.effect, act.reason, act.why),
                signals=signals,
                # what was seen decides; whether the runtime saw it in time depends on the load of the machine
                status="succeeded" if seen else event.status,
                error=None if seen else event.error,
                blocked=held,
                popups=event.effects.popups,
                dialogs=event.effects.dialogs,
                downloads=event.effects.downloads,
                contradiction=contradiction,
                turned=turned,
            ),
            before,
            act.node,
            source,
            state,
        )
        return (state, fresh, after) if state is not None else (None, False, None)

    def _keep(
        self, made: Transition, before: GraphStore, node: str, source: State, state: State | None
    ) -> None:
        self.trail.transitions.append(made)
        self.findings.done(before, node, source.route, made.id)
        if state is not None and state.route != source.route:
            route = self.findings.routes[state.route]
            route.transitions[made.id] = None
            route.entered_by[made.action] = None


def _parameters_changed(before: str, after: str) -> bool:
    """The same address with other parameters."""
    return before != after and path_without_query(before) == path_without_query(after)


def _request_key(request: when.BlockedRequest) -> str:
    return f"{request.method} {address_pattern(request.url)}"


def _entry_after(
    source: State, candidate: ActionCandidate, before: GraphStore, after: GraphStore
) -> StateEntry | None:
    """How to come back: by the new address if there is one, else by the step from where we were."""
    if after.route.url != before.route.url and not after.modal_stack:
        return StateEntry(after.route.url)
    if not source.entries:
        return None
    known = source.entries[0]
    return StateEntry(known.url, (*known.steps, candidate.step))


def _opened_state(after: GraphStore, candidate: ActionCandidate) -> UIState | None:
    """The control itself says that it stands open or chosen now."""
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
    """DISC-16: what it says and what it does differ."""
    now = path_pattern(after.route.url)
    if candidate.destination is not None and now != candidate.destination.partition("?")[0]:
        return f"`{candidate.label}` points to `{candidate.destination}` and leads to `{now}`"
    promised = candidate.step.action == "ui.expand" or candidate.judged.opens
    if promised and state is source:
        return f"`{candidate.label}` says that it opens something, and nothing opened"
    left = path_pattern(before.route.url) != now
    return f"the tab `{candidate.label}` leads to another page" if candidate.role == "tab" and left else None
