"""One discovery run, sans-IO: events in, commands out (DISC-10, DISC-11).

It knows states by what they offer, chooses what promises most, comes back by address and steps, and notices when it
came somewhere else. It never acts itself: every action goes through the public path, after a decision of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from msgspec import UNSET

from uiap.discovery import commands as do
from uiap.discovery import events as when
from uiap.discovery.knowledge.candidates import asks_for_credentials
from uiap.discovery.knowledge.states import Entry, State
from uiap.discovery.lifecycle import TERMINAL
from uiap.discovery.navigation import Travel
from uiap.discovery.plan import seeds
from uiap.discovery.plan.address import path_of, place
from uiap.discovery.plan.seeds import Goal
from uiap.discovery.purpose import Explore, Look, Then, Visit
from uiap.graph.store import GraphStore
from uiap.spec.discovery import UrlSeed

SIGN_INS = 3


class Run(Travel):
    """`handle(event) -> [command]`."""

    def handle(self, event: when.Event) -> list[do.Command]:
        if self.status in TERMINAL:
            return []
        self._pass_time(event)
        return self._TAKE[type(event)](self, event)

    # -- preparing and seeding ---------------------------------------------------------------------------------

    def _started(self, event: when.Started) -> list[do.Command]:
        self.started = event.at
        return self._prepare_next()

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

    # -- arriving ----------------------------------------------------------------------------------------------

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

    # -- evidence ----------------------------------------------------------------------------------------------

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

    # -- acting ------------------------------------------------------------------------------------------------

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
        if purpose.goal is not None:
            self._reached(purpose.goal, event, state)
        else:
            self._come_again(event, purpose)
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

    def _reached(self, goal: Goal, event: when.Acted, state: State | None) -> None:
        """A link was to lead to a seed. Where it did not, or left something behind, its address is loaded."""
        sight = event.sight
        led = sight is not None and place(sight.graph.route.url) == place(goal.url)
        if state is None or not led or event.effects.kept:
            self._links_lead = False
            self.goals.appendleft(goal)
            return
        seed = self.seeds.index(goal) if goal in self.seeds else None
        self.atlas.begins_at(state, Entry(goal.url), seed)
        self._visited_seeds.update({goal} & set(self.seeds))

    def _stepped(self, event: when.Acted) -> list[do.Command]:
        if event.sight is None or self.atlas.held_back(event.effects):
            return self._set_out()
        state, fresh = self._identify(event.sight, GraphStore(event.sight.graph), None)
        return self._captured_first(state, fresh, "walk")

    def _come_again(self, event: when.Acted, purpose: Explore) -> None:
        """A link led where it points, and something was held back: its address shows whose doing that was."""
        url, sight = purpose.candidate.url, event.sight
        if url is None or sight is None or not self.atlas.held_back(event.effects):
            return
        if place(sight.graph.route.url) == place(url) and self.plan.territory.admits(url):
            self.goals.append(Goal(UrlSeed(url=url), url))

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

    # -- from outside ------------------------------------------------------------------------------------------

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
