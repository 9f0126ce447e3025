"""Observes a page while somebody works in it, and describes each input with its element and its effects.

A person's inputs come from the driver, an agent's actions from the action handler. `workflow/recording` makes the
definition of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.authoring.from_discovery.items import to_manifest_item
from uiap.discovery.events import Effects
from uiap.discovery.knowledge.candidates import is_in_record
from uiap.discovery.knowledge.naming import scope_of, slug
from uiap.discovery.knowledge.own_names import own_attributes, twin_of
from uiap.discovery.knowledge.signals import StateFacts, observed_signals
from uiap.drivers import events as seen
from uiap.drivers.driver import SupportsInputReports
from uiap.drivers.network_rules import READ_METHODS
from uiap.errors import Unavailable
from uiap.graph.store import GraphStore
from uiap.graph.view import is_hidden, record_of, visible_elements
from uiap.host.execution.running import RunningAction
from uiap.host.observation.page import Page, TabView
from uiap.spec.action import ActionResultPayload
from uiap.spec.authoring import ElementBinding
from uiap.spec.web import ElementNode, StatusUpdatedSignal, ToastShownSignal
from uiap.workflow.recording import (
    ObservedMessage,
    Recorded,
    RecordedAction,
    RecordedEffects,
    RecordedInput,
    RecordedTarget,
)

READING = frozenset({"ui.read", "ui.highlight", "ui.hover", "ui.focus", "ui.scroll", "ui.scrollIntoView"})
"""Actions that are no steps: each step finds its target by itself."""
MAX_INPUTS = 500
MAX_NAMES = 3_000


@dataclass
class _OpenInput:
    """The last input, whose effects are still observed."""

    input: Recorded
    tab: str
    before: StateFacts
    names: frozenset[tuple[str, str]]
    handle: str = ""
    ended: bool = True
    messages: list[ObservedMessage] = field(default_factory=list)
    wrote: bool = False


class PageRecorder:
    """Records one page. An agent's recording has its own actions alone, never a person's inputs.

    Args:
        is_private: Whether records must not hold the value of an element.
    """

    def __init__(self, page: Page, is_private: Callable[[ElementNode], bool], *, person: bool) -> None:
        self._page, self._is_private, self.person = page, is_private, person
        self._recorded: list[Recorded] = []
        self._open: _OpenInput | None = None
        self._picked: asyncio.Future[ElementNode] | None = None
        self._stop: Callable[[], None] = lambda: None
        self.url = ""

    async def start(self) -> None:
        self.url = (await self._page.read_active_tab()).store.route.url
        self._stop = self._page.listen(self._on_event)
        if self.person:
            await self._report_inputs("report")

    async def _report_inputs(self, mode: Any) -> None:
        driver = self._page.driver
        if isinstance(driver, SupportsInputReports):
            await driver.report_inputs(mode)
        elif mode == "pick":
            raise Unavailable("this application does not report what a person presses; leave out the pick")

    async def pick(self) -> ElementNode:
        """Wait until the person presses the element that proves success. The press does nothing else."""
        self._picked = asyncio.get_running_loop().create_future()
        await self._report_inputs("pick")
        try:
            return await self._picked
        finally:
            self._picked = None
            await self._report_inputs("report")

    async def stop(self) -> tuple[Recorded, ...]:
        """Return the inputs and actions, in order. Effects that the page shows now belong to the last one."""
        if self._open is not None:
            await self._page.read_active_tab()
        self._close_open()
        self.detach()
        if self.person:
            await self._report_inputs("off")
        return tuple(self._recorded)

    def so_far(self) -> tuple[Recorded, ...]:
        """Return the inputs and actions so far, and go on."""
        last = None if self._open is None else self._with_effects(self._open)
        return (*self._recorded, last) if last is not None else tuple(self._recorded)

    def detach(self) -> None:
        self._stop()

    # -- events ---------------------------------------------------------------------------------------------

    def _on_event(self, event: seen.AnyEvent) -> None:
        if isinstance(event, seen.InputReported):
            self._on_input(event)
        elif self._open is not None:
            self._observe(self._open, event)

    def _observe(self, open: _OpenInput, event: seen.AnyEvent) -> None:
        match event:
            case seen.SignalObserved(signal=ToastShownSignal(text=text)):
                open.messages.append(ObservedMessage("toast", text))
            case seen.SignalObserved(signal=StatusUpdatedSignal(text=text)):
                open.messages.append(ObservedMessage("status", text))
            case seen.RequestSent(method=method) if method not in READ_METHODS:
                open.wrote = True

    def _on_input(self, event: seen.InputReported) -> None:
        tab = self._page.tab(event.tab)
        element = tab.store.element(event.node)
        if event.kind == "pick":
            if self._picked is not None and not self._picked.done() and element is not None:
                self._picked.set_result(element)
            return
        if element is None or len(self._recorded) >= MAX_INPUTS:
            return
        if self._same_field(event):
            return
        store = GraphStore(tab.store.snapshot())
        secret = event.secret or self._is_private(element)
        self._begin(
            RecordedInput(
                kind=event.kind,
                target=recorded_target(store, element),
                value=None if secret else event.value,
                secret=secret,
                key=event.key,
                by_key=event.by_key,
            ),
            tab,
            store,
        )

    def _same_field(self, event: seen.InputReported) -> bool:
        """Return whether the event continues the value that is being entered, after noting the new value."""
        open = self._open
        if open is None or event.kind != "value" or not isinstance(last := open.input, RecordedInput):
            return False
        if last.kind != "value" or last.target.element.instance_id != event.node:
            return False
        if not last.secret:
            open.input = msgspec.structs.replace(last, value=event.value)
        return True

    # -- actions of an agent --------------------------------------------------------------------------------

    def target_chosen(
        self, handle: str, action_id: str, args: Mapping[str, Any], element: ElementNode | None, tab: TabView
    ) -> None:
        """An action has its target, and is about to act."""
        if action_id in READING or len(self._recorded) >= MAX_INPUTS:
            return
        store = GraphStore(tab.store.snapshot())
        action = RecordedAction(
            action_id=action_id,
            target=None if element is None else recorded_target(store, element),
            args=dict(args),
            private=element is not None and self._is_private(element),
        )
        if self._open is not None and self._open.handle == handle:
            self._open = None  # it resolved its target again
        self._begin(action, tab, store, handle)

    def action_ended(self, handle: str, succeeded: bool) -> None:
        """An action that did not succeed is no step."""
        if self._open is None or self._open.handle != handle:
            return
        if succeeded:
            self._open.ended = True
        else:
            self._open = None

    # -- effects --------------------------------------------------------------------------------------------

    def _begin(self, input: Recorded, tab: TabView, store: GraphStore, handle: str = "") -> None:
        self._close_open()
        self._open = _OpenInput(
            input, tab.id, StateFacts.of(store), _names(store), handle=handle, ended=not handle
        )

    def _close_open(self) -> None:
        last = None if self._open is None else self._with_effects(self._open)
        self._open = None
        if last is not None:
            self._recorded.append(last)

    def _with_effects(self, open: _OpenInput) -> Recorded | None:
        """Return an input with the effects that are there now; None for an action that is under way."""
        if not open.ended:
            return None
        store = GraphStore(self._page.tab(open.tab).store.snapshot())
        effects = RecordedEffects(
            signals=observed_signals(open.before, StateFacts.of(store), Effects()),
            messages=tuple(open.messages),
            appeared=tuple(sorted(_names(store) - open.names)),
            wrote=open.wrote,
        )
        return msgspec.structs.replace(open.input, effects=effects)


class ActionRecorders:
    """Passes the actions of a page on to the recordings that are open."""

    def __init__(self) -> None:
        self.open: list[PageRecorder] = []

    def started(self, running: RunningAction) -> None:
        if running.terms.request.target is UNSET:
            self.target_chosen(running, None)

    def target_chosen(self, running: RunningAction, element: ElementNode | None) -> None:
        request = running.terms.request
        for one in self.open:
            one.target_chosen(running.handle, request.action_id, request.args or {}, element, running.tab)

    def ended(self, running: RunningAction, result: ActionResultPayload) -> None:
        for one in self.open:
            one.action_ended(running.handle, result.status == "succeeded")


def _names(store: GraphStore) -> frozenset[tuple[str, str]]:
    """Return role and name of the visible elements."""
    named = (
        (one.role, one.name) for one in visible_elements(store) if isinstance(one.name, str) and one.name
    )
    return frozenset(pair for _, pair in zip(range(MAX_NAMES), named, strict=False))


def recorded_target(store: GraphStore, element: ElementNode) -> RecordedTarget:
    """Return an element with its binding, and with the text of its record if it belongs to one."""
    record = _record_text(store, element) if is_in_record(store, element) else ""
    return RecordedTarget(element=element, binding=recorded_binding(store, element), record=record)


def recorded_binding(store: GraphStore, element: ElementNode) -> ElementBinding:
    """Return the binding by which the element is found again: its id, its own attributes, its role, name and scope."""
    scope, twin = scope_of(store, element), twin_of(store, element)
    name = element.name if isinstance(element.name, str) and element.name else None
    found = {
        "stableId": None if element.stable_id is UNSET else element.stable_id,
        "semanticKey": _binding_id(element, scope, "" if twin is None else twin.suffix),
        "role": element.role,
        "names": [name] if name else [],
        "scopes": [scope] if scope else [],
        "metadata": {
            "attributes": own_attributes(store, element),
            "twin": {"of": twin.count, "after": twin.after} if twin is not None and twin.suffix else None,
        },
    }
    return msgspec.convert(to_manifest_item("element", found), ElementBinding)


def _binding_id(element: ElementNode, scope: str | None, suffix: str) -> str:
    words = element.name or element.state.placeholder or (element.metadata or {}).get("htmlName") or ""
    name = slug(words, 40) if isinstance(words, str) else ""
    place = f"{scope.rpartition('/')[2]}." if scope else ""
    return f"{place}{name or 'unnamed'}.{element.role}{suffix}"


def _record_text(store: GraphStore, element: ElementNode) -> str:
    """Return the text that names the record of an element: the first name in it that is not one of a control."""
    record = record_of(store, element)
    if record is None:
        return ""
    inside = (one for one in store.below(record.instance_id) if not is_hidden(one))
    texts = [
        text.strip()
        for one in inside
        if one.instance_id != element.instance_id and one.role not in ("button", "checkbox", "menuitem")
        if isinstance(text := one.name or one.text, str) and any(c.isalpha() for c in text)
    ]
    return texts[0] if texts else (record.name if isinstance(record.name, str) else "")
