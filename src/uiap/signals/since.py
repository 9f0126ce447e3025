"""Verdicts on signals without an action: since a revision, or about the current page.

With a revision, its graph is the baseline, and signals of the page after it count. Without one, a signal is a
statement about the current page: an element is visible, a dialog is open, the route fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.graph.changes import KINDS, Changes
from uiap.graph.store import GraphStore
from uiap.signals.log import SignalLog, SignalOccurrence
from uiap.signals.registry import family_of, signal_name
from uiap.signals.verdict import Verdict
from uiap.spec.capability import SuccessSignal
from uiap.spec.web import PageGraph, WebSignal

STATE_BASELINES: Mapping[str, Any] = MappingProxyType(
    {
        "element.appeared": (),
        "element.disappeared": ("something",),
        "dialog.opened": frozenset(),
        "dialog.closed": frozenset({"something"}),
        "route.changed": ("", ("", "")),
        "status.contains": (),
        "validation.none": False,
        "text.appeared": frozenset(),
        "text.disappeared": frozenset({"something"}),
    }
)
"""Baselines against which every current state is a change. The other kinds of signals need none."""


def judge_since(
    signals: Sequence[SuccessSignal],
    before: GraphStore | None,
    now: GraphStore,
    reported: Iterable[WebSignal],
) -> tuple[Verdict, ...]:
    """Return a verdict for each signal. Without an action, every change counts as coincident."""
    log = SignalLog()
    log.occurrences += [SignalOccurrence(signal, "coincident") for signal in reported]
    verdicts = []
    for signal in signals:
        family = family_of(signal)
        base = STATE_BASELINES.get(signal_name(signal)) if before is None else family.read(signal, before)
        verdicts.append(family.judge(signal, base, family.read(signal, now), log))
    return tuple(verdicts)


def store_at(now: GraphStore, changes: Changes) -> GraphStore:
    """Return a store with the graph before these changes."""
    graph = now.snapshot()
    parts: dict[str, Any] = {kind: _before(graph, kind, getattr(changes, kind)) for kind in KINDS}
    route = graph.route if changes.route is None else changes.route[0]
    focus = graph.focus if changes.focus is None else changes.focus[0] or UNSET
    stack = graph.modal_stack if changes.modal_stack is None else changes.modal_stack[0] or UNSET
    return GraphStore(
        msgspec.structs.replace(
            graph, revision=changes.base, route=route, focus=focus, modal_stack=stack, **parts
        )
    )


def _before(graph: PageGraph, kind: str, changes: Any) -> Any:
    given = getattr(graph, kind)
    nodes = () if given is UNSET else given
    added = {id(node) for node in changes.added}
    old = {id(one.after): one.before for one in changes.updated}
    remaining = [old.get(id(node), node) for node in nodes if id(node) not in added]
    return (*remaining, *changes.removed)
