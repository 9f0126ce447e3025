"""One action under way, and the turns that actions take on a tab."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

import msgspec

from uiap.host.clock import Alarm
from uiap.host.observation.page import Page, TabView
from uiap.host.privacy.journal_masking import Pages
from uiap.host.records.ledger import LedgerClaim
from uiap.host.records.trace import Recorder
from uiap.runtime import events as when
from uiap.runtime.machine import Action
from uiap.spec.action import ActionConfirmationRequestPayload, ActionResultPayload

Hear = Callable[[str, msgspec.Struct], None]
"""Gets every message of an action: its type and payload."""


class Lane:
    """Turns on one tab, in order of asking."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def take(self) -> bool:
        waited = self._lock.locked()
        await self._lock.acquire()
        return waited

    def free(self) -> None:
        if self._lock.locked():
            self._lock.release()


class RunningAction:
    """One action: its machine, who hears of it, where it happens and what it holds."""

    def __init__(
        self, machine: Action, hear: Hear, page: Page, session: str, held: LedgerClaim, recorder: Recorder
    ) -> None:
        self.machine, self.hear, self.page, self.session = machine, hear, page, session
        self.held, self.recorder = held, recorder
        self.asked: ActionConfirmationRequestPayload | None = None
        self.alarm: Alarm | None = None
        self.pages: Pages | None = None
        """Its part of the journal, where one is kept."""
        self.events: deque[when.Event] = deque()
        self.tab: TabView = page.tab()
        self.lane: Lane | None = None
        self.attested: asyncio.Future[None] | None = None
        """Done once the last decision about it is on disk."""
        self.cleared = ""
        """The digest of the grant that was redeemed for it."""
        self.obliged = self.handed = False
        """What the rules oblige to was done; it was put into a person's hands."""
        self.watching = self.performing = self.presented = False
        self.documents = self.steps = 0
        self.done: asyncio.Future[ActionResultPayload] = asyncio.get_running_loop().create_future()

    @property
    def handle(self) -> str:
        return self.machine.terms.handle

    def free(self) -> None:
        if self.lane is not None:
            self.lane.free()
            self.lane = None

    async def before_acting(self) -> None:
        """What was asked to be kept of the page before anything is done to it."""
        await self.recorder.capture_before(self.page.driver, self.tab)


class ReplayedAction:
    """A request that the ledger answers: the result of another action is told once more."""

    def __init__(self, handle: str, hear: Hear, original: asyncio.Future[ActionResultPayload]) -> None:
        self.handle, self.hear, self.original = handle, hear, original
