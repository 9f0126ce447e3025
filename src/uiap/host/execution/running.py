"""One action that is running, as the host sees it, and the lane of a tab."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from uiap.host.clock import Alarm
from uiap.host.loop.loop import SessionConnection
from uiap.host.observation.page import Page, TabView
from uiap.host.privacy.journal_masking import ActionJournal
from uiap.host.records.ledger import LedgerClaim
from uiap.host.records.trace import Recorder
from uiap.policy.control import label_of
from uiap.policy.evaluate import PolicySet
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import ActionTerms
from uiap.runtime.machine import ActionMachine
from uiap.runtime.surroundings import Surroundings, full_surroundings
from uiap.spec.action import ActionResultPayload
from uiap.spec.web import ElementNode

Send = Callable[[str, msgspec.Struct], None]
"""Sends one message of an action to its session: message type and payload."""


class Lane:
    """The right to act on one tab, given in the order of asking."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self.holder: RunningAction | None = None

    async def take(self, holder: RunningAction | None = None) -> bool:
        """Wait for the lane. Return whether another action held it."""
        waited = self._lock.locked()
        await self._lock.acquire()
        self.holder = holder
        return waited

    def free(self) -> None:
        self.holder = None
        if self._lock.locked():
            self._lock.release()


class RunningAction:
    """One action: its machine, where it happens, and what its commands said so far.

    The host reads `stage`, `target`, `decision`, `question` and `handoff` from here, never from the machine.
    """

    def __init__(
        self,
        terms: ActionTerms,
        policies: PolicySet,
        send: Send,
        page: Page,
        claim: LedgerClaim,
        recorder: Recorder,
    ) -> None:
        self.terms, self.policies, self.send, self.page = terms, policies, send, page
        self.machine = ActionMachine(terms, policies)
        self.claim, self.recorder = claim, recorder
        self.alarm: Alarm | None = None
        self.journal: ActionJournal | None = None
        self.events: deque[when.Event] = deque()
        self.tab: TabView = page.tab()
        self.lane: Lane | None = None

        self.owner: SessionConnection | None = None
        """The connection that requested the action. A workflow acts through it."""
        self.stage = "received"
        """The last stage that the machine reported as progress."""
        self.target: ElementNode | None = None
        self.use_target: do.UseTarget | None = None
        self.decision: do.RecordDecision | None = None
        self.question: do.AskPerson | None = None
        self.handoff: do.HandOff | None = None
        self.watch: do.OpenWatch | None = None
        """Set while the watch of this action is open."""

        self.decision_stored: asyncio.Future[None] | None = None
        """Done once the last decision is durable."""
        self.redeemed_grant = ""
        """The digest of the grant that was redeemed for this action."""
        self.kept = False
        """It continues after its session has ended."""
        self.obligations_met = self.handoff_announced = False
        self.performing = self.presented = False
        self.documents = self.steps = 0
        self.done: asyncio.Future[ActionResultPayload] = asyncio.get_running_loop().create_future()

    @property
    def handle(self) -> str:
        return self.terms.handle

    @property
    def session(self) -> str:
        return self.terms.session

    @property
    def awaits_confirmation(self) -> bool:
        return self.stage == "awaiting_confirmation" and self.question is not None

    @property
    def awaits_person(self) -> bool:
        """The step is handed off, and the person has not done it yet."""
        return self.stage == "waiting_for_user" and self.handoff is not None

    def free_lane(self) -> None:
        if self.lane is not None:
            self.lane.free()
            self.lane = None

    async def capture_before(self) -> None:
        """Capture the view of the page that the request asked its trace to keep."""
        await self.recorder.capture_before(self.page.driver, self.tab)


class ReplayedAction:
    """A request that the ledger answers with the result of an earlier action."""

    def __init__(self, handle: str, send: Send, original: asyncio.Future[ActionResultPayload]) -> None:
        self.handle, self.send, self.original = handle, send, original


def tab_surroundings(
    tab: TabView, element: ElementNode, args: Mapping[str, Any] = MappingProxyType({})
) -> Surroundings:
    """Return the surroundings of a target now, with the number of gestures that wrote on its tab."""
    drop = tab.store.element(str(args.get("to", "")))
    return msgspec.structs.replace(
        full_surroundings(tab.store, element),
        writes=tab.writes,
        drop_label="" if drop is None else _drop_label(tab, drop),
    )


def _drop_label(tab: TabView, drop: ElementNode) -> str:
    """Return the label of the element that a drag ends on, and of the nearest named one around it."""
    around = (label_of(one) for one in tab.store.ancestors(drop.instance_id))
    return " ".join(filter(None, (label_of(drop), next(filter(None, around), ""))))
