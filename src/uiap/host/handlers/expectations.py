"""x.uiap.tools.expect and .wait: verify signals and wait without acting, since a revision (MDM-R1, MDM-R3a, MDM-R3b).

Changes that already arrived count at once. After that, signals are judged again only when the page reports an event. A
driver that pushes no changes is polled, at an interval that follows the cost of its reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from msgspec import UNSET

from uiap.drivers.errors import DriverError
from uiap.graph.outline import outline
from uiap.graph.store import GraphStore
from uiap.host.clock import Clock
from uiap.host.handlers.state import RedactionFor, observe_refusal
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.host.observation.page import Page, RecordedSignal, TabView
from uiap.host.privacy.questions import private_question
from uiap.host.privacy.redaction import RECORDS_READER, Redaction
from uiap.signals.change import Node, shows_progress
from uiap.signals.since import judge_since, store_at
from uiap.signals.verdict import Verdict
from uiap.spec.capability import SuccessSignal
from uiap.spec.tools import (
    LoadingState,
    SignalVerdict,
    ToolsExpectedPayload,
    ToolsExpectPayload,
    ToolsWaitedPayload,
    ToolsWaitPayload,
)
from uiap.timeouts import EXPECT_MS, WAIT_MS

CHANGES_TOKENS = 400


class ExpectationBaseline:
    """The state at a revision: its graph, as far as the history reaches, and the signals after it."""

    def __init__(self, tab: TabView, since: str | None, redaction: Callable[[], Redaction]) -> None:
        self._tab, self._redaction = tab, redaction
        self.revision = since if since is not None else tab.store.revision
        self._mark = (
            tab.signal_counts.get(self.revision, tab.signal_count) if since is not None else tab.signal_count
        )
        self._store: GraphStore | None = None
        self._has_revision = since is not None
        if since is not None and (changes := tab.store.since(since)) is not None:
            self._store = store_at(tab.store, changes)

    @property
    def is_outdated(self) -> bool:
        """Whether the revision is too old, or belongs to a document that was replaced."""
        return self._tab.store.since(self.revision) is None

    @property
    def changed(self) -> bool:
        return self.is_outdated or bool(self._tab.store.since(self.revision)) or bool(self._new_signals())

    def verdicts(self, signals: tuple[SuccessSignal, ...]) -> tuple[Verdict, ...]:
        """Judge the signals on the page as the reader sees it: a verdict must not confirm a guessed value."""
        redaction = self._redaction()
        before = self._store if self._has_revision else None
        reported = [redaction.text_mask.mask_payload(one.signal) for one in self._new_signals()]
        return judge_since(
            signals,
            None if before is None else redaction.masked_copy(before),
            redaction.masked_view(self._tab.store),
            reported,
        )

    def _new_signals(self) -> list[RecordedSignal]:
        new = self._tab.signal_count - self._mark
        return list(self._tab.recent_signals)[-new:] if new > 0 else []


class ExpectationHandler:
    """Answers `expect` and `wait` for one page."""

    def __init__(
        self,
        page: Page,
        clock: Clock,
        redact: RedactionFor = lambda _connection: Redaction((), RECORDS_READER),
    ) -> None:
        self._page, self._clock, self._redact = page, clock, redact

    async def expect(self, call: Call) -> Outcome:
        request: ToolsExpectPayload = call.payload
        if (refused := observe_refusal(self._redact(call.connection))) is not None:
            return refused
        tab = await self._page.wait_for_graph()
        reader = self._redact(call.connection)
        if (why := private_question(request.signals, tab.store, reader)) is not None:
            return decline("forbidden", why)
        baseline = ExpectationBaseline(tab, request.since or None, lambda: self._redact(call.connection))
        started = self._clock.now().mono
        policy = "all" if request.policy is UNSET else request.policy
        combine = any if policy == "any" else all

        def met() -> bool:
            return combine(verdict.holds for verdict in baseline.verdicts(request.signals))

        passed = await self.wait_until(tab, met, _seconds(request.timeout_ms, EXPECT_MS), twice=True)
        verdicts = baseline.verdicts(request.signals)
        missing = [s.kind for s, v in zip(request.signals, verdicts, strict=True) if not v.holds]
        tab.mark_reported()
        payload = ToolsExpectedPayload(
            passed=passed,
            policy=policy,
            verdicts=_signal_verdicts(request.signals, verdicts),
            revision=tab.store.revision,
            elapsed_ms=self._elapsed_ms(started),
            reason=UNSET if passed else f"not seen: {', '.join(missing)}",
        )
        return Reply("x.uiap.tools.expected", payload)

    async def wait(self, call: Call) -> Outcome:
        request: ToolsWaitPayload = call.payload
        if (refused := observe_refusal(self._redact(call.connection))) is not None:
            return refused
        tab = await self._page.wait_for_graph()
        until = () if request.until is UNSET else request.until
        reader = self._redact(call.connection)
        if (why := private_question(until, tab.store, reader)) is not None:
            return decline("forbidden", why)
        baseline = ExpectationBaseline(tab, request.since or None, lambda: self._redact(call.connection))
        started = self._clock.now().mono
        idle = request.idle is True

        def met() -> bool:
            if until and not all(verdict.holds for verdict in baseline.verdicts(until)):
                return False
            return loading_state(tab).idle if idle else bool(until) or baseline.changed

        done = await self.wait_until(
            tab, met, _seconds(request.timeout_ms, WAIT_MS), twice=idle or bool(until)
        )
        redaction = self._redact(call.connection)
        view = redaction.masked_view(tab.store)
        payload = ToolsWaitedPayload(
            done=done,
            changed=baseline.changed,
            revision=tab.store.revision,
            loading=loading_state(tab),
            elapsed_ms=self._elapsed_ms(started),
            changes=await self._page.apart(
                lambda: outline(view, since=baseline.revision, budget=CHANGES_TOKENS)
            )
            if baseline.changed
            else UNSET,
            verdicts=_signal_verdicts(until, baseline.verdicts(until)) if until else UNSET,
            reason=UNSET if done else _wait_failure(tab, idle, bool(until)),
        )
        tab.mark_reported()
        return Reply("x.uiap.tools.waited", redaction.text_mask.mask_payload(payload))

    async def wait_until(
        self, tab: TabView, met: Callable[[], bool], seconds: float | None, *, twice: bool
    ) -> bool:
        """Return whether `met` becomes true in time. It is checked at once and after each event of the tab.

        With `twice` it must still be true after the page was read again. Without seconds there is no timeout.
        """
        changed = asyncio.Event()
        unsubscribe = self._page.listen(lambda event: changed.set() if event.tab == tab.id else None)
        try:
            async with asyncio.timeout(seconds):
                await self._flush(tab)
                while True:
                    changed.clear()
                    if await self._page.apart(met) and (not twice or await self._met_after_flush(tab, met)):
                        return True
                    await self._wait_for_event(tab, changed)
        except TimeoutError:
            return await self._page.apart(met)
        finally:
            unsubscribe()

    async def _met_after_flush(self, tab: TabView, met: Callable[[], bool]) -> bool:
        await self._flush(tab)
        return await self._page.apart(met)

    async def _wait_for_event(self, tab: TabView, changed: asyncio.Event) -> None:
        if self._page.driver.facts.push:
            await changed.wait()
            return
        interval_s = max(0.1, 2 * self._page.driver.facts.read_cost_s)
        with suppress(TimeoutError):
            async with asyncio.timeout(interval_s):
                await changed.wait()
        await self._flush(tab)

    async def _flush(self, tab: TabView) -> None:
        with suppress(DriverError):
            await self._page.flush(tab.id)

    def _elapsed_ms(self, started: float) -> float:
        return round((self._clock.now().mono - started) * 1000, 1)


def loading_state(tab: TabView) -> LoadingState:
    """Return whether the tab is busy: busy indicators and open requests, without background requests (MDM-R3b)."""
    nodes: list[Node] = [*tab.store.elements.values(), *tab.store.scopes.values()]
    busy = tuple(_description(node) for node in nodes if shows_progress(node) and _is_visible(node))
    requests = tuple(tab.traffic.in_flight)
    return LoadingState(idle=not busy and not requests, busy=busy[:5], requests=requests[:5])


def _is_visible(node: object) -> bool:
    state = getattr(node, "state", UNSET)
    return getattr(state, "visible", None) is not False


def _description(node: object) -> str:
    kind = getattr(node, "role", None) or getattr(node, "kind", "part")
    name = getattr(node, "name", UNSET)
    return f'{kind} "{name}"' if isinstance(name, str) and name else str(kind)


def _signal_verdicts(
    signals: tuple[SuccessSignal, ...], verdicts: tuple[Verdict, ...]
) -> tuple[SignalVerdict, ...]:
    return tuple(
        SignalVerdict(signal=signal, holds=verdict.holds, already=verdict.already or UNSET)
        for signal, verdict in zip(signals, verdicts, strict=True)
    )


def _wait_failure(tab: TabView, idle: bool, signals: bool) -> str:
    state = loading_state(tab)
    if idle and not state.idle:
        return f"still busy: {', '.join((*state.busy, *state.requests))}"
    return "the signals were not seen" if signals else "nothing changed"


def _seconds(timeout_ms: object, default_ms: float) -> float:
    return (timeout_ms if isinstance(timeout_ms, int | float) else default_ms) / 1000
