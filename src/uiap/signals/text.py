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
from uiap.spec.web import ElementNode, ScopeNode, StatusUpdatedSignal, ToastShownSignal

Places = frozenset[str]
"""The ids of the nodes that show the text."""


def read(signal: CustomSuccess, store: GraphStore) -> Places:
    """Return the visible nodes that show the text now."""
    wanted = _wanted(signal)
    if not wanted:
        return frozenset()
    nodes = _nodes(store, _scope(signal))
    return frozenset(key for key, node in nodes if _shows(node, wanted))


def judge_appeared(signal: CustomSuccess, before: Places, now: Places, log: SignalLog) -> Verdict:
    wanted = _wanted(signal)
    shown = [(one.text, attribution) for one, attribution in log.of(ToastShownSignal)]
    shown += [(one.text, attribution) for one, attribution in log.of(StatusUpdatedSignal)]
    anywhere = wanted and _scope(signal) is None
    messages = [attribution for words, attribution in shown if anywhere and wanted in normalised(words)]
    new = [log.attribution_of(key) for key in now - before]
    if new or messages:
        return Verdict(True, attribution=strongest(new + messages))
    return Verdict(True, already=True) if now else NOT_MET


def judge_disappeared(signal: CustomSuccess, before: Places, now: Places, log: SignalLog) -> Verdict:
    if not before or now:
        return NOT_MET
    return Verdict(True, attribution=strongest([log.attribution_of(key) for key in before]))


def _wanted(signal: CustomSuccess) -> str:
    text = signal.payload.get("text") if isinstance(signal.payload, dict) else None
    return normalised(text) if isinstance(text, str) else ""


def _scope(signal: CustomSuccess) -> str | None:
    scope = signal.payload.get("scope") if isinstance(signal.payload, dict) else None
    return scope if isinstance(scope, str) else None


def _nodes(store: GraphStore, scope: str | None) -> Iterator[tuple[str, ElementNode | ScopeNode]]:
    """Yield the nodes of the page, or of a scope and the scopes inside it."""
    wanted = None if scope is None else _scopes_within(store, scope)
    for element in store:
        if wanted is None or element.scope_id in wanted or element.instance_id == scope:
            yield element.instance_id, element
    for one in store.scopes.values():
        if wanted is None or one.scope_id in wanted:
            yield one.scope_id, one


def _scopes_within(store: GraphStore, scope: str) -> set[str]:
    found = {one.scope_id for one in store.scopes.values() if scope in (one.scope_id, one.stable_id)}
    for one in store.scopes.values():  # an enclosing scope comes before those inside it
        if one.parent_scope_id in found:
            found.add(one.scope_id)
    return found


def _shows(node: ElementNode | ScopeNode, wanted: str) -> bool:
    if getattr(node.state, "visible", None) is False:
        return False
    texts = (node.name, getattr(node, "text", None), getattr(node, "description", None))
    return any(isinstance(text, str) and wanted in normalised(text) for text in texts)
