"""The watch over one tab: it records changes and signals, and attributes them to our input or not.

It receives every revision and every signal. A change with the token of our input, or after the answer to a request of
our input, is caused. A change that the page makes by itself is background. Every other change is coincident. The watch
reports; the runtime decides.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from msgspec import UNSET

from uiap.graph.baseline import Baseline
from uiap.graph.names import normalised
from uiap.graph.store import GraphStore
from uiap.origin import origin_of
from uiap.signals.answers import AnswerLog, ReceivedAnswer
from uiap.signals.background import BackgroundHistory, changed_word_shapes
from uiap.signals.change import (
    NODE_GROUPS,
    NodeDifference,
    TouchedNode,
    busy_node,
    content_differences,
    difference_text,
    differences,
    texts_of,
    touched_nodes,
)
from uiap.signals.contradiction import (
    LoadedMessages,
    PageChange,
    contradiction,
    has_good_message,
    invalid_fields,
    is_error,
    last_complaint,
    loaded_message,
    target_kind,
    title_of,
    vacated,
)
from uiap.signals.correction import CausedChange, lasting_changes
from uiap.signals.effect_report import EffectReport, NetworkTrace
from uiap.signals.emptied_field import is_evidence
from uiap.signals.entered_values import EnteredValues
from uiap.signals.field_message import field_text, only_field_message, returned_form_message
from uiap.signals.incidental import IncidentalChanges, is_of_focus, opens_by_focus
from uiap.signals.judge import ReaderView, SignalJudge
from uiap.signals.limiting_words import only_searches, promises_effect
from uiap.signals.load_messages import LoadMessages
from uiap.signals.log import SignalLog, SignalOccurrence
from uiap.signals.message_parts import MessageParts
from uiap.signals.notice import is_appearing, limitation
from uiap.signals.other_item import hit_other_item
from uiap.signals.outside import OutsideEvent, OutsideLog, effect_words
from uiap.signals.own_progress import OwnProgress
from uiap.signals.paints import PaintLog
from uiap.signals.passing import PassingEffects
from uiap.signals.progress_texts import is_progress, with_progress
from uiap.signals.refusing_page import refusal_in_place, refusal_of_page
from uiap.signals.reversal import caused
from uiap.signals.success_words import reports_success
from uiap.signals.verdict import Attribution, Verdict, strongest
from uiap.signals.watch_events import (
    PaintEvent,
    SignalEvent,
    TouchEvent,
    exact_key,
    is_of_changed_element,
    text_key,
    text_of,
    was_pushed,
    within,
)
from uiap.signals.work import PendingWork, ReportedWork
from uiap.signals.work_history import WorkHistory
from uiap.spec.capability import SuccessSignal
from uiap.spec.web import CustomSignal, ElementNode, PageGraphDelta, ToastShownSignal, WebSignal

BACKGROUND_CHANGES = 2  # a node that changed this often by itself is background, even with our token
CAUSED_FADE_S = 10.0  # a toast that we caused may disappear within this time without counting as background


class EffectWatch:
    """Observes the effects of one action at a time. The caller runs the actions of a tab one after another."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._history, self._work_history = BackgroundHistory(), WorkHistory()
        self._caused_at: dict[str, float] = {}
        self._baseline = Baseline({})
        self._judge = SignalJudge((), store)
        self._open = False
        self._wrote = False
        self._load_messages = LoadMessages()
        self._origin = ""
        self._messages = MessageParts()
        """Messages that were added after the page had loaded."""
        self._loaded_messages, self._entered = LoadedMessages(), EnteredValues()
        self._outside = OutsideLog()
        self._reset((), Counter())

    def _reset(self, signals: tuple[SuccessSignal, ...], background: Counter[str]) -> None:
        self._signals, self._background = signals, background
        self._tokens: set[str] = set()
        self._touched: dict[tuple[str, str], list[TouchEvent]] = {}
        self._passing = PassingEffects(self._store, self._baseline)
        self._positions: dict[tuple[str, str], str] = {}
        self._signal_events: list[SignalEvent] = []
        self._route_events: list[TouchEvent] = []
        self._paints, self._progress = PaintLog(), OwnProgress()
        self._work = ReportedWork()
        self._answers, self._dispatched_at = AnswerLog(), math.inf
        self._outside = OutsideLog(self._outside)
        self._replaced = self._wrote = False
        self._trace = NetworkTrace()
        self.incidental, self._returned = IncidentalChanges(), dict[str, Any]()
        self._start_url, self._start_seq = self._store.route.url, self._store.seq
        self._start_title, self._target_name = title_of(self._store), ""
        self._target: str | None = None
        self._load_messages.begin(self._store)
        self._loaded_messages.input_begins()
        self._texts_beside_fields: list[str] = []

    # -- events of the driver -------------------------------------------------------------------------------

    def graph_changed(
        self,
        delta: PageGraphDelta | None,
        seq: int,
        mono: float,
        token: str | None = None,
        not_caused: frozenset[str] = frozenset(),
    ) -> None:
        """Record a new revision of the store. `delta` is None if the whole graph was replaced.

        Nodes in `not_caused` were changed by other code than that of the input `token`.
        """
        if delta is None:
            self._record_replacement(seq, mono, token)
            return
        touches = list(touched_nodes(delta, self._baseline if self._open else None))
        if token is not None:
            self._messages.record(touches)
        if self._open:
            waiting = any(one.kind == "request" for one in self._work.of(token))
            passing = not_caused | self._messages.keys
            self._passing.record(delta, token, mono, passing, waiting=waiting)
        for touch in touches:
            cause = None if touch.key in not_caused else token
            if cause is not None:
                hides = touch.key in self._messages and not self._messages.shows_text(touch.key, self._store)
                (self._work_history.hid_message if hides else self._work_history.touched)(cause, mono)
            if not self._open:
                self._history.record(mono, touch.key, touch.position)
                self._history.record_text(mono, touch.key, text_of(self._store.elements.get(touch.key)))
            elif seq > self._start_seq:
                self._record_touch(touch, TouchEvent(mono, cause))
        self._progress.record(delta, token, mono, self._store)
        if self._open and delta.route is not UNSET:
            self._route_events.append(TouchEvent(mono, token))

    def _record_replacement(self, seq: int, mono: float, token: str | None) -> None:
        self._load_messages.loaded(mono)
        if (origin := origin_of(self._store.route.url)) != self._origin:
            self._origin, self._work_history = origin, WorkHistory()
        self._loaded_messages.document_replaced()
        self._entered.clear()
        if self._open and seq != self._start_seq:
            self._replaced = True
            self._work.end()
            self._route_events.append(TouchEvent(mono, token))

    def _record_touch(self, touch: TouchedNode, event: TouchEvent) -> None:
        key = touch.group, touch.key
        self._touched.setdefault(key, []).append(event)
        if touch.position:
            self._positions[key] = touch.position

    def signal_received(self, signal: WebSignal, seq: int, mono: float, token: str | None = None) -> None:
        """Record a signal of the page."""
        if (beside := field_text(signal)) is not None and beside.loaded:
            self._texts_beside_fields += [beside.text] if self._open else []
        elif (message := loaded_message(signal)) is not None:
            self._loaded_messages.record(message.text)
            self._signal_events += [SignalEvent(message, mono, token, True)] if self._open else []
        elif not self._open:
            self._history.record(mono, text_key(signal))
            self._load_messages.record(signal, mono)
        else:
            self._signal_events.append(SignalEvent(signal, mono, token))

    def work_received(self, token: str, work: tuple[PendingWork, ...], mono: float) -> None:
        """Record the work of an input that has not ended."""
        self._work_history.reported(token, work, mono)
        if self._open:
            self._work.record(token, work, mono)

    def answer_received(self, answer: ReceivedAnswer) -> None:
        """Record an answer to a message of an input."""
        if self._open:
            self._answers.record(answer)

    def outside_received(self, event: OutsideEvent) -> None:
        self._outside.record(event)  # after an action, too: a later report is no effect of the next

    def paint_received(self, token: str, node: str, text: str, mono: float, *, route: bool = False) -> None:
        """Record a paint that the browser traced back to the input `token`."""
        if self._open:
            self._paints.record(PaintEvent(token, node, normalised(text), mono, route))

    # -- one action -----------------------------------------------------------------------------------------

    def open(
        self,
        signals: tuple[SuccessSignal, ...],
        target: str | None,
        mono: float,
        view: ReaderView | None = None,
    ) -> tuple[Verdict, ...]:
        """Take the baseline before dispatch. Return verdicts that say which end states hold already.

        `view` is the page as the caller sees it: signals that the caller asked for are judged on it.
        """
        self._history.trim(mono)
        self._reset(signals, self._history.change_counts())
        self._baseline = self._store.baseline()
        self._passing = PassingEffects(self._store, self._baseline, target)
        self._judge = SignalJudge(signals, self._store, view)
        self._target, element = target, self._store.element(target) if target is not None else None
        self._target_name = str(element.name or "") if element is not None else ""
        self._open = True
        return self._judge.verdicts(SignalLog())

    def dispatched(self, token: str | None, begun: float) -> None:
        """Record that our input was sent at `begun`. Its effects carry `token`; earlier signals are no effects."""
        if token is not None:
            self._tokens.add(token)
        self._dispatched_at = begun
        if len(self._tokens) <= 1:
            for event in self._signal_events:
                if event.mono < begun:  # the page sent it by itself, perhaps because it has just loaded
                    self._history.record(event.mono, exact_key(event.signal))
                    self._load_messages.record(event.signal, event.mono)
            self._signal_events = [event for event in self._signal_events if event.mono >= begun]

    def returned(self, value: dict[str, Any]) -> None:
        self._returned = value  # of an app action

    def close(self, mono: float) -> tuple[frozenset[str], tuple[CausedChange, ...]]:
        """End the action. Changes that it did not cause become background of the page.

        Return the tokens of its inputs and the lasting changes that they caused.
        """
        found = [] if self._replaced else self._differences()
        touched, messages = self._build_log(self._trace)[0].touched, self._messages.keys
        changes = lasting_changes(found, self._baseline, touched, messages)
        self._entered.record(changes)
        self._caused_at = {key: at for key, at in self._caused_at.items() if at > mono - CAUSED_FADE_S}
        for (group, key), touches in self._touched.items():
            for touch in touches:
                if is_of_focus(touch.token, self._tokens):
                    continue
                if (
                    touch.token in self._tokens
                    or self._node_attribution((group, key), touch, self._trace) == "caused"
                ):
                    self._caused_at[key] = mono
                else:
                    self._history.record(touch.mono, key, self._positions.get((group, key), ""))
                    self._history.record_text(touch.mono, key, text_of(self._store.elements.get(key)))
        for event in self._signal_events:
            if event.token in self._tokens or is_of_focus(event.token, self._tokens):
                continue
            if self._signal_attribution(event, self._trace) != "caused":
                self._history.record(event.mono, exact_key(event.signal))
            if self._replaced and not self._wrote:
                self._load_messages.record(event.signal, event.mono)
        self._store.release(self._baseline)
        self._open = False
        return frozenset(self._tokens), changes

    def report(self, trace: NetworkTrace, now: float = math.inf) -> EffectReport:
        """Return the verdicts and the best evidence of an effect, as of the monotonic time `now`."""
        self._trace, self._wrote = (trace := self._progress.with_ends(trace, self._tokens)), trace.wrote
        self._loaded_messages.answers_write |= self._replaced and trace.wrote
        (log, last_caused), found = self._build_log(trace), self._differences()
        change, attribution = max(
            self._evidence(log),
            key=lambda found: (found[1] == "caused", found[1] == "coincident"),
            default=(None, None),
        )
        return EffectReport(
            self._judge.verdicts(log),
            change if attribution != "background" else None,
            attribution if attribution != "background" else None,
            self._store.revision,
            self._replaced or self._store.seq > self._start_seq,
            busy_node(self._touched, self._baseline, self._store, log.touched),
            last_complaint(log, self._target_name),
            last_caused,
            work := with_progress(self._pending_work(now), caused(found, log.touched), last_caused),
            self._work.changed_at,
            self._work.ended_at,
            contradiction(log, page := self._page_change())
            or hit_other_item(log, page, found)
            or self._refusal_of_page(log, page)
            or self._outside.failure(self._tokens, self._dispatched_at),
            only_field_message(log, page, found, wrote=self._wrote) if self._sends() else None,
            tuple(invalid_fields(log.touched, page)),
            not self._replaced and self._changed_content(log),
            self._took_back(log),
            trace.wrote or self._work.sent_message,
            self._answers.refusal(self._tokens, work, now, self._target_before()),
            self._shown_instead(log),
            self._outside.effects(self._tokens, self._dispatched_at),
            limitation(log, page, found, promised := self._promises_effect())
            or self._entered.put_back(log, page, found),
            promised and is_appearing(found, log, self._store),
        )

    def _pending_work(self, now: float) -> tuple[PendingWork, ...] | None:
        """Return the work of all our inputs; None while it is not known."""
        traced = self._work.of_all(self._tokens)
        if traced is None:
            return None
        return (*self._work_history.marked(traced, now), *self._outside.work())

    # -- attribution ----------------------------------------------------------------------------------------

    def _build_log(self, trace: NetworkTrace) -> tuple[SignalLog, float]:
        """Return all changes and signals with their attribution, and the time of the last caused change."""
        log, last_caused = SignalLog(), 0.0
        log.returned = self._returned
        for key, touches in self._touched.items():
            for touch in touches:
                attribution = self._node_attribution(key, touch, trace)
                log.touch(key[1], attribution)
                if attribution == "caused":
                    last_caused = max(last_caused, touch.mono)
        for event in self._signal_events:
            log.occurrences.append(SignalOccurrence(event.signal, self._signal_attribution(event, trace)))
        log.occurrences += self._outside.occurrences(self._tokens, self._dispatched_at)
        routes = [self._route_attribution(event, trace) for event in self._route_events]
        log.route = strongest(routes)
        if self._replaced and log.route == "caused":
            log.untouched = "caused"
        return log, last_caused

    def _node_attribution(self, key: tuple[str, str], touch: TouchEvent, trace: NetworkTrace) -> Attribution:
        """Return the attribution of one change. A node that often changes by itself is always background."""
        node = getattr(self._store, key[0]).get(key[1])
        ours = touch.token is not None and touch.token in self._tokens
        if is_of_focus(touch.token, self._tokens):
            return "caused" if opens_by_focus(touch.token, node, self._target) else "coincident"
        if self._is_background(key, BACKGROUND_CHANGES if ours else 1):
            return "background"
        if ours or within(touch.mono, trace.answered):
            return "caused"
        painted = self._paints.shows_node(node, key[1], touch.mono, self._tokens)
        return "caused" if painted else "coincident"

    def _is_background(self, key: tuple[str, str], min_changes: int) -> bool:
        """Return whether the node changes by itself, and all of its changed words do too."""
        if min_changes < BACKGROUND_CHANGES and self._background[self._positions.get(key, "")]:
            return True
        changes = 0 if key[1] in self._caused_at else self._background[key[1]]
        if changes < min_changes:
            return False
        before, now = self._baseline[key[0]].get(key[1]), getattr(self._store, key[0]).get(key[1])
        words = changed_word_shapes(text_of(before), text_of(now))
        return all(self._background[f"{key[1]}~{word}"] for word in words)

    def _signal_attribution(self, event: SignalEvent, trace: NetworkTrace) -> Attribution:
        if event.token is not None and event.token in self._tokens:
            return "caused"
        if is_of_focus(event.token, self._tokens):
            return "coincident"
        if event.loaded:
            return self._loaded_attribution(event.signal, trace)
        loading = self._replaced and not trace.wrote
        repeated = loading and self._load_messages.contains(event.signal)
        if was_pushed(self._background, event.signal) or repeated:
            return "background"
        if (
            within(event.mono, trace.answered)
            or is_of_changed_element(event, self._touched, self._tokens)
            or self._paints.shows_signal(event, self._tokens)
            or (self._replaced and trace.navigating)
        ):
            return "caused"
        return "coincident"

    def _loaded_attribution(self, signal: WebSignal, trace: NetworkTrace) -> Attribution:
        """Return the attribution of a message that a page had when it loaded. Only a write can be refused by it."""
        if not isinstance(signal, ToastShownSignal) or not self._loaded_messages.is_new(signal.text):
            return "background"
        if not trace.wrote and self._load_messages.contains(signal):
            return "background"  # the page before showed it after its loading, too
        answers = self._replaced and trace.navigating and (trace.wrote or not is_error(signal))
        return "caused" if answers else "coincident"

    def _route_attribution(self, event: TouchEvent, trace: NetworkTrace) -> Attribution:
        ours = trace.navigating or (event.token is not None and event.token in self._tokens)
        ours = ours or self._paints.shows_route(self._tokens)
        return "caused" if ours or within(event.mono, trace.answered) else "coincident"

    # -- evidence in words ----------------------------------------------------------------------------------

    def _evidence(self, log: SignalLog) -> list[tuple[str, Attribution]]:
        found: list[tuple[str, Attribution]] = []
        if self._store.route.url != self._start_url:
            found.append((f"route is now {self._store.route.url}", log.route or "coincident"))
        elif self._replaced:
            found.append(("the document was replaced", log.route or "coincident"))
        elif (title := title_of(self._store)) != self._start_title and (
            reports_success(title) or not self._promises_effect()
        ):  # a control that promises more needs more than a title
            found.append((f"the title is now `{title}`", log.route or "coincident"))
        if not self._replaced:
            for difference in self._own_differences():
                sent = self._wrote or self._work.sent_message
                if is_evidence(difference, self._target_name, sent=sent) and not self._messages.is_wordless(
                    difference
                ):
                    found.append((difference_text(difference), log.touched.get(difference.key, "coincident")))
        for signal, attribution in log.of(ToastShownSignal):
            if not (is_error(signal, self._target_name) or is_progress(signal.text)):
                found.append((f'toast "{signal.text}"', attribution))
        if (label := self._passing.label(self._tokens, self._trace.answered)) is not None:
            found.append((f"it said `{label}`", "caused"))
        outside = ((effect_words(signal), attribution) for signal, attribution in log.of(CustomSignal))
        return found + [(words, attribution) for words, attribution in outside if words is not None]

    def _refusal_of_page(self, log: SignalLog, page: PageChange) -> str | None:
        """Return the words with which a page that our input led to says no."""
        returned = self._texts_beside_fields if self._wrote else []
        if not self._replaced or log.route != "caused":  # a frame may load its form again
            found = refusal_in_place(page, log.touched, replaced=self._replaced) if self._wrote else None
            return found or returned_form_message(returned, page, log)
        return refusal_of_page(page, wrote=self._wrote) or returned_form_message(returned, page, log)

    def _sends(self) -> bool:
        """Return whether the input wrote to the server, or its target submits a form."""
        target = self._target_before()
        return self._wrote or (target is not None and "submit" in target.affordances)

    def _target_before(self) -> ElementNode | None:
        target = self._baseline["elements"].get(self._target or "")
        return target if isinstance(target, ElementNode) else None

    def _promises_effect(self) -> bool:
        asked = self._outside.was_asked(self._tokens, self._dispatched_at)
        wrote = self._wrote or self._work.sent_message
        submits = self._sends() and not only_searches(self._target_name)
        return not asked and promises_effect(self._target_name, sent=wrote or submits)

    def _shown_instead(self, log: SignalLog) -> tuple[str, ...]:
        """Return the texts that our input left on the page, if its target is gone: an editor of a cell closes."""
        if self._target is None or self._replaced or self._store.current(self._target) is not None:
            return ()
        return texts_of(self._differences(), log.touched)

    def _took_back(self, log: SignalLog) -> bool:
        """Return whether the page showed an effect and took it back."""
        toasts = (one for one in self._signal_events if isinstance(one.signal, ToastShownSignal))
        messages = [event.mono for event in toasts if event.token in self._tokens]
        good, left = has_good_message(log, self._target_name), caused(self._differences(), log.touched)
        return not self._replaced and (
            self._passing.took_content_back(self._tokens, messages)
            or (not good and self._passing.took_control_back(self._tokens, left))
        )

    def _changed_content(self, log: SignalLog) -> bool:
        found = content_differences(self._own_differences())
        return any(log.touched.get(difference.key) == "caused" for difference in found)

    def _differences(self) -> list[NodeDifference]:
        now: dict[str, Any] = {group: getattr(self._store, group) for group in NODE_GROUPS}
        return differences(self._touched, self._baseline, now)

    def _own_differences(self) -> list[NodeDifference]:
        found, sent = self._differences(), self._wrote or self._work.sent_message
        return self.incidental.without(found, self._target, self._target_name, self._baseline, sent=sent)

    def _page_change(self) -> PageChange:
        moved = self._replaced or self._store.route.url != self._start_url
        around = vacated(self._target, self._store, self._baseline)
        page = self._store, self._baseline, self._touched, self._start_title, self._target_name
        kind = target_kind(self._target_before(), asked=bool(self._trace.answered))
        return PageChange(*page, moved, kind, around)
