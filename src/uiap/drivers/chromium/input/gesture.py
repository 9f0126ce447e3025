"""One guarded gesture: armed, dispatched, and judged by the first thing that settles it.

The guard stands in every document of the tab that runs our script, so a click that would land in another frame
of ours is stopped there. One that lands where we may not look leaves no verdict, and is Unknown.
"""

from __future__ import annotations

import asyncio
import time
from asyncio import Future
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from uiap.actions.ops import Guard
from uiap.drivers.chromium.input.reasons import refusal_of
from uiap.drivers.chromium.page.frames import Document
from uiap.drivers.chromium.page.messages import GuardVerdict
from uiap.drivers.chromium.page.offsets import Point
from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.chromium.page.world import evaluation, sdk_call
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused, PerformUnknown
from uiap.drivers.errors import BlockedByDialog, CallTimedOut, ConnectionLost, DriverError, TargetGone

Replies = list[Future[dict[str, Any]]]


class Gesture:
    def __init__(self, tab: Tab, document: Document, token: str, timeout: float) -> None:
        self.token = token
        self._tab = tab
        self._document = document
        self._deadline = time.monotonic() + timeout
        self._seq = tab.feed.seq
        self._navigations = tab.navigations
        self._begun: float | None = None
        self._told: Future[Any] | None = None
        self.outlived = False
        """The press began on the element, which took itself away before it ended; what came of it must be read."""

    def begin(self) -> None:
        """From here on something may reach the page; of several steps the first counts."""
        if self._begun is None:
            self._begun = time.monotonic()

    @property
    def begun(self) -> bool:
        return self._begun is not None

    def done(self, **how: Any) -> PerformDispatched:
        begun = self._begun or time.monotonic()
        return PerformDispatched(self._seq, begun, token=self.token, requests_reported=self._told, **how)

    async def unguarded(self, send: Callable[[], Replies]) -> PerformOutcome:
        """Input that has no single target to guard: a key on the focus, the wheel, a hover."""
        self.begin()
        replies = send()
        await self._settled(replies)
        return self._interrupted(passed=True) or self._replied(replies)

    async def guarded(
        self, guard: Guard, send: Callable[[], Replies], last: str | None = None, **more: Any
    ) -> PerformOutcome:
        """Input that must reach one element as it was checked, or nothing."""
        refusal = await self.arm(guard, **more)
        if refusal is not None:
            return refusal
        self.begin()
        return await self.ended(send(), last)

    async def arm(self, guard: Guard, **more: Any) -> PerformRefused | None:
        """The guard stands from here until `ended`; `more` are its further terms."""
        refusal = await self._arm(guard, more)
        if refusal is not None:
            await self._disarm()
        self._tab.feed.verdicts.clear()
        return refusal

    async def armed_while(
        self, aiming: Awaitable[Point | PerformRefused], guard: Guard
    ) -> Point | PerformRefused:
        """Aim and arm in one round trip: neither asks for the other, and the guard judges the event itself."""
        try:
            aim, refusal = await asyncio.gather(aiming, self.arm(guard))
        except DriverError:
            self._disarm_later()
            raise
        if isinstance(aim, PerformRefused) and refusal is None:
            await self._disarm()
        return aim if isinstance(aim, PerformRefused) or refusal is None else refusal

    async def ended(self, replies: Replies, last: str | None = None) -> PerformOutcome:
        """Everything was sent: how did it go? `last` is the event that ends the gesture, where there is just one."""
        await self._settled(replies)
        if not self._stopped() and all(reply.done() for reply in replies):
            if last is not None and any(verdict.ok and verdict.event == last for verdict in self._verdicts()):
                self._told = self._disarm_later()  # all was said; a page that paints answers late
            else:
                await self._disarm()  # answered after everything the guard had to say
        return self._judge(replies)

    def after(self, error: DriverError) -> PerformOutcome:
        """What an error means, given how far the gesture had come."""
        if self._begun is None:
            if isinstance(error, BlockedByDialog):
                return PerformRefused("dialog", str(error))
            if isinstance(error, CallTimedOut):
                return PerformRefused("unavailable", str(error))
            # the answer that the document has gone may overtake the news that it went
            left = self._document.gone or isinstance(error, TargetGone)
            gone = left and not self._tab.closed and not self._tab.crashed
            return PerformRefused("gone" if gone else "unavailable", str(error))
        interrupted = self._interrupted(passed=True)
        if interrupted is not None:
            return interrupted
        if isinstance(error, ConnectionLost):
            return PerformUnknown("connection_lost", str(error))
        if isinstance(error, CallTimedOut):
            return PerformUnknown("timeout", str(error))
        if isinstance(error, TargetGone):  # the setter's own task took the document away
            return self.done(interrupted_by="navigation")
        return PerformUnknown("interrupted", str(error))

    # ------------------------------------------------------------------ inside

    async def hold(self, seconds: float, *replies: Future[dict[str, Any]]) -> None:
        """Stay as it is for so long, unless something ends the gesture first."""
        await self._tab.until(
            self._stopped, min(seconds, max(0.05, self._deadline - time.monotonic())), *replies
        )

    async def stepped(self, replies: Replies) -> Replies:
        """Wait until the page took this step: moves that come together are made one, and may overtake a press."""
        await self._settled(replies)
        return replies

    async def _settled(self, replies: Replies) -> None:
        await self._tab.until(
            lambda: all(reply.done() for reply in replies) or self._stopped(),
            max(0.05, self._deadline - time.monotonic()),
            *replies,
        )

    def _stopped(self) -> bool:
        tab = self._tab
        return bool(
            tab.dialog
            or tab.closed
            or tab.crashed
            or tab.navigations != self._navigations
            or self._document.gone
        )

    def _judge(self, replies: Replies) -> PerformOutcome:
        verdicts = self._verdicts()
        passed = any(verdict.ok for verdict in verdicts)
        stopped = next((verdict for verdict in verdicts if not verdict.ok), None)
        if stopped is not None and not passed:
            return refusal_of({"reason": stopped.reason})
        if (
            stopped is not None and stopped.reason == "opened"
        ):  # the press opened it; only the release was held back
            return self._interrupted(passed) or self._replied(replies)
        if stopped is not None:
            self.outlived = stopped.reason in ("detached", "hidden")
            return PerformUnknown(
                "interrupted", f"stopped at {stopped.event} after it had begun: {stopped.reason}"
            )
        if (interrupted := self._interrupted(passed)) is not None:
            return interrupted
        if not passed and all(reply.done() for reply in replies):
            return PerformUnknown("interrupted", "the input reached none of the documents we may look into")
        return self._replied(replies)

    def _interrupted(self, passed: bool) -> PerformOutcome | None:
        tab = self._tab
        if tab.crashed:
            return PerformUnknown("crash", "the tab crashed")
        if isinstance(tab.closed, ConnectionLost):
            return PerformUnknown("connection_lost", str(tab.closed))
        if tab.closed:
            return self.done(interrupted_by="closed") if passed else PerformUnknown("closed", str(tab.closed))
        if tab.dialog is not None:
            if passed:
                return self.done(interrupted_by="dialog")
            return PerformUnknown("interrupted", f"a JavaScript {tab.dialog.kind} opened first")
        if tab.navigations != self._navigations or self._document.gone:
            if passed:
                return self.done(interrupted_by="navigation")
            return PerformUnknown("interrupted", "the page was left first")
        return None

    def _replied(self, replies: Replies) -> PerformOutcome:
        if not all(reply.done() for reply in replies):
            return PerformUnknown("timeout", "the page did not take the input in time")
        for reply in replies:
            if not reply.cancelled() and (error := reply.exception()) is not None:
                return PerformUnknown("interrupted", str(error))
        return self.done()

    def _verdicts(self) -> list[GuardVerdict]:
        return [verdict for verdict in self._tab.feed.verdicts if verdict.token == self.token]

    async def _arm(self, guard: Guard, more: dict[str, Any]) -> PerformRefused | None:
        call = sdk_call("arm", {**terms(guard), **more, "token": self.token})
        others = [document for document in self._tab.feed.booted() if document is not self._document]
        left = max(0.05, self._deadline - time.monotonic())
        answer, *_ = await asyncio.gather(
            self._tab.ask(self._document, call, timeout=left),
            *(self._quietly(document, call, left) for document in others),
        )
        said = msgspec.json.decode(answer)
        return None if said.get("ok") else refusal_of(said)

    async def _disarm(self) -> None:
        call = sdk_call("disarm")
        await asyncio.gather(*(self._quietly(document, call, 2.0) for document in self._tab.feed.booted()))

    def _disarm_later(self) -> Future[Any]:
        """The answers come behind everything that the task of the input had to tell."""
        call = sdk_call("disarm")
        replies = [
            document.session.post("Runtime.evaluate", evaluation(document, call))
            for document in self._tab.feed.booted()
        ]
        return asyncio.gather(*replies, return_exceptions=True)

    async def _quietly(self, document: Document, call: str, timeout: float) -> None:
        """A document that goes away has nothing left to guard."""
        try:
            await self._tab.ask(document, call, timeout=timeout)
        except DriverError:
            return


def terms(guard: Guard) -> dict[str, Any]:
    """Guard terms as the publisher reads them."""
    named = {"instanceId": guard.node, "role": guard.role, "name": guard.name, "record": guard.record}
    return {member: value for member, value in named.items() if value is not None}
