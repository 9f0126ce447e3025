"""The watch over one tab: what the page did before, and what it does after our input.

It is told of every revision and every signal. What carries the token of our input, or follows the answer to a request
that our input sent, was caused; what the page does anyway is background; the rest only coincides. It decides nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from uiap.graph.baseline import Baseline
from uiap.graph.names import normalised
from uiap.graph.store import GraphStore
from uiap.signals.background import BackgroundHistory, changed_word_shapes
from uiap.signals.change import (
    GROUPS,
    Node,
    NodeDifference,
    TouchedNode,
    differences,
    shows_progress,
    touched_nodes,
)
from uiap.signals.log import SignalLog, SignalOccurrence
from uiap.signals.registry import SIGNAL_FAMILIES
from uiap.signals.verdict import Attribution, Verdict, strongest
from uiap.spec.capability import SuccessSignal
from uiap.spec.web import ElementNode, PageGraphDelta, ToastShownSignal, WebSignal

HABIT = 2  # changes by itself so often that not even our token makes it an effect
SPEAKS_S = 0.25  # a signal and the delta it belongs to come this close together
PAINT_S = 1.0  # so long after a change its paint may be told
PAINTS = 64  # of one action; a page that paints without end says nothing new
GREETS_S = 3.0  # so long after it was loaded a page may greet whoever comes
GREETINGS = 200
LIVE = ("status", "alert")
OURS_S = 10.0  # so long a toast that we caused may go away by itself and is still no habit of the page

AnswerWindow = tuple[float, float]
"""From the answer to a request that was ours, until what it brings must be there."""


class NetworkTrace(msgspec.Struct, frozen=True):
    """What the traffic of the tab says of this action."""

    answered: tuple[AnswerWindow, ...] = ()
    navigating: bool = False
    """A new document was asked for by this action."""
    wrote: bool = False
    """It sent something that asks for more than to be shown."""


class EffectReport(msgspec.Struct, frozen=True):
    """What has been seen since dispatch, and still holds."""

    verdicts: tuple[Verdict, ...] = ()
    change: str | None = None
    """The best plausible, not background change, in words; None while nothing happened."""
    attribution: Attribution | None = None
    revision: str = ""
    advanced: bool = False
    busy: str | None = None
    """What it started and has not ended, in words."""
    complaint: str | None = None
    """What the page said went wrong."""
    latest: float = 0.0
    """When the last caused change came."""


class _TouchEvent(NamedTuple):
    mono: float
    token: str | None


class _SignalEvent(NamedTuple):
    signal: WebSignal
    mono: float
    token: str | None


class _PaintEvent(NamedTuple):
    token: str
    node: str
    text: str
    mono: float
    route: bool


class EffectWatch:
    """One case may be open at a time; one lane per tab sees to that."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._memory = BackgroundHistory()
        self._ours: dict[str, float] = {}
        self._base = Baseline({})
        self._before: tuple[Any, ...] = ()
        self._open = False
        self._loaded, self._wrote = 0.0, False
        self._greetings: dict[str, None] = {}
        self._begin((), Counter())

    def _begin(self, signals: tuple[SuccessSignal, ...], background: Counter[str]) -> None:
        self._signals, self._background = signals, background
        self._tokens: set[str] = set()
        self._touched: dict[tuple[str, str], list[_TouchEvent]] = {}
        self._places: dict[tuple[str, str], str] = {}
        self._told: list[_SignalEvent] = []
        self._routes: list[_TouchEvent] = []
        self._paints: list[_PaintEvent] = []
        self._replaced = self._wrote = False
        self._traced = NetworkTrace()
        self._returned: dict[str, Any] = {}
        self._url, self._seq = self._store.route.url, self._store.seq
        # a slow page may have greeted before it was first looked at: nothing was told, but the words stand there
        live = (node for role in LIVE for node in self._store.by_role(role))
        self._standing = {normalised(words) for node in live if (words := _text(node))}

    # -- what the driver tells ------------------------------------------------------------------------------

    def graph_changed(
        self, delta: PageGraphDelta | None, seq: int, mono: float, token: str | None = None
    ) -> None:
        """A new revision is in the store; `delta` is None where the whole graph was replaced."""
        if delta is None:
            self._replace(seq, mono, token)
            return
        for touch in touched_nodes(delta, self._base if self._open else None):
            if not self._open:
                self._memory.add(mono, touch.key, touch.position)
                self._memory.add_text(mono, touch.key, _text(self._store.elements.get(touch.key)))
            elif seq > self._seq:
                self._touch(touch, _TouchEvent(mono, token))
        if self._open and delta.route is not UNSET:
            self._routes.append(_TouchEvent(mono, token))

    def _replace(self, seq: int, mono: float, token: str | None) -> None:
        self._loaded = mono
        if self._open and seq != self._seq:
            self._replaced = True
            self._routes.append(_TouchEvent(mono, token))

    def _touch(self, touch: TouchedNode, seen: _TouchEvent) -> None:
        key = touch.group, touch.key
        self._touched.setdefault(key, []).append(seen)
        if touch.position:
            self._places[key] = touch.position

    def signal_received(self, signal: WebSignal, seq: int, mono: float, token: str | None = None) -> None:
        if not self._open:
            self._memory.add(mono, text_key(signal))
            self._greet(signal, mono)
        else:
            self._told.append(_SignalEvent(signal, mono, token))

    def _greet(self, signal: WebSignal, mono: float) -> None:
        """A page that says this whenever it is loaded says nothing of what led there."""
        if 0 <= mono - self._loaded <= GREETS_S and (key := text_key(signal)):
            self._greetings[key] = None
            if len(self._greetings) > GREETINGS:
                del self._greetings[next(iter(self._greetings))]

    def _greeted(self, signal: WebSignal) -> bool:
        words = normalised(getattr(signal, "text", "") or "")
        return text_key(signal) in self._greetings or (bool(words) and words in self._standing)

    def painted(self, token: str, node: str, text: str, mono: float, *, route: bool = False) -> None:
        """The browser followed the input `token` to this paint: what changed there just before was its effect."""
        if self._open and len(self._paints) < PAINTS:
            self._paints.append(_PaintEvent(token, node, normalised(text), mono, route))

    # -- one case -------------------------------------------------------------------------------------------

    def open(
        self, signals: tuple[SuccessSignal, ...], target: str | None, mono: float
    ) -> tuple[Verdict, ...]:
        """Take the baseline. The verdicts say which end states hold already."""
        self._memory.trim(mono)
        self._begin(signals, self._memory.counted())
        self._base = self._store.baseline()
        self._before = tuple(SIGNAL_FAMILIES[s.kind].read(s, self._store) for s in signals)
        self._open = True
        return self._judge(SignalLog())

    def dispatched(self, token: str | None, begun: float) -> None:
        """Our input went out at `begun`: nothing told before is its effect, and what carries `token` is."""
        if token is not None:
            self._tokens.add(token)
        if len(self._tokens) <= 1:
            self._told = [told for told in self._told if told.mono >= begun]

    def returned(self, value: dict[str, Any]) -> None:
        self._returned = value

    def close(self, mono: float) -> None:
        """What was not ours belongs to the page, and is remembered as its habit; what was, may still fade away."""
        self._ours = {key: at for key, at in self._ours.items() if at > mono - OURS_S}
        for (group, key), seen in self._touched.items():
            for one in seen:
                if (
                    one.token in self._tokens
                    or self._attribution((group, key), one, self._traced) == "caused"
                ):
                    self._ours[key] = mono
                else:
                    self._memory.add(one.mono, key, self._places.get((group, key), ""))
                    self._memory.add_text(one.mono, key, _text(self._store.elements.get(key)))
        for told in self._told:
            if told.token in self._tokens:
                continue
            if self._of_signal(told, self._traced) != "caused":
                self._memory.add(told.mono, text_key(told.signal))
            if self._replaced and not self._wrote:
                self._greet(told.signal, told.mono)
        self._store.release(self._base)
        self._open = False

    # -- what was seen --------------------------------------------------------------------------------------

    def report(self, traced: NetworkTrace) -> EffectReport:
        self._traced, self._wrote = traced, traced.wrote
        log, ours = self._log(traced)
        found = self._evidence(log)
        words, attribution = max(
            found, key=lambda one: (one[1] == "caused", one[1] == "coincident"), default=(None, None)
        )
        return EffectReport(
            self._judge(log),
            words if attribution != "background" else None,
            attribution if attribution != "background" else None,
            self._store.revision,
            self._replaced or self._store.seq > self._seq,
            self._busy(log),
            self._complaint(log),
            ours,
        )

    def _judge(self, log: SignalLog) -> tuple[Verdict, ...]:
        verdicts = []
        for signal, before in zip(self._signals, self._before, strict=True):
            family = SIGNAL_FAMILIES[signal.kind]
            verdicts.append(family.judge(signal, before, family.read(signal, self._store), log))
        return tuple(verdicts)

    def _log(self, traced: NetworkTrace) -> tuple[SignalLog, float]:
        """And when something that was ours was last touched."""
        log, last = SignalLog(), 0.0
        log.returned = self._returned
        for key, seen in self._touched.items():
            for one in seen:
                attribution = self._attribution(key, one, traced)
                log.touch(key[1], attribution)
                if attribution == "caused":
                    last = max(last, one.mono)
        for told in self._told:
            log.occurrences.append(SignalOccurrence(told.signal, self._of_signal(told, traced)))
        routes = [self._of_route(seen, traced) for seen in self._routes]
        log.route = strongest(routes)
        return log, last

    def _attribution(self, key: tuple[str, str], seen: _TouchEvent, traced: NetworkTrace) -> Attribution:
        ours = seen.token is not None and seen.token in self._tokens
        if self._habitual(key, HABIT if ours else 1):
            return "background"
        if ours or _within(seen.mono, traced.answered):
            return "caused"
        painted = self._paints and self._led_to(key, seen.mono)
        return "caused" if painted else "coincident"

    def _led_to(self, key: tuple[str, str], mono: float) -> bool:
        """Our input led to a paint in this very node, of words that it shows."""
        group, node = key
        now: Node | None = getattr(self._store, group).get(node)
        words = normalised(f"{getattr(now, 'name', UNSET) or ''} {_text(now)}")
        return any(
            paint.node == node and paint.text and paint.text in words and _just_before(mono, paint.mono)
            for paint in self._our_paints()
        )

    def _our_paints(self) -> list[_PaintEvent]:
        return [paint for paint in self._paints if paint.token in self._tokens]

    def _habitual(self, key: tuple[str, str], often: int) -> bool:
        """It changes by itself, and so do all the words that changed."""
        if often < HABIT and self._background[self._places.get(key, "")]:
            return True
        known = 0 if key[1] in self._ours else self._background[key[1]]
        if known < often:
            return False
        was, now = self._base[key[0]].get(key[1]), getattr(self._store, key[0]).get(key[1])
        words = changed_word_shapes(_text(was), _text(now))
        return all(self._background[f"{key[1]}~{word}"] for word in words)

    def _of_signal(self, told: _SignalEvent, traced: NetworkTrace) -> Attribution:
        if told.token is not None and told.token in self._tokens:
            return "caused"
        key = text_key(told.signal)
        if self._background[key] or (self._replaced and not traced.wrote and self._greeted(told.signal)):
            return "background"
        if _within(told.mono, traced.answered) or self._spoke(told) or self._showed(told):
            return "caused"
        return "coincident"

    def _showed(self, told: _SignalEvent) -> bool:
        """Our input led to a paint of just what this signal says."""
        said = normalised(getattr(told.signal, "text", "") or "")
        of = getattr(told.signal, "instance_id", UNSET)
        return bool(said) and any(
            (said in paint.text or (paint.text and paint.node == of and paint.text in said))
            and _just_before(told.mono, paint.mono)
            for paint in self._our_paints()
        )

    def _spoke(self, told: _SignalEvent) -> bool:
        """The publisher names the element it speaks of; if our input changed that, it also made it speak."""
        of = getattr(told.signal, "instance_id", UNSET) or getattr(told.signal, "scope_id", UNSET)
        seen = self._touched.get(("elements", str(of)), []) + self._touched.get(("scopes", str(of)), [])
        return any(s.token in self._tokens and abs(s.mono - told.mono) < SPEAKS_S for s in seen if s.token)

    def _of_route(self, seen: _TouchEvent, traced: NetworkTrace) -> Attribution:
        ours = traced.navigating or (seen.token is not None and seen.token in self._tokens)
        ours = ours or any(paint.route for paint in self._our_paints())
        return "caused" if ours or _within(seen.mono, traced.answered) else "coincident"

    # -- in words -------------------------------------------------------------------------------------------

    def _evidence(self, log: SignalLog) -> list[tuple[str, Attribution]]:
        found: list[tuple[str, Attribution]] = []
        if self._store.route.url != self._url:
            found.append((f"route is now {self._store.route.url}", log.route or "coincident"))
        elif self._replaced:
            found.append(("the document was replaced", log.route or "coincident"))
        if not self._replaced:
            for difference in self._differences():
                if not shows_progress(difference.node):
                    found.append((_words(difference), log.touched.get(difference.key, "coincident")))
        for signal, attribution in log.of(ToastShownSignal):
            if signal.level != "error":
                found.append((f'toast "{signal.text}"', attribution))
        return found

    def _differences(self) -> list[NodeDifference]:
        now: dict[str, Any] = {group: getattr(self._store, group) for group in GROUPS}
        return differences(self._touched, self._base, now)

    def _busy(self, log: SignalLog) -> str | None:
        """Only what this action set going: other parts of the page may be busy for ever."""
        for group, key in self._touched:
            node: Node | None = getattr(self._store, group).get(key)
            new = shows_progress(node) and not shows_progress(self._base[group].get(key))
            if node is not None and new and log.touched.get(key) == "caused":
                return _named(node)
        return None

    def _complaint(self, log: SignalLog) -> str | None:
        said = [s.text for s, a in log.of(ToastShownSignal) if s.level == "error" and a != "background"]
        return said[-1] if said else None


def _just_before(mono: float, paint: float) -> bool:
    return 0 <= paint - mono <= PAINT_S


def _within(mono: float, windows: tuple[AnswerWindow, ...]) -> bool:
    return any(begin <= mono <= end for begin, end in windows)


def _text(node: Node | None) -> str:
    text = getattr(node, "text", UNSET)
    return text if isinstance(text, str) else ""


def _words(difference: NodeDifference) -> str:
    return f"{_named(difference.node)} {difference.about}"


def _named(node: Node) -> str:
    name = getattr(node, "name", UNSET)
    noun = node.role if isinstance(node, ElementNode) else getattr(node, "kind", "collection")
    return f'{noun} "{name}"' if isinstance(name, str) and name else str(noun)


def text_key(signal: WebSignal) -> str:
    text = getattr(signal, "text", None)
    return f"{signal.kind}:{normalised(text)}" if isinstance(text, str) else ""
