"""x.uiap.tools.expect and .wait: verify and wait without acting, since a revision (MDM-R1, MDM-R3a, MDM-R3b).

What already landed is seen at once; after that it looks again only when the page tells of a change. A driver that
pushes nothing is asked at the pace of its own reads.
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
from uiap.host.loop.dispatch import Call, Outcome, Reply
from uiap.host.observation.page import Page, RecordedSignal, TabView
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
    """What was known at a revision: its graph as far as the ring reaches, and what the page told after it."""

    def __init__(self, tab: TabView, since: str | None) -> None:
        self._tab = tab
        self.revision = since if since is not None else tab.store.revision
        self._mark = (
            tab.signal_counts.get(self.revision, tab.signal_count) if since is not None else tab.signal_count
        )
        self._store: GraphStore | None = None
        self._known = since is not None
        if since is not None and (changes := tab.store.since(since)) is not None:
            self._store = store_at(tab.store, changes)

    @property
    def is_outdated(self) -> bool:
        """The revision that was named is too old, or of a document that is gone."""
        return self._tab.store.since(self.revision) is None

    @property
    def changed(self) -> bool:
        return self.is_outdated or bool(self._tab.store.since(self.revision)) or bool(self._new_signals())

    def verdicts(self, signals: tuple[SuccessSignal, ...]) -> tuple[Verdict, ...]:
        before = self._store if self._known else None
        return judge_since(signals, before, self._tab.store, [one.signal for one in self._new_signals()])

    def _new_signals(self) -> list[RecordedSignal]:
        new = self._tab.signal_count - self._mark
        return list(self._tab.recent_signals)[-new:] if new > 0 else []


class ExpectationHandler:
    def __init__(
        self, page: Page, clock: Clock, redact: RedactionFor = lambda _seat: Redaction((), RECORDS_READER)
    ) -> None:
        self._page, self._clock, self._redact = page, clock, redact

    async def expect(self, call: Call) -> Outcome:
        asked: ToolsExpectPayload = call.payload
        if (refused := observe_refusal(self._redact(call.connection))) is not None:
            return refused
        tab = await self._page.wait_for_graph()
        base = ExpectationBaseline(tab, asked.since or None)
        begun = self._clock.now().mono
        policy = "all" if asked.policy is UNSET else asked.policy
        enough = any if policy == "any" else all

        def met() -> bool:
            return enough(verdict.holds for verdict in base.verdicts(asked.signals))

        passed = await self._wait_until(tab, met, _seconds(asked.timeout_ms, EXPECT_MS), twice=True)
        verdicts = base.verdicts(asked.signals)
        missing = [s.kind for s, v in zip(asked.signals, verdicts, strict=True) if not v.holds]
        tab.mark_reported()
        payload = ToolsExpectedPayload(
            passed=passed,
            policy=policy,
            verdicts=_told(asked.signals, verdicts),
            revision=tab.store.revision,
            elapsed_ms=self._elapsed_ms(begun),
            reason=UNSET if passed else f"not seen: {', '.join(missing)}",
        )
        return Reply("x.uiap.tools.expected", payload)

    async def wait(self, call: Call) -> Outcome:
        asked: ToolsWaitPayload = call.payload
        if (refused := observe_refusal(self._redact(call.connection))) is not None:
            return refused
        tab = await self._page.wait_for_graph()
        base = ExpectationBaseline(tab, asked.since or None)
        begun = self._clock.now().mono
        until = () if asked.until is UNSET else asked.until
        idle = asked.idle is True

        def met() -> bool:
            if until and not all(verdict.holds for verdict in base.verdicts(until)):
                return False
            return loading_state(tab).idle if idle else bool(until) or base.changed

        done = await self._wait_until(
            tab, met, _seconds(asked.timeout_ms, WAIT_MS), twice=idle or bool(until)
        )
        redaction = self._redact(call.connection)
        seen = redaction.masked_view(tab.store)
        payload = ToolsWaitedPayload(
            done=done,
            changed=base.changed,
            revision=tab.store.revision,
            loading=loading_state(tab),
            elapsed_ms=self._elapsed_ms(begun),
            changes=outline(seen, since=base.revision, budget=CHANGES_TOKENS) if base.changed else UNSET,
            verdicts=_told(until, base.verdicts(until)) if until else UNSET,
            reason=UNSET if done else _missing(tab, idle, bool(until)),
        )
        tab.mark_reported()
        return Reply("x.uiap.tools.waited", redaction.text_mask.mask_payload(payload))

    async def _wait_until(
        self, tab: TabView, met: Callable[[], bool], seconds: float, *, twice: bool
    ) -> bool:
        """Look, then look after every event of the page. `twice`: believe it once the page was asked again."""
        heard = asyncio.Event()
        forget = self._page.listen(lambda event: heard.set() if event.tab == tab.id else None)
        try:
            async with asyncio.timeout(seconds):
                await self._flush(tab)
                while True:
                    heard.clear()
                    if met() and (not twice or await self._met_after_flush(tab, met)):
                        return True
                    await self._wait_for_event(tab, heard)
        except TimeoutError:
            return met()
        finally:
            forget()

    async def _met_after_flush(self, tab: TabView, met: Callable[[], bool]) -> bool:
        await self._flush(tab)
        return met()

    async def _wait_for_event(self, tab: TabView, heard: asyncio.Event) -> None:
        if self._page.driver.facts.push:
            await heard.wait()
            return
        pace = max(0.1, 2 * self._page.driver.facts.read_cost_s)
        with suppress(TimeoutError):
            async with asyncio.timeout(pace):
                await heard.wait()
        await self._flush(tab)

    async def _flush(self, tab: TabView) -> None:
        with suppress(DriverError):
            await self._page.driver.flush(tab=tab.id)

    def _elapsed_ms(self, begun: float) -> float:
        return round((self._clock.now().mono - begun) * 1000, 1)


def loading_state(tab: TabView) -> LoadingState:
    """MDM-R3b: what says that it is under way, and requests that are not the page's habit."""
    nodes: list[Node] = [*tab.store.elements.values(), *tab.store.scopes.values()]
    busy = tuple(_named(node) for node in nodes if shows_progress(node) and _seen(node))
    requests = tuple(tab.traffic.in_flight)
    return LoadingState(idle=not busy and not requests, busy=busy[:5], requests=requests[:5])


def _seen(node: object) -> bool:
    state = getattr(node, "state", UNSET)
    return getattr(state, "visible", None) is not False


def _named(node: object) -> str:
    noun = getattr(node, "role", None) or getattr(node, "kind", "part")
    name = getattr(node, "name", UNSET)
    return f'{noun} "{name}"' if isinstance(name, str) and name else str(noun)


def _told(signals: tuple[SuccessSignal, ...], verdicts: tuple[Verdict, ...]) -> tuple[SignalVerdict, ...]:
    return tuple(
        SignalVerdict(signal=signal, holds=verdict.holds, already=verdict.already or UNSET)
        for signal, verdict in zip(signals, verdicts, strict=True)
    )


def _missing(tab: TabView, idle: bool, signals: bool) -> str:
    state = loading_state(tab)
    if idle and not state.idle:
        return f"still under way: {', '.join((*state.busy, *state.requests))}"
    return "the signals were not seen" if signals else "nothing changed"


def _seconds(asked: object, default: float) -> float:
    return (asked if isinstance(asked, int | float) else default) / 1000
