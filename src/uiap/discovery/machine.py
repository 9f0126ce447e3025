"""One discovery run, sans-IO: events in, commands out (DISC-10, DISC-11).

It knows states by what they offer, chooses what promises most, comes back by address and steps, and notices when it
came somewhere else. It never acts itself: every action goes through the public path, after a decision of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from msgspec import UNSET

from uiap.discovery import commands as do
from uiap.discovery import events as when
from uiap.discovery import seeds
from uiap.discovery.address import place
from uiap.discovery.atlas import Atlas, path_of
from uiap.discovery.candidates import asks_for_credentials, find
from uiap.discovery.lifecycle import TERMINAL, follows
from uiap.discovery.package import Told, package
from uiap.discovery.plan import Plan, Terms
from uiap.discovery.purpose import Explore, Look, Purpose, Then, Trip, Visit
from uiap.discovery.safety import decide
from uiap.discovery.seeds import Goal
from uiap.discovery.states import Entry, State
from uiap.graph.store import GraphStore
from uiap.protocol.events import Instant
from uiap.spec.discovery import DiscoveryProgressPayload, DiscoveryRunStatus, UrlSeed

SIGN_INS = 3
NOBODY = "nobody"


class Run:
    """`handle(event) -> [command]`; at most one command that is answered is under way."""

    def __init__(self, terms: Terms) -> None:
        self.plan = Plan(terms)
        self.status: DiscoveryRunStatus = "planning"
        self.paused = False
        self.atlas = Atlas(self.plan)
        self.goals: deque[Goal] = deque()
        self.seeds: list[Goal] = []
        self._visited_seeds: set[Goal] = set()
        self._turned_away: list[Goal] = []
        self._nobody = False
        self.started: Instant | None = None
        self.elapsed_ms = 0.0
        self.package: Any = None
        self.available: dict[str, list[str]] = {}
        """DISC-11.1: what was at hand when the run began."""
        self._last: Instant | None = None
        self._profiles = deque(self.plan.profiles)
        self._profile: str | None = None
        self._here: State | None = None
        self._store: GraphStore | None = None
        self._purpose: Purpose | None = None
        self._trip: Trip | None = None
        self._doing: do.Command | None = None
        self._tried: set[tuple[str, str]] = set()
        self._sign_ins = 0
        self._recovering = False
        self._then: Then = "go"

    # -- the door -------------------------------------------------------------------------------------------

    def handle(self, event: when.Event) -> list[do.Command]:
        if self.status in TERMINAL:
            return []
        self._pass_time(event)
        return self._TAKE[type(event)](self, event)

    def _pass_time(self, event: when.Event) -> None:
        """Time while paused or dead does not count."""
        if self._last is not None and not self.paused and not isinstance(event, when.Interrupted):
            self.elapsed_ms += max(0.0, (event.at.mono - self._last.mono) * 1000)
        self._last = event.at

    def _move(self, status: DiscoveryRunStatus) -> None:
        assert follows(self.status, status), f"{self.status} is not followed by {status}"
        self.status = status

    def _report(self, note: str | None = None) -> do.Command:
        here = self._here
        seed = self._purpose.goal.seed if isinstance(self._purpose, Visit) else UNSET
        return do.Report(
            payload=DiscoveryProgressPayload(
                run_id=self.plan.terms.run_id,
                status=self.status,
                current_seed=seed,
                current_route_id=here.route if here is not None else UNSET,
                current_state_id=here.id if here is not None else UNSET,
                visited_states=len(self.atlas.book),
                visited_transitions=len(self.atlas.trail.transitions),
                discovered_routes=len(self.atlas.findings.routes),
                note=note or UNSET,
            )
        )

    # -- preparing and seeding ------------------------------------------------------------------------------

    def _started(self, event: when.Started) -> list[do.Command]:
        self.started = event.at
        return self._prepare_next()

    def _prepare_next(self) -> list[do.Command]:
        self._move("preparing")
        self._nobody = not self._profiles
        self._profile = NOBODY if self._nobody else self._profiles.popleft()
        self.atlas.turn_to(self._profile)
        self._here, self._store, self._sign_ins = None, None, 0
        return [self._report(), self._ask(self._entrance())]

    def _entrance(self) -> do.Command:
        return do.Prepare(profile=None if self._nobody else self._profile, nobody=self._nobody)

    def _prepared(self, event: when.Prepared) -> list[do.Command]:
        self._doing = None
        for note in event.notes:
            self.atlas.trail.note(note)
        if event.problem is not None:
            self.atlas.trail.note(event.problem)
            return self._end("completed" if self._nobody else "failed")
        self.atlas.offered = event.actions
        self.available = {
            "profiles": list(event.profiles),
            "extensions": list(event.extensions),
            "actions": list(event.actions),
        }
        self._here = self._store = None
        if self._recovering:
            self._recovering = False
            return self._again()
        if self.status != "preparing":  # signed in anew
            return self._again()
        self._move("seeding")
        if self._nobody:
            self.goals.extend(self._turned_away)
            self._turned_away = []
            return [self._report(), *self._go()]
        goals = seeds.goals(self.plan, event.urls)
        self.seeds += [goal for goal in goals if goal not in self.seeds]
        self.goals.extend(goals)
        return [self._report(), *self._go()]

    # -- what next ------------------------------------------------------------------------------------------

    def _ask(self, command: do.Command) -> do.Command:
        self._doing = command
        return command

    def _go(self) -> list[do.Command]:
        """Choose what to do now; nothing while paused."""
        if self.paused:
            return []
        self._purpose = self._trip = None
        spent = self._spent()
        if self.goals and (self.status == "seeding" or spent is None):
            return self._pursue(Visit(self.goals.popleft()))
        if self.status == "seeding":
            self._move("exploring")
        while spent is None:
            chosen = self.atlas.frontier.choose(self._here)
            if chosen is None:
                break
            state, candidate = chosen
            if self.atlas.worth(candidate):
                return self._pursue(Explore(state.id, candidate))
        if spent is not None:
            left = len(self.atlas.frontier)
            self.atlas.trail.gap(
                f"budget {spent}", f"the budget for {spent} ended the run; {left} actions were left"
            )
        if spent is None and (self._profiles or self._turned_away):
            return self._prepare_next()
        return self._end("completed")

    def _spent(self) -> str | None:
        """DISC-2.1: which budget is used up."""
        bounds = self.plan.bounds
        if len(self.atlas.book) >= bounds.states:
            return "states"
        if len(self.atlas.trail.transitions) >= bounds.transitions:
            return "transitions"
        return "runtime" if self.elapsed_ms >= bounds.runtime_ms else None

    def _pursue(self, purpose: Purpose) -> list[do.Command]:
        self._purpose = purpose
        if isinstance(purpose, Visit):
            return [self._ask(do.Load(url=purpose.goal.url))]
        target = self.atlas.book.all[purpose.state]
        if self._here is target and self._stands(purpose):
            return self._perform(target)
        self._trip = Trip(target.id, deque(target.entries))
        here = self._here if self._here is not target else None
        steps = self.atlas.ways.find(here, target) if here is not None else None
        if steps is None:
            return self._set_out()
        self._trip.steps = deque(steps)
        return self._walk()

    def _stands(self, purpose: Explore | Look) -> bool:
        """What is seen may be the state beside something else, and not show what we came for."""
        if isinstance(purpose, Look) or self._store is None:
            return True
        return find(self._store, purpose.candidate.step) is not None

    def _again(self) -> list[do.Command]:
        """After an interruption: the same purpose, from the start."""
        purpose = self._purpose
        if purpose is None:
            return self._go()
        if isinstance(purpose, Explore) and self.plan.safety.default_mode == "sandbox_write":
            # ACT-8: what may have happened once is not done a second time
            text = f"`{purpose.candidate.label}` was interrupted; whether it took effect is not known"
            self.atlas.trail.gap(f"interrupted {purpose.candidate.cover}", text, purpose.state)
            return self._go()
        return self._pursue(purpose)

    # -- travelling -----------------------------------------------------------------------------------------

    def _set_out(self) -> list[do.Command]:
        trip = self._trip
        assert trip is not None
        if not trip.entries:
            return self._lost(trip)
        entry = trip.entries.popleft()
        trip.entry, trip.steps = entry, deque(entry.steps)
        return [self._ask(do.Load(url=entry.url))]

    def _lost(self, trip: Trip) -> list[do.Command]:
        """Backtracking came somewhere else every time: what was open there stays open."""
        state = self.atlas.book.all[trip.state]
        count = self.atlas.frontier.drop(state)
        text = f"state {state.id} on `{state.route}` could not be reached again; {count} actions were left"
        self.atlas.trail.gap(f"lost {state.id}", text, state.id)
        return self._go()

    def _walk(self) -> list[do.Command]:
        """The next step of the way, or the purpose once there."""
        trip, store = self._trip, self._store
        assert trip is not None and store is not None
        if trip.steps:
            step = trip.steps.popleft()
            element = find(store, step)
            if element is None:
                return self._set_out()
            act = do.Act(
                action=step.action,
                node=element.instance_id,
                role=element.role,
                args=dict(step.args),
                why="a step on the way back to a known state",
            )
            return [self._ask(act)]
        target = self.atlas.book.all[trip.state]
        arrived = self._here is target or self._good_enough(target)
        if not arrived:
            return self._set_out()
        self._trip = None
        if trip.entry is not None and target.entries[0] != trip.entry:
            target.entries.remove(trip.entry)
            target.entries.insert(0, trip.entry)
        return self._perform(target)

    def _good_enough(self, target: State) -> bool:
        """Another fingerprint, but the same route and what we came for is here."""
        purpose, here, store = self._purpose, self._here, self._store
        if not isinstance(purpose, Explore) or here is None or store is None:
            return False
        return (
            here.route == target.route
            and here.modal == target.modal
            and find(store, purpose.candidate.step) is not None
        )

    # -- arriving -------------------------------------------------------------------------------------------

    def _arrived(self, event: when.Arrived) -> list[do.Command]:
        load, self._doing = self._doing, None
        assert isinstance(load, do.Load)
        self._here = self._store = None
        self.atlas.held_on_load(event.effects, load.url)
        if event.sight is None:
            return self._not_arrived(event, load)
        store = GraphStore(event.sight.graph)
        if self._signed_out(store, load.url):
            self._sign_ins += 1
            self.atlas.trail.note("the session had ended and was opened again")
            return [self._ask(self._entrance())]
        if not self.plan.territory.admits(store.route.url):
            return self._not_arrived(event, load)
        if isinstance(self._purpose, Visit):
            return self._visited(event.sight, store, self._purpose)
        state, fresh = self._identify(event.sight, store, Entry(load.url))
        return self._captured_first(state, fresh, "walk")

    def _not_arrived(self, event: when.Arrived, load: do.Load) -> list[do.Command]:
        if self._trip is not None:
            return self._set_out()
        text = f"`{load.url}` could not be loaded: {event.problem or 'it led outside the permitted origins'}"
        self.atlas.trail.gap(f"load {place(load.url)}", text)
        return self._go()

    def _visited(self, sight: when.Sight, store: GraphStore, visit: Visit) -> list[do.Command]:
        """DISC-11.2a: an initial state for each seed."""
        seed = self.seeds.index(visit.goal) if visit.goal in self.seeds else None
        state, fresh = self._identify(sight, store, Entry(visit.goal.url), seed)
        self._visited_seeds.update({visit.goal} & set(self.seeds))
        elsewhere = path_of(store.route.url) != path_of(visit.goal.url)
        if elsewhere and not self._nobody and not asks_for_credentials(store):
            self._turned_away.append(visit.goal)
        return self._captured_first(state, fresh, "press" if visit.goal.press else "go")

    def _press(self, state: State, goal: Goal) -> list[do.Command]:
        """A menu seed: what bears this label, if it may be pressed."""
        fitting = [
            one for one in state.open if one.label.strip().lower() == (goal.press or "").strip().lower()
        ]
        if not fitting:
            self.atlas.trail.gap(
                f"menu {goal.press}", f"no permitted control is labelled `{goal.press}`", state.id
            )
            return self._go()
        return self._pursue(Explore(state.id, fitting[0]))

    def _signed_out(self, store: GraphStore, wanted: str) -> bool:
        """We asked for one place and were shown a sign-in instead, although this principal was signed in."""
        if self.plan.environment.auth_mode is UNSET or self._sign_ins >= SIGN_INS or not len(self.atlas.book):
            return False
        return path_of(store.route.url) != path_of(wanted) and asks_for_credentials(store)

    def _identify(
        self, sight: when.Sight, store: GraphStore, entry: Entry | None, seed: int | None = None
    ) -> tuple[State | None, bool]:
        state, fresh = self.atlas.identify(sight, store, entry, seed)
        self._here, self._store = state, store
        return state, fresh

    # -- evidence -------------------------------------------------------------------------------------------

    def _captured_first(self, state: State | None, fresh: bool, then: Then) -> list[do.Command]:
        self._then = then
        if not fresh or state is None:
            return self._continue()
        return [self._report(), self._ask(do.Capture(state=state.id))]

    def _continue(self) -> list[do.Command]:
        if self._then == "walk":
            return self._walk() if self._trip is not None else self._again()
        if self._then == "press" and isinstance(self._purpose, Visit) and self._here is not None:
            return self._press(self._here, self._purpose.goal)
        return self._go()

    def _captured(self, event: when.Captured) -> list[do.Command]:
        capture, self._doing = self._doing, None
        assert isinstance(capture, do.Capture)
        state = self.atlas.book.all[capture.state]
        state.screenshot, state.ax = event.screenshot, event.ax
        if isinstance(self._purpose, Look):
            self._then, self._purpose = self._purpose.then, self._purpose.purpose
        return self._continue()

    # -- acting ---------------------------------------------------------------------------------------------

    def _perform(self, state: State) -> list[do.Command]:
        purpose, store = self._purpose, self._store
        assert store is not None
        if isinstance(purpose, Look):
            return [self._ask(do.Capture(state=state.id))]
        assert isinstance(purpose, Explore)
        candidate = purpose.candidate
        self.atlas.frontier.cover(candidate.cover)
        self._tried.add((state.id, candidate.cover))
        element = find(store, candidate.step)
        decision = decide(candidate.judged, self.plan.safety, spent=self._spent())
        if element is None or decision.effect != "allow":
            return self._go()
        act = do.Act(
            action=candidate.step.action,
            node=element.instance_id,
            role=element.role,
            args=dict(candidate.step.args),
            effect=decision.effect,
            reason=decision.reason,
            why=decision.why,
        )
        return [self._ask(act)]

    def _acted(self, event: when.Acted) -> list[do.Command]:
        act, self._doing = self._doing, None
        assert isinstance(act, do.Act)
        if self._trip is not None:
            return self._stepped(event)
        purpose, before, source = self._purpose, self._store, self._here
        assert isinstance(purpose, Explore) and before is not None
        source = self.atlas.book.all[purpose.state] if source is None else source
        self._here = self._store = None
        state, fresh, after = self.atlas.record(event, act, purpose.candidate, source, before)
        if not event.effects.kept:  # else everything would be seen in its light: begin with an address again
            self._here, self._store = state, after
        self._popups(event)
        self._aside()
        self._try_again_here(purpose, state)
        if fresh:
            return self._captured_first(state, fresh, "go")
        return [self._report(), *self._go()]

    def _try_again_here(self, purpose: Explore, state: State | None) -> None:
        """It led back to where it could have been pressed as well (it closed a menu, say): press it there."""
        cover, source = purpose.candidate.cover, self.atlas.book.all[purpose.state]
        if state is None or (state.id, cover) in self._tried or not self.atlas.ways.known(state, source):
            return
        offered = next((one for one in state.open if one.cover == cover and one.destination is None), None)
        if offered is not None:
            self.atlas.frontier.uncover(state, offered)

    def _stepped(self, event: when.Acted) -> list[do.Command]:
        if event.sight is None or self.atlas.held_back(event.effects):
            return self._set_out()
        state, fresh = self._identify(event.sight, GraphStore(event.sight.graph), None)
        return self._captured_first(state, fresh, "walk")

    def _popups(self, event: when.Acted) -> None:
        """A page that opened beside ours is a place to visit."""
        for url in event.effects.popups:
            if self.plan.territory.admits(url):
                self._beside(url)

    def _aside(self) -> None:
        for candidate in self.atlas.aside:
            if candidate.url is not None and self.atlas.worth(candidate):
                self._beside(candidate.url)
        self.atlas.aside.clear()

    def _beside(self, url: str) -> None:
        """A place to visit by its address, unless it was seen or is about to be."""
        if not self.atlas.frontier.covered(f"-> {place(url)}"):
            self.atlas.frontier.cover(f"-> {place(url)}")
            self.goals.append(Goal(UrlSeed(url=url), url))

    # -- from outside ---------------------------------------------------------------------------------------

    def _pause(self, _event: when.Paused) -> list[do.Command]:
        self.paused = True
        return [self._report("paused")]

    def _resume(self, _event: when.Resumed) -> list[do.Command]:
        if not self.paused:
            return []
        self.paused = False
        return [self._report("resumed"), *(self._go() if self._doing is None else [])]

    def _cancel(self, event: when.Cancelled) -> list[do.Command]:
        if event.reason:
            self.atlas.trail.note(f"cancelled: {event.reason}")
        return self._end("cancelled")

    def _fail(self, event: when.Failed) -> list[do.Command]:
        self.atlas.trail.note(event.problem)
        return self._end("failed")

    def _interrupted(self, _event: when.Interrupted) -> list[do.Command]:
        """A new browser: sign in again, then go on with what was under way."""
        if self._doing is None and not self.paused and self.status == "planning":
            return []
        doing, self._doing, self._trip = self._doing, None, None
        if isinstance(doing, do.Capture):
            self._purpose = Look(doing.state, self._purpose, self._then)
        self._recovering = self.status != "preparing"
        return [self._ask(self._entrance())]

    # -- the end --------------------------------------------------------------------------------------------

    def _end(self, status: DiscoveryRunStatus) -> list[do.Command]:
        """Extract, synthesize, review: all from what was gathered, whatever ended the run (DISC-10)."""
        told: list[do.Command] = []
        if status == "completed":
            for step in ("seeding", "exploring") if self.status == "preparing" else ():
                self._move(step)
            for phase in ("extracting", "synthesizing", "reviewing"):
                self._move(phase)
                told.append(self._report())
        self.status = status
        self._doing = None
        self.package = package(self._told(status))
        return [*told, do.Finish(package=self.package)]

    def _told(self, status: DiscoveryRunStatus) -> Told:
        return Told(
            plan=self.plan,
            status=status,
            available={name: found for name, found in self.available.items() if found},
            started=self.started.wall if self.started else "",
            finished=self._last.wall if self._last else "",
            seeds=tuple(self.seeds),
            seeds_visited=len(self._visited_seeds),
            book=self.atlas.book,
            findings=self.atlas.findings,
            trail=self.atlas.trail,
        )

    _TAKE: ClassVar[Mapping[type[when.Event], Callable[[Any, Any], list[do.Command]]]] = MappingProxyType(
        {
            when.Started: _started,
            when.Prepared: _prepared,
            when.Arrived: _arrived,
            when.Acted: _acted,
            when.Captured: _captured,
            when.Paused: _pause,
            when.Resumed: _resume,
            when.Cancelled: _cancel,
            when.Failed: _fail,
            when.Interrupted: _interrupted,
        }
    )
