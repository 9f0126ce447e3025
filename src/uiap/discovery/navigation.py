"""Where a run goes next, and how it comes there: what promises most, back by steps or by address (DISC-11.5).

If a way leads elsewhere, the next one is tried; if all do, that is told.
"""

from __future__ import annotations

from collections import deque

from uiap.discovery import commands as do
from uiap.discovery.course import Course
from uiap.discovery.knowledge.candidates import Candidate, Step, find
from uiap.discovery.knowledge.states import State
from uiap.discovery.plan.seeds import Goal
from uiap.discovery.purpose import Explore, Look, Purpose, Trip, Visit
from uiap.discovery.safety.safety import decide, judge
from uiap.graph.store import GraphStore
from uiap.spec.web import ElementNode

NOBODY = "nobody"


class Travel(Course):
    """From choosing a purpose to standing where it can be done."""

    # -- what next ---------------------------------------------------------------------------------------------

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

    def _prepare_next(self) -> list[do.Command]:
        self._move("preparing")
        self._nobody = not self._profiles
        self._profile = NOBODY if self._nobody else self._profiles.popleft()
        self.atlas.turn_to(self._profile)
        self._here, self._store, self._sign_ins = None, None, 0
        return [self._report(), self._ask(self._entrance())]

    def _entrance(self) -> do.Command:
        return do.Prepare(profile=None if self._nobody else self._profile, nobody=self._nobody)

    def _pursue(self, purpose: Purpose) -> list[do.Command]:
        self._purpose = purpose
        if isinstance(purpose, Visit):
            return self._approach(purpose.goal)
        target = self.atlas.book.all[purpose.state]
        if self._here is target and self._stands(purpose):
            return self._perform(target)
        self._trip = Trip(target.id, deque(target.entries))
        here = self._here if self._here is not target else None
        steps = self.atlas.ways.find(here, target) if here is not None else None
        if steps is None and here is not None:
            steps = self._linked(target)
        if steps is None:
            return self._set_out()
        self._trip.steps = deque(steps)
        return self._walk()

    def _approach(self, goal: Goal) -> list[do.Command]:
        """To a seed as people go there, by a link that shows, which within one page is half as dear; else by address.

        Only before anything else was done: what a page remembers of that would come along.
        """
        link = self._link_to(goal.url) if self.status == "seeding" and goal.press is None else None
        if link is None or self._here is None:
            return [self._ask(do.Load(url=goal.url))]
        return self._pursue(Explore(self._here.id, link, goal))

    def _linked(self, target: State) -> tuple[Step, ...] | None:
        """A link that shows here leads to the address of the state."""
        entry = target.entries[0] if target.entries else None
        link = self._link_to(entry.url) if entry is not None and not entry.steps else None
        return (link.step,) if link is not None else None

    def _link_to(self, url: str) -> Candidate | None:
        """One that leads there and may be pressed as it stands."""
        here, store = self._here, self._store
        if here is None or store is None or here.modal or not self._links_lead:
            return None
        for one in here.open:
            if one.url is None or one.file or one.url.rstrip("/") != url.rstrip("/"):
                continue
            element = find(store, one.step)
            if element is not None and self._may(store, element, one.step):
                return one
        return None

    def _may(self, store: GraphStore, element: ElementNode, step: Step) -> bool:
        judged = judge(store, element, step.action, self.plan.territory)
        return decide(judged, self.plan.safety).effect == "allow"

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
        if isinstance(purpose, Explore) and purpose.goal is not None:
            return self._pursue(Explore(purpose.state, purpose.candidate, purpose.goal))
        if isinstance(purpose, Explore) and self.plan.safety.default_mode == "sandbox_write":
            # ACT-8: what may have happened once is not done a second time
            text = f"`{purpose.candidate.label}` was interrupted; whether it took effect is not known"
            self.atlas.trail.gap(f"interrupted {purpose.candidate.cover}", text, purpose.state)
            return self._go()
        return self._pursue(purpose)

    # -- on the way --------------------------------------------------------------------------------------------

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
        return self._give_up()

    def _give_up(self) -> list[do.Command]:
        """It cannot be done; a seed that it was to lead to is visited by its address."""
        if isinstance(self._purpose, Explore) and self._purpose.goal is not None:
            self._links_lead = False
            self.goals.appendleft(self._purpose.goal)
        return self._go()

    def _walk(self) -> list[do.Command]:
        """The next step of the way, or the purpose once there."""
        trip = self._trip
        assert trip is not None
        if trip.steps:
            act = self._replay(trip.steps.popleft())
            return [self._ask(act)] if act is not None else self._set_out()
        target = self.atlas.book.all[trip.state]
        arrived = self._here is target or self._good_enough(target)
        if not arrived:
            return self._set_out()
        self._trip = None
        if trip.entry is not None and target.entries[0] != trip.entry:
            target.entries.remove(trip.entry)
            target.entries.insert(0, trip.entry)
        return self._perform(target)

    def _replay(self, step: Step) -> do.Act | None:
        """The step in the page as it is seen now, if what it means is there."""
        store = self._store
        assert store is not None
        element = find(store, step)
        if element is None:
            return None
        why = "a step on the way to a known address or state"
        return do.Act(
            action=step.action, node=element.instance_id, role=element.role, args=dict(step.args), why=why
        )

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
        if element is None:
            return self._give_up()
        # as it stands now: what was entered or chosen meanwhile may have made it worse
        judged = judge(store, element, candidate.step.action, self.plan.territory)
        decision = decide(judged, self.plan.safety, spent=self._spent())
        if decision.effect != "allow":
            return self._give_up()
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
