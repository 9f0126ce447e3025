"""Healing proposals from runtime traces become an Overlay to review; nothing is changed without a decision.

A proposal says: this element was not found by its matchers, but this one recognised it, and here is the trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from uiap.authoring.manifest import Manifest
from uiap.authoring.patch import json_equal
from uiap.spec.authoring import API_VERSION, ElementMatcher, ManifestSelector, SemanticMatcher
from uiap.spec.base import Struct
from uiap.spec.tools import ActionTrace


class HealingProposal(Struct):
    element_id: str
    matcher: ElementMatcher
    trace: str  # where the evidence is
    at: str
    note: str | UnsetType = UNSET


def proposals(traces: Iterable[ActionTrace]) -> Iterator[HealingProposal]:
    """From each action that succeeded on an element which its binding's own words had to find.

    Its id was not on the page, yet it was the right one: the effect was observed. What it is called now is worth a
    matcher. One proposal for each element and name, the latest trace for it.
    """
    found: dict[tuple[str, str, str], HealingProposal] = {}
    for trace in sorted(traces, key=lambda trace: trace.ts):
        target = trace.result.resolved_target
        if trace.status != "succeeded" or target is UNSET or not _found_by_name(trace):
            continue
        if target.stable_id is UNSET or target.name is UNSET:
            continue
        found[target.stable_id, target.role, target.name] = HealingProposal(
            element_id=target.stable_id,
            matcher=SemanticMatcher(role=target.role, name=target.name),
            trace=f"trace:{trace.action_handle}",
            at=trace.ts,
            note=f"recognised by its name during {trace.action_id}",
        )
    yield from found.values()


def _found_by_name(trace: ActionTrace) -> bool:
    """No matcher of the binding knew the element; its own role and name did."""
    told = trace.result.metadata.get("resolution") if trace.result.metadata is not UNSET else None
    return isinstance(told, dict) and told.get("binding") == "name"


def healing_overlay(
    proposals: Iterable[HealingProposal],
    manifests: Sequence[Manifest],
    *,
    id: str,
    selector: ManifestSelector | None = None,
) -> dict[str, Any]:
    """An Overlay document that adds each proposed matcher; generated, so it needs an approving decision.

    A proposal for an element nobody binds is left out, as is a matcher that is there already.
    """
    patches: list[dict[str, Any]] = []
    records: list[dict[str, Any]] = []
    healed: dict[str, dict[str, Any]] = {}
    for proposal in proposals:
        manifest = next(
            (m for m in manifests if proposal.element_id in m.facts.ids.get("elements", ())), None
        )
        if manifest is None:
            continue
        index = manifest.facts.ids["elements"][proposal.element_id]
        element = healed.get(proposal.element_id) or manifest.spec["elements"][index]
        matcher = msgspec.to_builtins(proposal.matcher)
        if any(json_equal(known, matcher) for known in element["match"]):
            continue
        if proposal.element_id in healed:
            element["match"].append(matcher)
        else:
            element = healed[proposal.element_id] = {**element, "match": [*element["match"], matcher]}
            patch = {"manifestId": manifest.id, "path": "/spec/elements", "op": "upsert", "matchKey": "id"}
            patches.append({**patch, "value": element})
        note = {} if proposal.note is UNSET else {"note": proposal.note}
        records.append({"source": "runtime-trace", "ref": proposal.trace, "at": proposal.at, **note})
    return {
        "apiVersion": API_VERSION,
        "kind": "Overlay",
        "metadata": {
            "id": id,
            "title": "Healing proposals",
            "source": "generated",
            "reviewState": "generated",
        },
        "spec": {"selector": msgspec.to_builtins(selector or ManifestSelector()), "patches": patches},
        "status": {"provenance": records},
    }
