"""The evidence index of a package: stored files, transitions, and an item for everything that a finding refers to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.discovery.knowledge.states import State
from uiap.discovery.knowledge.transitions import Transition
from uiap.spec.discovery import EvidenceItem, EvidenceKind, EvidenceRef, EvidenceSource

_KINDS: dict[EvidenceSource, EvidenceKind] = {
    "annotation": "annotation",
    "app_registry": "registry",
    "documentation": "document",
}
"""The kinds of items that are no file. Items of other sources are notes."""


def evidence_items(
    states: Iterable[State], transitions: Iterable[Transition], refs: Iterable[EvidenceRef]
) -> list[EvidenceItem]:
    """Return the items of states, then of transitions, then the other items that findings refer to."""
    items = [item for state in states for item in _state_items(state)]
    items += [item for one in transitions for item in _transition_items(one)]
    known = {one.ref_id for one in items}
    for one in refs:
        if one.ref_id not in known:
            known.add(one.ref_id)
            inline = {"about": one.ref_id, **({} if one.note is UNSET else {"note": one.note})}
            kind = _KINDS.get(one.source, "note")
            items.append(EvidenceItem(ref_id=one.ref_id, source=one.source, kind=kind, inline=inline))
    return items


def _state_items(state: State) -> Iterator[EvidenceItem]:
    yield _file(state, "graph", "dom", "page_graph", state.graph_digest, "json", redacted=True)
    if state.screenshot is not None:
        yield _file(state, "screenshot", "screenshot", "screenshot", state.screenshot, "png")
    if state.ax is not None:
        yield _file(state, "ax", "accessibility", "ax_tree", state.ax, "json", redacted=True)


def _transition_items(one: Transition) -> Iterator[EvidenceItem]:
    inline: dict[str, Any] = {
        "action": one.action,
        "from": one.source,
        "to": one.target,
        "status": one.status,
        "times": one.times,
    }
    yield EvidenceItem(
        ref_id=one.id, source="transition", kind="transition", state_id=one.target, inline=inline
    )
    if one.signals:
        signals = {"signals": [msgspec.to_builtins(signal) for signal in one.signals]}
        yield EvidenceItem(ref_id=f"{one.id}.signals", source="signal", kind="signal", inline=signals)
    if one.blocked:
        blocked = {"blocked": [msgspec.to_builtins(request) for request in one.blocked]}
        yield EvidenceItem(ref_id=f"{one.id}.network", source="network", kind="network", inline=blocked)


def _file(
    state: State, part: str, source: Any, kind: Any, digest: str, ending: str, *, redacted: bool | None = None
) -> EvidenceItem:
    name = digest.removeprefix("sha256:")
    return EvidenceItem(
        ref_id=f"{state.id}.{part}",
        source=source,
        kind=kind,
        state_id=state.id,
        uri=f"evidence/{name}.{ending}",
        digest=digest,
        redacted=UNSET if redacted is None else redacted,
    )
