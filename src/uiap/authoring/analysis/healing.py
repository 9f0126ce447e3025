"""Turn runtime traces into an Overlay with proposed matchers; nothing changes before a review decision.

A proposal names an element that its matchers did not find, a matcher that would find it, and the trace as evidence.
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
    trace: str  # reference to the evidence
    at: str
    note: str | UnsetType = UNSET


def proposals(traces: Iterable[ActionTrace]) -> Iterator[HealingProposal]:
    """Yield a matcher for each element that a successful action found only by role and name.

    The id of the element was not on the page, but the observed effect proves that it was the right one. There is one
    proposal for each element and name, with the latest trace.
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
            note=f"found by its name during {trace.action_id}",
        )
    yield from found.values()


def _found_by_name(trace: ActionTrace) -> bool:
    """Return whether role and name found the element, because no matcher of its binding did."""
    resolution = trace.result.metadata.get("resolution") if trace.result.metadata is not UNSET else None
    return isinstance(resolution, dict) and resolution.get("binding") == "name"


def healing_overlay(
    proposals: Iterable[HealingProposal],
    manifests: Sequence[Manifest],
    *,
    id: str,
    selector: ManifestSelector | None = None,
) -> dict[str, Any]:
    """Return an Overlay document that adds the proposed matchers. It is generated, so it needs an approval.

    Proposals for elements without a binding and matchers that already exist are left out.
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
