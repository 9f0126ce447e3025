"""Observes a page while somebody works in it, and describes each input with its element and its effects.

A person's inputs come from the driver, an agent's actions from the action handler. `workflow/recording` makes the
definition of them.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET

from uiap.authoring.from_discovery.items import to_manifest_item
from uiap.discovery.events import Effects
from uiap.discovery.knowledge.candidates import is_in_record
from uiap.discovery.knowledge.naming import scope_of, slug
from uiap.discovery.knowledge.own_names import Twin, own_attributes, twin_of
from uiap.discovery.knowledge.signals import StateFacts, observed_signals
from uiap.drivers import events as seen
from uiap.drivers.driver import SupportsInputReports
from uiap.drivers.network_rules import READ_METHODS
from uiap.errors import Unavailable
from uiap.graph.own_attributes import HREF, own_attribute
from uiap.graph.preceding_text import preceding_text
from uiap.graph.store import GraphStore
from uiap.graph.view import is_hidden, record_of, visible_elements
from uiap.host.clock import Clock
from uiap.host.execution.running import RunningAction
from uiap.host.observation.idle import IdleWatch
from uiap.host.observation.page import Page, TabView
from uiap.spec.action import ActionResultPayload
from uiap.spec.authoring import ElementBinding
from uiap.spec.web import ElementNode, StatusUpdatedSignal, ToastShownSignal
from uiap.workflow.recorded_inputs import (
    ObservedMessage,
    Recorded,
    RecordedAction,
    RecordedChoice,
    RecordedEffects,
    RecordedInput,
    RecordedTarget,
)

READING = frozenset({"ui.read", "ui.highlight", "ui.hover", "ui.focus", "ui.scroll", "ui.scrollIntoView"})
"""Actions that are no steps: each step finds its target by itself."""
MAX_INPUTS = 500
MAX_NAMES = 3_000
IDLE_S, LAST_EFFECTS_S = 0.5, 3.0
"""A recording ends when the page has not changed for this time, at the latest after the second."""


@dataclass(frozen=True)
class _Before:
    """The page before an input: its facts, and the element of the input as the person saw it."""

    store: GraphStore
    facts: StateFacts
    names: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, tab: TabView) -> _Before:
        store = GraphStore(tab.store.snapshot())
        return cls(store, StateFacts.of(store), _names(store))


@dataclass
class _OpenInput:
    """The last input, whose effects are still observed."""

    input: Recorded
    tab: str
    before: _Before
    handle: str = ""
    ended: bool = True
    messages: list[ObservedMessage] = field(default_factory=list)
    wrote: bool = False


class PageRecorder:
    """Records one page. An agent's recording has its own actions alone, never a person's inputs.

    Args:
        is_private: Whether records must not hold the value of an element.
    """

    def __init__(
        self, page: Page, clock: Clock, is_private: Callable[[ElementNode], bool], *, person: bool
    ) -> None:
        self._page, self._is_private, self.person = page, is_private, person
        self._idle = IdleWatch(page, clock)
        self._recorded: list[Recorded] = []
        self._open: _OpenInput | None = None
        self._down: tuple[str, _Before] | None = None
        """The element under a pointer that went down, before the page reacted to it."""
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
        """Return the inputs and actions, in order. Effects that the page still shows belong to the last one."""
        if self._open is not None:
            await self._until_idle()
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

    async def _until_idle(self) -> None:
        """Wait until the page has shown all effects of the last input, at most `LAST_EFFECTS_S`."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_EFFECTS_S):
                await self._idle.wait_until_idle(IDLE_S)

    def detach(self) -> None:
        self._stop()
        self._idle.stop()

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
        if event.kind == "pick":
            self._on_pick(tab.store.element(event.node))
        elif event.kind == "down":
            self._close_open()  # effects from now on belong to the press
            self._down = (event.node, _Before.of(tab))
        elif len(self._recorded) < MAX_INPUTS and not self._same_field(event):
            self._record_input(event, tab, self._before(event, tab))

    def _on_pick(self, element: ElementNode | None) -> None:
        if self._picked is not None and not self._picked.done() and element is not None:
            self._picked.set_result(element)

    def _before(self, event: seen.InputReported, tab: TabView) -> _Before:
        """Return the page before an input. A page may react to a pointer that goes down, before the press."""
        down, self._down = self._down, None
        return down[1] if down is not None and down[0] == event.node else _Before.of(tab)

    def _record_input(self, event: seen.InputReported, tab: TabView, before: _Before) -> None:
        element = before.store.element(event.node)
        if element is None:
            return
        secret = event.secret or self._is_private(element)
        input = RecordedInput(
            kind=event.kind,  # type: ignore[arg-type]
            target=recorded_target(before.store, element),
            value=None if secret else event.value,
            secret=secret,
            key=event.key,
            by_key=event.by_key,
            open_list=open_list(before.store),
        )
        self._begin(input, tab, before)

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
        before = _Before.of(tab)
        action = RecordedAction(
            action_id=action_id,
            target=None if element is None else recorded_target(before.store, element),
            args=dict(args),
            private=element is not None and self._is_private(element),
        )
        if self._open is not None and self._open.handle == handle:
            self._open = None  # it resolved its target again
        self._begin(action, tab, before, handle)

    def action_ended(self, handle: str, succeeded: bool) -> None:
        """An action that did not succeed is no step."""
        if self._open is None or self._open.handle != handle:
            return
        if succeeded:
            self._open.ended = True
        else:
            self._open = None

    # -- effects --------------------------------------------------------------------------------------------

    def _begin(self, input: Recorded, tab: TabView, before: _Before, handle: str = "") -> None:
        self._close_open()
        self._open = _OpenInput(input, tab.id, before, handle=handle, ended=not handle)

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
        choice = observed_choice(open.before.store, store)
        private = choice is not None and self._is_private(choice.target.element)
        effects = RecordedEffects(
            signals=observed_signals(open.before.facts, StateFacts.of(store), Effects()),
            messages=tuple(open.messages),
            appeared=tuple(sorted(_names(store) - open.before.names)),
            wrote=open.wrote,
            choice=None if private else choice,
            opened_list=open_list(store),
            path_before=_path(open.before.store),
            path=_path(store),
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


def is_list_control(element: ElementNode) -> bool:
    """Return whether an element shows one value and opens the list of the others."""
    return element.role == "combobox" or element.state.has_popup == "listbox"


def open_list(store: GraphStore) -> str:
    """Return the control whose list is open, by its instance id; empty if none is."""
    opened = (one for one in visible_elements(store) if is_list_control(one) and one.state.expanded is True)
    return next((one.instance_id for one in opened), "")


def observed_choice(before: GraphStore, after: GraphStore) -> RecordedChoice | None:
    """Return the list that shows another value than before: the one that was open, or the only one; else None."""
    changed = [
        (one, now)
        for one in visible_elements(before)
        if is_list_control(one)
        and (now := after.element(one.instance_id)) is not None
        and not is_hidden(now)
        and shown_value(now) not in ("", shown_value(one))
    ]
    opened = [pair for pair in changed if pair[0].state.expanded is True]
    if len(found := opened or changed) != 1:
        return None
    ((old, now),) = found
    target = recorded_target(before, old)
    if old.name != now.name:  # the name has the value in it, so other words have to name the field
        words = _common_words(old.name, now.name) or target.record or preceding_text(before, old)
        target = msgspec.structs.replace(target, label=words)
    return RecordedChoice(target=target, label=shown_value(now))


def _common_words(one: Any, other: Any) -> str:
    """Return the words that two names begin with."""
    both = zip(str(one or "").split(), str(other or "").split(), strict=False)
    return " ".join(word for word, _ in takewhile(lambda pair: pair[0] == pair[1], both))


def shown_value(element: ElementNode) -> str:
    """Return the value that a list shows, without the sign of its button that clears it."""
    value = element.state.text_value
    text = value if isinstance(value, str) and value else element.name
    return text.strip(" ×✕✖") if isinstance(text, str) else ""


def _names(store: GraphStore) -> frozenset[tuple[str, str]]:
    """Return role and name of the visible elements."""
    named = (
        (one.role, one.name) for one in visible_elements(store) if isinstance(one.name, str) and one.name
    )
    return frozenset(pair for _, pair in zip(range(MAX_NAMES), named, strict=False))


def recorded_target(store: GraphStore, element: ElementNode) -> RecordedTarget:
    """Return an element with its binding, and with the text of its record if it belongs to one."""
    record = _record_text(store, element) if is_in_record(store, element) else ""
    label = "" if has_own_words(element) else preceding_text(store, element)
    return RecordedTarget(
        element=element,
        binding=recorded_binding(store, element),
        record=record,
        label=label,
        identified=_is_identified(store, element),
    )


def _is_identified(store: GraphStore, element: ElementNode) -> bool:
    """Return whether an attribute of its own tells an element from all others. The address of a link is data."""
    own = own_attributes(store, element)
    return any(
        all(own_attribute(store, one, name) != value for one in store if one is not element)
        for name, value in own.items()
        if name != HREF
    )


def _path(store: GraphStore) -> str:
    return store.route.path if isinstance(store.route.path, str) else urlsplit(store.route.url).path


def has_own_words(element: ElementNode) -> bool:
    """Return whether an element has a name, a placeholder or a name in its form."""
    return any((element.name, element.state.placeholder, (element.metadata or {}).get("htmlName")))


def recorded_binding(store: GraphStore, element: ElementNode) -> ElementBinding:
    """Return the binding by which the element is found again: its id, its own attributes, its role, name and scope."""
    scope, twin = scope_of(store, element), twin_of(store, element)
    name = element.name if isinstance(element.name, str) and element.name else None
    attributes = own_attributes(store, element)
    found = {
        "stableId": None if element.stable_id is UNSET else element.stable_id,
        "semanticKey": _binding_id(
            element, scope, "" if twin is None else twin.suffix, preceding_text(store, element)
        ),
        "role": element.role,
        "names": [name] if name else [],
        "scopes": [scope] if scope else [],
        "metadata": {
            "attributes": attributes,
            "twin": _position(store, element, twin, named=bool(name or attributes)),
        },
    }
    return msgspec.convert(to_manifest_item("element", found), ElementBinding)


def _position(
    store: GraphStore, element: ElementNode, twin: Twin | None, *, named: bool
) -> dict[str, Any] | None:
    """Return the text before the element, by which a replay finds it.

    Only an element without a name, or one of several that are alike, needs it.
    """
    if twin is not None and twin.suffix:
        return {"of": twin.count, "after": twin.after}
    after = "" if named else preceding_text(store, element)
    return {"of": 1, "after": after} if after else None


def _binding_id(element: ElementNode, scope: str | None, suffix: str, after: str) -> str:
    words = element.name or element.state.placeholder or (element.metadata or {}).get("htmlName") or ""
    name = slug(words, 40) if isinstance(words, str) else ""
    place = f"{scope.rpartition('/')[2]}." if scope else ""
    return f"{place}{name or _unnamed(after)}.{element.role}{suffix}"


def _unnamed(after: str) -> str:
    return f"after-{after}" if after else "unnamed"


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
