"""One guarded gesture: arm the guard, dispatch the input, and derive the outcome from what happens first.

The guard is armed in every document of the tab that runs our script, so a click on another such frame is
stopped there. A click in a frame that we may not read has no verdict; its outcome is `PerformUnknown`.
"""

from __future__ import annotations

import asyncio
import time
from asyncio import Future
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from uiap.actions.ops import Guard
from uiap.drivers.chromium.input.reasons import refusal_from_answer, stop_words
from uiap.drivers.chromium.page.frames import Document
from uiap.drivers.chromium.page.messages import GuardVerdict
from uiap.drivers.chromium.page.offsets import Point
from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.chromium.page.world import evaluation_params, sdk_call
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused, PerformUnknown
from uiap.drivers.errors import BlockedByDialog, CallTimedOut, ConnectionLost, DriverError, TargetGone

Replies = list[Future[dict[str, Any]]]
T = TypeVar("T")


class Gesture:
    """One gesture on a document, with a deadline."""

    def __init__(self, tab: Tab, document: Document, token: str, timeout: float) -> None:
        self.token = token
        self._tab = tab
        self._document = document
        self._deadline = time.monotonic() + timeout
        self._seq = tab.feed.seq
        self._navigations = tab.navigations
        self._begun_at: float | None = None
        self._requests_reported: Future[Any] | None = None
        self.target_removed = False
        """The press began, but the element removed itself before the release; the caller must read the effect."""

    def begin(self) -> None:
        """Record that input may reach the page from now on; only the first call counts."""
        if self._begun_at is None:
            self._begun_at = time.monotonic()

    @property
    def has_begun(self) -> bool:
        return self._begun_at is not None

    def dispatched(self, **details: Any) -> PerformDispatched:
        """Return the outcome of a gesture that reached the page."""
        begun = self._begun_at or time.monotonic()
        return PerformDispatched(
            self._seq, begun, token=self.token, requests_reported=self._requests_reported, **details
        )

    async def unguarded(self, send: Callable[[], Replies]) -> PerformOutcome:
        """Send input that has no single target: a key for the focused element, the wheel, a hover."""
        self.begin()
        replies = send()
        await self._wait_for_replies(replies)
        return self._interruption_outcome(passed=True) or self._reply_outcome(replies)

    async def guarded(
        self, guard: Guard, send: Callable[[], Replies], last: str | None = None, **more: Any
    ) -> PerformOutcome:
        """Arm the guard, then send the input. The guard stops input that would reach another element."""
        refusal = await self.arm(guard, **more)
        if refusal is not None:
            return refusal
        self.begin()
        return await self.finish(send(), last)

    async def arm(self, guard: Guard, **more: Any) -> PerformRefused | None:
        """Arm the guard until `finish`; `more` are additional terms."""
        refusal = await self._arm(guard, more)
        if refusal is not None:
            await self.disarm()
        self._tab.feed.verdicts.clear()
        return refusal

    async def arm_after(
        self, first: Awaitable[T], guard: Guard, **more: Any
    ) -> tuple[T, PerformRefused | None]:
        """Call the page and arm the guard in one round trip; return the answer, and why the guard is not armed."""
        try:
            return await asyncio.gather(first, self.arm(guard, **more))
        except DriverError:
            self._disarm_later()
            raise

    async def aim_and_arm(
        self, aiming: Awaitable[Point | PerformRefused], guard: Guard
    ) -> Point | PerformRefused:
        """Aim and arm in one round trip; this is safe because the guard checks the event itself."""
        aim, refusal = await self.arm_after(aiming, guard)
        if isinstance(aim, PerformRefused) and refusal is None:
            await self.disarm()
        return aim if isinstance(aim, PerformRefused) or refusal is None else refusal

    async def finish(self, replies: Replies, last: str | None = None) -> PerformOutcome:
        """Return the outcome after all input was sent; `last` is the event that ends the gesture, if there is one."""
        await self._wait_for_replies(replies)
        if not self._is_interrupted() and all(reply.done() for reply in replies):
            if last is not None and any(verdict.ok and verdict.event == last for verdict in self._verdicts()):
                self._requests_reported = (
                    self._disarm_later()
                )  # the verdict is final, and a page that paints answers late
            else:
                await self.disarm()  # the answer arrives after all verdicts
        return self._judge(replies)

    def outcome_of_error(self, error: DriverError) -> PerformOutcome:
        """Return the outcome for an error, depending on how far the gesture got."""
        if self._begun_at is None:
            if isinstance(error, BlockedByDialog):
                return PerformRefused("dialog", str(error))
            if isinstance(error, CallTimedOut):
                return PerformRefused("unavailable", str(error))
            # The error may arrive before the event that the document is gone.
            removed = self._document.gone or isinstance(error, TargetGone)
            gone = removed and not self._tab.closed and not self._tab.crashed
            return PerformRefused("gone" if gone else "unavailable", str(error))
        interrupted = self._interruption_outcome(passed=True)
        if interrupted is not None:
            return interrupted
        if isinstance(error, ConnectionLost):
            return PerformUnknown("connection_lost", str(error))
        if isinstance(error, CallTimedOut):
            return PerformUnknown("timeout", str(error))
        if isinstance(error, TargetGone):  # the setter itself caused a navigation
            return self.dispatched(interrupted_by="navigation")
        return PerformUnknown("interrupted", str(error))

    # ------------------------------------------------------------------ waiting and judging

    async def hold(self, seconds: float, *replies: Future[dict[str, Any]]) -> None:
        """Wait for `seconds`, unless something ends the gesture first."""
        await self._tab.wait_until(
            self._is_interrupted, min(seconds, max(0.05, self._deadline - time.monotonic())), *replies
        )

    async def wait_for_step(self, replies: Replies) -> Replies:
        """Wait until the page handled this step; the browser would merge moves, or send them before the press."""
        await self._wait_for_replies(replies)
        return replies

    async def _wait_for_replies(self, replies: Replies) -> None:
        await self._tab.wait_until(
            lambda: all(reply.done() for reply in replies) or self._is_interrupted(),
            max(0.05, self._deadline - time.monotonic()),
            *replies,
        )

    def _is_interrupted(self) -> bool:
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
            return refusal_from_answer({"reason": stopped.reason})
        # "opened": the press opened the target; the guard stopped only the release.
        if stopped is not None and stopped.reason == "opened":
            return self._interruption_outcome(passed) or self._reply_outcome(replies)
        if stopped is not None:
            self.target_removed = stopped.reason in ("detached", "hidden")
            return self.dispatched(detail={"held": False, "final": True, "why": stop_words(stopped)})
        if (interrupted := self._interruption_outcome(passed)) is not None:
            return interrupted
        if not passed and all(reply.done() for reply in replies):
            return PerformUnknown("interrupted", "the input reached none of the documents that we may read")
        return self._reply_outcome(replies)

    def _interruption_outcome(self, passed: bool) -> PerformOutcome | None:
        tab = self._tab
        if tab.crashed:
            return PerformUnknown("crash", "the tab crashed")
        if isinstance(tab.closed, ConnectionLost):
            return PerformUnknown("connection_lost", str(tab.closed))
        if tab.closed:
            return (
                self.dispatched(interrupted_by="closed")
                if passed
                else PerformUnknown("closed", str(tab.closed))
            )
        if tab.dialog is not None:
            if passed:
                return self.dispatched(interrupted_by="dialog")
            return PerformUnknown("interrupted", f"a JavaScript {tab.dialog.kind} opened first")
        if tab.navigations != self._navigations or self._document.gone:
            if passed:
                return self.dispatched(interrupted_by="navigation")
            return PerformUnknown("interrupted", "the page navigated first")
        return None

    def _reply_outcome(self, replies: Replies) -> PerformOutcome:
        if not all(reply.done() for reply in replies):
            return PerformUnknown("timeout", "the page did not handle the input in time")
        for reply in replies:
            if not reply.cancelled() and (error := reply.exception()) is not None:
                return PerformUnknown("interrupted", str(error))
        return self.dispatched()

    def _verdicts(self) -> list[GuardVerdict]:
        return [verdict for verdict in self._tab.feed.verdicts if verdict.token == self.token]

    async def _arm(self, guard: Guard, more: dict[str, Any]) -> PerformRefused | None:
        call = sdk_call("arm", {**guard_terms(guard), **more, "token": self.token})
        others = [
            document for document in self._tab.feed.booted_documents() if document is not self._document
        ]
        remaining_s = max(0.05, self._deadline - time.monotonic())
        answer, *_ = await asyncio.gather(
            self._tab.evaluate_isolated(self._document, call, timeout=remaining_s),
            *(self._evaluate_if_alive(document, call, remaining_s) for document in others),
        )
        decoded = msgspec.json.decode(answer)
        return None if decoded.get("ok") else refusal_from_answer(decoded)

    async def disarm(self) -> None:
        """Disarm the guard in every document of the tab."""
        call = sdk_call("disarm")
        await asyncio.gather(
            *(self._evaluate_if_alive(document, call, 2.0) for document in self._tab.feed.booted_documents())
        )

    def _disarm_later(self) -> Future[Any]:
        """Disarm without waiting; the future completes after all messages of the input's own task."""
        call = sdk_call("disarm")
        replies = [
            document.session.post("Runtime.evaluate", evaluation_params(document, call))
            for document in self._tab.feed.booted_documents()
        ]
        return asyncio.gather(*replies, return_exceptions=True)

    async def _evaluate_if_alive(self, document: Document, call: str, timeout: float) -> None:
        """Evaluate in a document; ignore errors, because a document that is gone needs no guard."""
        try:
            await self._tab.evaluate_isolated(document, call, timeout=timeout)
        except DriverError:
            return


def guard_terms(guard: Guard) -> dict[str, Any]:
    """Return the guard terms in the format of the page script."""
    terms = {"instanceId": guard.node, "role": guard.role, "name": guard.name, "record": guard.record}
    return {member: value for member, value in terms.items() if value is not None}
