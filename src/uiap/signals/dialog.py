"""dialog.opened, dialog.closed: scopes of kind dialog, drawer or popover that came or went."""

from __future__ import annotations

from uiap.graph.store import GraphStore
from uiap.signals.log import SignalLog
from uiap.signals.lookup import target_elements
from uiap.signals.verdict import NOT_MET, Verdict, strongest
from uiap.spec.capability import DialogClosed, DialogOpened, WebTargetRef
from uiap.spec.web import DialogClosedSignal, DialogOpenedSignal

KINDS = ("dialog", "drawer", "popover")


def read(signal: DialogOpened | DialogClosed, store: GraphStore) -> frozenset[str]:
    """The open surfaces by every name they have: scope id, stable id, host."""
    wanted = _wanted(signal.target, store)
    return frozenset(
        scope.scope_id
        for scope in store.scopes.values()
        if scope.kind in KINDS
        and (scope.state is None or getattr(scope.state, "visible", None) is not False)
        and (wanted is None or wanted & {scope.scope_id, scope.stable_id, scope.host_instance_id})
    )


def _wanted(target: object, store: GraphStore) -> set[object] | None:
    if target is None or not hasattr(target, "by"):
        return None
    ref: WebTargetRef = target  # type: ignore[assignment]
    hosts = {element.instance_id for element in target_elements(store, ref)}
    return {getattr(ref, "value", None), *hosts} - {None}


def judge_opened(
    signal: DialogOpened, before: frozenset[str], now: frozenset[str], log: SignalLog
) -> Verdict:
    new = now - before
    told = [a for s, a in log.of(DialogOpenedSignal) if _meant(signal.target, s.scope_id, s.stable_id)]
    if new or told:
        return Verdict(True, attribution=strongest(told + [log.touched.get(id, "coincident") for id in new]))
    return NOT_MET


def judge_closed(
    signal: DialogClosed, before: frozenset[str], now: frozenset[str], log: SignalLog
) -> Verdict:
    gone = before - now
    told = [a for s, a in log.of(DialogClosedSignal) if _meant(signal.target, s.scope_id, s.stable_id)]
    if gone or told:
        return Verdict(True, attribution=strongest(told + [log.touched.get(id, "coincident") for id in gone]))
    return NOT_MET


def _meant(target: object, *ids: object) -> bool:
    return not hasattr(target, "by") or getattr(target, "value", None) in ids
