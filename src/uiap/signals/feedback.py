"""toast.contains, status.contains, validation.none: messages of the page."""

from __future__ import annotations

from msgspec import UNSET

from uiap.graph.names import normalised
from uiap.graph.store import GraphStore
from uiap.signals.log import SignalLog
from uiap.signals.verdict import NOT_MET, Verdict, strongest
from uiap.spec.capability import StatusContains, ToastContains, ValidationNone
from uiap.spec.web import StatusUpdatedSignal, ToastShownSignal, ValidationChangedSignal


def read_toast(_signal: ToastContains, _store: GraphStore) -> None:
    """Read nothing: only a toast after dispatch counts."""


def judge_toast(signal: ToastContains, _before: None, _now: None, log: SignalLog) -> Verdict:
    found = [a for shown, a in log.of(ToastShownSignal) if _contains(shown.text, signal.text)]
    return Verdict(True, attribution=strongest(found)) if found else NOT_MET


def read_status(signal: StatusContains, store: GraphStore) -> tuple[str, ...]:
    """Return the ids of the status and alert elements that contain the text now."""
    live_elements = (
        e for role in ("status", "alert") for e in store.by_role(role) if e.state.visible is not False
    )
    return tuple(
        e.instance_id for e in live_elements if any(_contains(t, signal.text) for t in (e.name, e.text))
    )


def judge_status(
    signal: StatusContains, before: tuple[str, ...], now: tuple[str, ...], log: SignalLog
) -> Verdict:
    reported = [a for status, a in log.of(StatusUpdatedSignal) if _contains(status.text, signal.text)]
    new = [log.attribution_of(id) for id in now if id not in before]
    if reported or new:
        return Verdict(True, attribution=strongest(reported + new))
    return Verdict(True, already=True) if now else NOT_MET


def read_validation(signal: ValidationNone, store: GraphStore) -> bool:
    scoped = tuple(store)
    if isinstance(signal.scope, str):
        called = store.scopes_called(signal.scope) or {signal.scope}
        scoped = tuple(one for id in called for one in store.by_scope(id))
    return not any(element.state.invalid for element in scoped if element.state.invalid is not None)


def judge_validation(signal: ValidationNone, before: bool, now: bool, log: SignalLog) -> Verdict:
    reported = [
        one for one in log.of(ValidationChangedSignal) if signal.scope in (UNSET, None, one[0].scope_id)
    ]
    if not now or (reported and reported[-1][0].errors):
        return NOT_MET
    if before and not reported:
        return Verdict(True, already=True)
    return Verdict(True, attribution=strongest([a for _, a in reported]) or log.untouched)


def _contains(text: object, wanted: str) -> bool:
    return isinstance(text, str) and normalised(wanted) in normalised(text)
