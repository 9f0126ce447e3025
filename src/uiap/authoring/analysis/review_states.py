"""The effective review state of every item of a build, with the decision or waiver behind it (AUTH-2.4)."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from uiap.authoring.build import Built
from uiap.authoring.checks.review import EffectiveDecision, Key, Reviews, Waiver
from uiap.spec.base import Struct


class ReviewBasis(Struct):
    """The person behind a review state, when they decided, and the entry or the reason."""

    by: str
    at: str
    file: str | UnsetType = UNSET
    pointer: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class ItemReview(Struct):
    """One item, or one manifest as a whole, and its review state. A manifest without a version has the package's."""

    manifest_id: str
    version: str
    state: str
    section: str | UnsetType = UNSET
    item_id: str | UnsetType = UNSET
    decision: ReviewBasis | UnsetType = UNSET
    waiver: ReviewBasis | UnsetType = UNSET


def review_states(built: Built) -> tuple[ItemReview, ...]:
    """Return the state of every manifest, and of every item of the bundle, in load order."""
    if built.package is None or built.reviews is None or built.content is None:
        return ()
    reviews = built.reviews
    found: list[ItemReview] = []
    for manifest in (built.package.manifest, *built.manifests):
        key: Key = (manifest.id, "", "")
        found.append(_review(key, manifest.version, reviews.whole_state(manifest), reviews))
    for section, items in built.content.items.items():
        for id, item in items.items():
            for manifest in item.origins:
                state = reviews.item_state(manifest, section, id)
                found.append(_review((manifest.id, section, id), manifest.version, state, reviews))
    return tuple(found)


def _review(key: Key, version: str, state: str, reviews: Reviews) -> ItemReview:
    decision = reviews.decisions.get(key) or reviews.decisions.get((key[0], "", ""))
    waiver = reviews.waivers.get(key) or reviews.waivers.get((key[0], "", ""))
    return ItemReview(
        manifest_id=key[0],
        version=version,
        state=state,
        section=key[1] or UNSET,
        item_id=key[2] or UNSET,
        decision=UNSET if decision is None else _of_decision(decision),
        waiver=UNSET if waiver is None else _of_waiver(waiver),
    )


def _of_decision(decision: EffectiveDecision) -> ReviewBasis:
    at = decision.at.isoformat()
    return ReviewBasis(by=decision.by, at=at, file=decision.file, pointer=decision.pointer)


def _of_waiver(waiver: Waiver) -> ReviewBasis:
    return ReviewBasis(by=waiver.by, at=waiver.at.isoformat(), reason=waiver.reason)
