"""web.state.*: the graph on request, and its changes for sessions that observe it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET

from uiap.drivers import events as seen
from uiap.drivers.snapshot_view import apply_snapshot_options
from uiap.host.clock import Clock
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.host.loop.loop import SessionConnection
from uiap.host.observation.page import LARGE_READ, Page
from uiap.host.privacy.redaction import Redaction
from uiap.ids import IdMaker, new_seed
from uiap.spec.core import ErrorPayload
from uiap.spec.web import (
    PageGraph,
    SnapshotReason,
    WebObservePayload,
    WebObservingPayload,
    WebSignalPayload,
    WebStateDeltaPayload,
    WebStateGetPayload,
    WebStateSnapshotPayload,
    WebUnobservedPayload,
    WebUnobservePayload,
)

RedactionFor = Callable[[SessionConnection], Redaction]
"""Returns what the session of a connection may read."""


def observe_refusal(redaction: Redaction) -> ErrorPayload | None:
    """Return the refusal if the reader lacks the grant `observe`, which every read of the UI needs."""
    if redaction.can_observe:
        return None
    return decline("forbidden", "reading the page needs the grant `observe`; use a token that has it")


class Subscription:
    """The channels and signal kinds that one session observes."""

    def __init__(self, id: str, connection: SessionConnection, request: WebObservePayload) -> None:
        self.id, self.connection, self.request = id, connection, request

    def publish_snapshot(self, graph: PageGraph, reason: SnapshotReason) -> None:
        """Publish a snapshot, reduced as asked. A session that gets deltas needs all of it as their base."""
        options = UNSET if "delta" in self.request.channels else self.request.options
        reduced = apply_snapshot_options(graph, options or None)
        self.connection.publish("web.state.snapshot", WebStateSnapshotPayload(graph=reduced, reason=reason))


class StateHandler:
    """Snapshots and subscriptions of one page."""

    def __init__(self, page: Page, clock: Clock, redact: RedactionFor) -> None:
        self._page, self._clock, self._redact = page, clock, redact
        self._ids = IdMaker(new_seed())
        self._subscriptions: dict[str, Subscription] = {}
        page.listen(self._on_event)

    async def get(self, call: Call) -> Outcome:
        request: WebStateGetPayload = call.payload
        if (refused := observe_refusal(self._redact(call.connection))) is not None:
            return refused
        tab = await self._page.read_active_tab()
        tab.mark_reported()
        redaction = self._redact(call.connection)
        graph = await self._page.apart(
            lambda: apply_snapshot_options(
                redaction.mask_graph(tab.store.snapshot()), request.options or None
            )
        )
        payload = WebStateSnapshotPayload(graph=graph, reason="requested")
        return Reply("web.state.snapshot", payload, masked=True)

    async def observe(self, call: Call) -> Outcome:
        request: WebObservePayload = call.payload
        if (refused := observe_refusal(self._redact(call.connection))) is not None:
            return refused
        tab = await self._page.read_active_tab()
        tab.mark_reported()
        subscription = Subscription(self._ids.secret("sub"), call.connection, request)
        self._subscriptions[subscription.id] = subscription
        observing = WebObservingPayload(subscription_id=subscription.id, revision=tab.store.revision)
        call.connection.answer(call.id, Reply("web.state.observing", observing))
        if request.send_initial_snapshot is not False:
            redaction = self._redact(call.connection)
            graph = await self._page.apart(lambda: redaction.mask_graph(tab.store.snapshot()))
            subscription.publish_snapshot(graph, "initial")
        return None

    def unobserve(self, call: Call) -> Outcome:
        request: WebUnobservePayload = call.payload
        subscription = self._subscriptions.get(request.subscription_id)
        if subscription is None or subscription.connection is not call.connection:
            return decline("not_found", f"no subscription `{request.subscription_id}` in this session")
        del self._subscriptions[subscription.id]
        return Reply("web.state.unobserved", WebUnobservedPayload(subscription_id=subscription.id))

    def end_session(self, connection: SessionConnection) -> None:
        """Remove the subscriptions of a session."""
        self._subscriptions = {
            id: s for id, s in self._subscriptions.items() if s.connection is not connection
        }

    def _on_event(self, event: seen.AnyEvent) -> None:
        if not self._subscriptions or event.tab != self._page.driver.tabs.active:
            return
        for subscription in list(self._subscriptions.values()):
            if isinstance(event, seen.GraphChanged) and "delta" in subscription.request.channels:
                self._publish_change(subscription, event)
            elif isinstance(event, seen.SignalObserved) and "signal" in subscription.request.channels:
                self._publish_signal(subscription, event)

    def _publish_change(self, subscription: Subscription, event: seen.GraphChanged) -> None:
        redact = self._redact(subscription.connection)
        if event.delta is not None:
            delta = redact.mask_delta(event.delta, self._page.tab(event.tab).store)
            payload = WebStateDeltaPayload(subscription_id=subscription.id, delta=delta)
            subscription.connection.publish("web.state.delta", payload)
        elif event.graph is not None and len(event.graph.elements) > LARGE_READ:
            # the events that follow wait in turn, so their deltas come after the snapshot
            masked: list[PageGraph] = []
            graph = event.graph
            self._page.turns.start(
                lambda: masked.append(redact.mask_graph(graph)),
                lambda: self._publish_snapshot(subscription, masked[0], event),
            )
        elif event.graph is not None:
            self._publish_snapshot(subscription, redact.mask_graph(event.graph), event)

    def _publish_snapshot(
        self, subscription: Subscription, graph: PageGraph, event: seen.GraphChanged
    ) -> None:
        subscription.publish_snapshot(graph, event.reason or "navigation")

    def _publish_signal(self, subscription: Subscription, event: seen.SignalObserved) -> None:
        wanted = subscription.request.signal_kinds
        if isinstance(wanted, tuple) and event.signal.kind not in wanted:
            return
        payload = WebSignalPayload(signal=event.signal, ts=self._clock.now().wall)
        subscription.connection.publish(
            "web.signal", self._redact(subscription.connection).text_mask.mask_payload(payload)
        )
