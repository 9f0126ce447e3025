"""element.appeared, element.disappeared, element.state."""

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
    told = [
        a for s, a in log.of(ElementAppearedSignal) if s.stable_id == getattr(signal.target, "value", None)
    ]
    if not before and (now or told):
        return Verdict(True, attribution=strongest(told + [log.touched.get(id, "coincident") for id in now]))
    return NOT_MET


def judge_disappeared(
    signal: ElementDisappeared, before: VisibleIds, now: VisibleIds, log: SignalLog
) -> Verdict:
    told = [
        a for s, a in log.of(ElementDisappearedSignal) if s.stable_id == getattr(signal.target, "value", None)
    ]
    if before and not now:
        return Verdict(
            True, attribution=strongest(told + [log.touched.get(id, "coincident") for id in before])
        )
    return NOT_MET


TargetReading = tuple[str, bool] | None
"""The element's id and whether every wanted key holds; None where the target is not one element."""


def read_state(signal: ElementState, store: GraphStore) -> TargetReading:
    element = single_target(store, signal.target)
    if element is None:
        return None
    focus = store.focus.target if store.focus is not None else None
    actual = {**msgspec.structs.asdict(element.state), "focused": focus == element.instance_id}
    wanted = {k: v for k, v in msgspec.structs.asdict(signal.state).items() if v is not msgspec.UNSET}
    return element.instance_id, all(_equal(actual.get(key), value) for key, value in wanted.items())


def _equal(actual: object, wanted: object) -> bool:
    """An absent truth is false: nothing says `checked: false` on a plain button."""
    return actual == wanted or (wanted is False and actual is msgspec.UNSET)


def judge_state(_signal: ElementState, before: TargetReading, now: TargetReading, log: SignalLog) -> Verdict:
    return judge_end_state(before, now, log)


def judge_end_state(before: TargetReading, now: TargetReading, log: SignalLog) -> Verdict:
    """An end-state predicate: true now; `already` if it was true at the baseline (companions §12.5)."""
    if now is None or not now[1]:
        return NOT_MET
    if before is not None and before[1]:
        return Verdict(True, already=True)
    return Verdict(True, attribution=log.touched.get(now[0], "coincident"))
