"""dialog.opened, dialog.closed: scopes of kind dialog, drawer or popover that opened or closed."""

from __future__ import annotations

from uiap.graph.store import GraphStore
from uiap.signals.log import SignalLog
from uiap.signals.lookup import target_elements, target_scopes
from uiap.signals.verdict import NOT_MET, Verdict, strongest
from uiap.spec.capability import DialogClosed, DialogOpened, WebTargetRef
from uiap.spec.web import DialogClosedSignal, DialogOpenedSignal

KINDS = ("dialog", "drawer", "popover")


def read(signal: DialogOpened | DialogClosed, store: GraphStore) -> frozenset[str]:
    """Return the ids of the open scopes that the signal means, by scope id, stable id or host."""
    wanted = _wanted_ids(signal.target, store)
    return frozenset(
        scope.scope_id
        for scope in store.scopes.values()
        if scope.kind in KINDS
        and (scope.state is None or getattr(scope.state, "visible", None) is not False)
        and (wanted is None or wanted & {scope.scope_id, scope.stable_id, scope.host_instance_id})
    )


def _wanted_ids(target: object, store: GraphStore) -> set[object] | None:
    if target is None or not hasattr(target, "by"):
        return None
    ref: WebTargetRef = target  # type: ignore[assignment]
    hosts = {element.instance_id for element in target_elements(store, ref)}
    named = {scope.scope_id for scope in target_scopes(store, ref)}
    return {getattr(ref, "value", None), *hosts, *named} - {None}


def judge_opened(
    signal: DialogOpened, before: frozenset[str], now: frozenset[str], log: SignalLog
) -> Verdict:
    opened = now - before
    reported = [a for s, a in log.of(DialogOpenedSignal) if _is_meant(signal.target, s.scope_id, s.stable_id)]
    if opened or reported:
        return Verdict(True, attribution=strongest(reported + [log.attribution_of(id) for id in opened]))
    return NOT_MET


def judge_closed(
    signal: DialogClosed, before: frozenset[str], now: frozenset[str], log: SignalLog
) -> Verdict:
    closed = before - now
    reported = [a for s, a in log.of(DialogClosedSignal) if _is_meant(signal.target, s.scope_id, s.stable_id)]
    if closed or reported:
        return Verdict(True, attribution=strongest(reported + [log.attribution_of(id) for id in closed]))
    return NOT_MET


def _is_meant(target: object, *ids: object) -> bool:
    return not hasattr(target, "by") or getattr(target, "value", None) in ids
