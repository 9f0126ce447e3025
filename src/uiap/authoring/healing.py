"""Healing proposals from runtime traces become an Overlay to review; nothing is changed without a decision.

A proposal says: this element was not found by its matchers, but this one recognised it, and here is the trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from uiap.authoring.manifest import Manifest
from uiap.authoring.patch import same
from uiap.spec.authoring import API_VERSION, ElementMatcher, ManifestSelector
from uiap.spec.base import Struct


class HealingProposal(Struct):
    element_id: str
    matcher: ElementMatcher
    trace: str  # where the evidence is
    at: str
    note: str | UnsetType = UNSET


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
        if any(same(known, matcher) for known in element["match"]):
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
