"""text.appeared, text.disappeared: a text anywhere on the page, or in a scope. They are custom signals of ours.

The payload has the `text`, and optionally the id of a `scope`.
"""

from __future__ import annotations

from collections.abc import Iterator

from uiap.graph.names import normalised
from uiap.graph.store import GraphStore
from uiap.signals.log import SignalLog
from uiap.signals.verdict import NOT_MET, Verdict, strongest
from uiap.spec.capability import CustomSuccess
from uiap.spec.web import ElementNode, StatusUpdatedSignal, ToastShownSignal

ShowingIds = frozenset[str]
"""The ids of the elements that show the text."""


def read(signal: CustomSuccess, store: GraphStore) -> ShowingIds:
    """Return the visible elements that show the text now."""
    wanted = _wanted(signal)
    if not wanted:
        return frozenset()
    elements = _elements(store, _scope(signal))
    return frozenset(element.instance_id for element in elements if _shows(element, wanted))


def judge_appeared(signal: CustomSuccess, before: ShowingIds, now: ShowingIds, log: SignalLog) -> Verdict:
    wanted = _wanted(signal)
    # a message of the page counts too, unless the text must be in a scope
    shown = [(one.text, attribution) for one, attribution in log.of(ToastShownSignal)]
    shown += [(one.text, attribution) for one, attribution in log.of(StatusUpdatedSignal)]
    anywhere = wanted and _scope(signal) is None
    messages = [attribution for words, attribution in shown if anywhere and wanted in normalised(words)]
    new = [log.attribution_of(key) for key in now - before]
    if new or messages:
        return Verdict(True, attribution=strongest(new + messages))
    return Verdict(True, already=True) if now else NOT_MET


def judge_disappeared(signal: CustomSuccess, before: ShowingIds, now: ShowingIds, log: SignalLog) -> Verdict:
    if not before or now:
        return NOT_MET
    return Verdict(True, attribution=strongest([log.attribution_of(key) for key in before]))


def _wanted(signal: CustomSuccess) -> str:
    text = signal.payload.get("text") if isinstance(signal.payload, dict) else None
    return normalised(text) if isinstance(text, str) else ""


def _scope(signal: CustomSuccess) -> str | None:
    scope = signal.payload.get("scope") if isinstance(signal.payload, dict) else None
    return scope if isinstance(scope, str) else None


def _elements(store: GraphStore, scope: str | None) -> Iterator[ElementNode]:
    """Yield the elements of the page, or of a scope and the scopes inside it."""
    if scope is None:
        yield from store
        return
    scopes = _scopes_within(store, scope)
    hosts = {store.scopes[one].host_instance_id for one in scopes}  # they carry the text of no control
    for element in store:
        if element.scope_id in scopes or element.instance_id in hosts or element.instance_id == scope:
            yield element


def _scopes_within(store: GraphStore, scope: str) -> set[str]:
    found = set(store.scopes_called(scope))
    for one in store.scopes.values():  # an enclosing scope comes before those inside it
        if one.parent_scope_id in found:
            found.add(one.scope_id)
    return found


def _shows(element: ElementNode, wanted: str) -> bool:
    if element.state.visible is False:
        return False
    texts = (element.name, element.text, element.description)
    return any(isinstance(text, str) and wanted in normalised(text) for text in texts)
