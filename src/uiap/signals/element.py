"""element.appeared, element.disappeared, element.state: visibility and states of the target."""

from __future__ import annotations

import msgspec

from uiap.graph.store import GraphStore
from uiap.signals.log import SignalLog
from uiap.signals.lookup import single_target, visible_target_ids
from uiap.signals.verdict import NOT_MET, Verdict, strongest
from uiap.spec.capability import ElementAppeared, ElementDisappeared, ElementState
from uiap.spec.web import ElementAppearedSignal, ElementDisappearedSignal

VisibleIds = tuple[str, ...]


def read_visible(signal: ElementAppeared | ElementDisappeared, store: GraphStore) -> VisibleIds:
    return visible_target_ids(store, signal.target)


def judge_appeared(signal: ElementAppeared, before: VisibleIds, now: VisibleIds, log: SignalLog) -> Verdict:
    reported = [
        a for s, a in log.of(ElementAppearedSignal) if s.stable_id == getattr(signal.target, "value", None)
    ]
    if not before and (now or reported):
        return Verdict(True, attribution=strongest(reported + [log.attribution_of(id) for id in now]))
    return NOT_MET


def judge_disappeared(
    signal: ElementDisappeared, before: VisibleIds, now: VisibleIds, log: SignalLog
) -> Verdict:
    reported = [
        a for s, a in log.of(ElementDisappearedSignal) if s.stable_id == getattr(signal.target, "value", None)
    ]
    if before and not now:
        return Verdict(True, attribution=strongest(reported + [log.attribution_of(id) for id in before]))
    return NOT_MET


TargetReading = tuple[str, bool] | None
"""The id of the element and whether it is in the wanted state; None if the target is not exactly one element."""


def read_state(signal: ElementState, store: GraphStore) -> TargetReading:
    element = single_target(store, signal.target)
    if element is None:
        return None
    focus = store.focus.target if store.focus is not None else None
    current = {**msgspec.structs.asdict(element.state), "focused": focus == element.instance_id}
    wanted = {k: v for k, v in msgspec.structs.asdict(signal.state).items() if v is not msgspec.UNSET}
    return element.instance_id, all(_equal(current.get(key), value) for key, value in wanted.items())


def _equal(current: object, wanted: object) -> bool:
    """Return whether a state has the wanted value. An unpublished state counts as false."""
    return current == wanted or (wanted is False and current is msgspec.UNSET)


def judge_state(_signal: ElementState, before: TargetReading, now: TargetReading, log: SignalLog) -> Verdict:
    return judge_end_state(before, now, log)


def judge_end_state(before: TargetReading, now: TargetReading, log: SignalLog) -> Verdict:
    """Return the verdict on an end state: whether it is true now, and `already` if it was true at the baseline."""
    if now is None or not now[1]:
        return NOT_MET
    if before is not None and before[1]:
        return Verdict(True, already=True)
    return Verdict(True, attribution=log.attribution_of(now[0]))
