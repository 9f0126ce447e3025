"""Step 10: check whether the channel admits this build; every refusal names its reason and position (AUTH-9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import UNSET

from uiap.authoring.assembly.content import SECTIONS, Content
from uiap.authoring.checks.review import RANK, Key, Reviews, State, generated_items
from uiap.authoring.diagnostic import Problems
from uiap.authoring.manifest import Manifest, Package
from uiap.authoring.selector import any_matches
from uiap.spec.authoring import BuildContext, ReleaseChannelSpec

SECTIONED_KINDS = frozenset(kind for kind, _ in SECTIONS)
CONTENT_KINDS = SECTIONED_KINDS | {"Package", "App", "Capabilities", "LocalePack"}


HINTED_STATES: dict[str | None, State] = {"draft": "draft", "candidate": "in_review"}
"""The best state of a workflow with this review hint, as long as nobody has approved it by a decision."""


class GateSubject(NamedTuple):
    """A manifest, or an item with its own review state, that must pass the gate."""

    manifest: Manifest
    key: Key
    state: State
    generated: bool
    pointer: str
    high_risk: bool = False
    """A workflow whose review hints mark it so. No waiver and no metadata replaces a decision on it."""

    def label(self) -> str:
        return f"`{self.key[2]}` in `{self.key[0]}`" if self.key[2] else f"`{self.key[0]}`"


def check_gates(
    package: Package,
    manifests: Sequence[Manifest],
    content: Content,
    reviews: Reviews,
    context: BuildContext,
    problems: Problems,
) -> None:
    """Report a refusal for everything that the channel of the context does not admit."""
    subjects = list(_subjects(package, manifests, content, reviews))
    _check_implementations(content, reviews, problems)
    if context.channel is UNSET:
        return
    channel = _channel(package, context, problems)
    if channel is None:
        return
    if not any_matches(channel.selectors, context):
        message = f"the selectors of channel `{channel.name}` do not match this build context"
        problems.refusal("gate_selector", message, package.manifest.file, "/spec/publish/channels")
    build = package.spec.build
    if channel.require_digest is True and build is not UNSET and build.digest == "none":
        message = f"channel `{channel.name}` requires a digest, but the package builds none"
        problems.refusal("gate_digest", message, package.manifest.file, "/spec/build/digest")
    for subject in subjects:
        _check(subject, channel, reviews, problems)


def _channel(package: Package, context: BuildContext, problems: Problems) -> ReleaseChannelSpec | None:
    publish = package.spec.publish
    declared = {} if publish is UNSET else {str(channel.name): channel for channel in publish.channels}
    channel = declared.get(str(context.channel))
    if channel is None:
        message = f"the package declares no channel `{context.channel}`"
        known = ", ".join(declared) or "none"
        problems.refusal(
            "gate_channel", message, package.manifest.file, "/spec/publish", f"declared: {known}"
        )
    return channel


def _check(subject: GateSubject, channel: ReleaseChannelSpec, reviews: Reviews, problems: Problems) -> None:
    required = "draft" if channel.required_review_state is UNSET else channel.required_review_state
    waived = channel.allow_waivers is True and reviews.waived(subject.key)
    file, pointer, hint = subject.manifest.file, subject.pointer, "add a decision to a ReviewSet"
    if subject.state == "deprecated":
        if channel.name != "deprecated":
            message = f"{subject.label()} is deprecated, so only channel `deprecated` admits it"
            problems.refusal("gate_deprecated", message, file, pointer)
    elif RANK[subject.state] < RANK[required] and not waived:
        message = f"{subject.label()} is {subject.state}, but channel `{channel.name}` requires {required}"
        problems.refusal("gate_review_state", message, file, pointer, hint)
    # AUTH-5.6: in production a generated workflow needs an approval even if the channel does not require it.
    forbids_generated = channel.forbid_generated_only is True or (
        channel.name == "prod" and subject.key[1] == "workflows"
    )
    if subject.high_risk and required == "approved" and not reviews.approved_by_decision(subject.key):
        message = f"{subject.label()} is of high risk, so a person has to approve it by a decision"
        problems.refusal("gate_high_risk", message, file, pointer, hint)
    if (
        forbids_generated
        and (subject.generated or subject.state == "generated")
        and not waived
        and not reviews.approved_by_decision(subject.key)
    ):
        message = f"{subject.label()} is generated and nobody has approved it"
        problems.refusal("gate_generated", message, file, pointer, hint)


def _subjects(
    package: Package, manifests: Sequence[Manifest], content: Content, reviews: Reviews
) -> Iterator[GateSubject]:
    counts = _item_counts(content)
    changers: dict[str, None] = {}
    for manifest in (package.manifest, *manifests):
        if manifest.kind not in CONTENT_KINDS:
            continue
        changers.update((t.manifest_id, None) for t in manifest.changes if t.op != "link")
        if manifest.kind not in SECTIONED_KINDS:
            state = reviews.whole_state(manifest)
            generated = manifest.metadata.get("source") == "generated"
            yield GateSubject(manifest, (manifest.id, "", ""), state, generated, "/metadata/reviewState")
            continue
        yield from _items(manifest, counts.get(manifest.id, 0), content, reviews)
    by_id = {manifest.id: manifest for manifest in manifests}
    for id in changers:
        changer = by_id[id]
        state, generated = reviews.manifest_state(changer), changer.metadata.get("source") == "generated"
        yield GateSubject(changer, (id, "", ""), state, generated, "/metadata/reviewState")


def _item_counts(content: Content) -> dict[str, int]:
    """Return the number of items of this build that each manifest defines."""
    found: dict[str, int] = {}
    for items in content.items.values():
        for item in items.values():
            for manifest in item.origins:
                found[manifest.id] = found.get(manifest.id, 0) + 1
    return found


def _items(manifest: Manifest, count: int, content: Content, reviews: Reviews) -> Iterator[GateSubject]:
    """Yield the manifest for its ordinary items, and each item with its own decision, waiver or change."""
    workflows = {("workflows", id) for id in manifest.facts.ids.get("workflows", ())}
    special = [
        key
        for key in sorted(workflows | reviews.special_items(manifest))
        if _contains(content, manifest, key)
    ]
    all_generated, generated = manifest.metadata.get("source") == "generated", generated_items(manifest)
    if count > len(special):
        state = reviews.whole_state(manifest)
        yield GateSubject(manifest, (manifest.id, "", ""), state, all_generated, "/metadata/reviewState")
    for section, id in special:
        index = manifest.facts.ids[section][id]
        key, state = (manifest.id, section, id), reviews.item_state(manifest, section, id)
        hints = manifest.spec[section][index].get("review") or {}
        if section == "workflows" and not reviews.approved_by_decision(key):
            state = min(state, HINTED_STATES.get(hints.get("level"), state), key=lambda one: RANK[one])
        is_generated = all_generated or (section, id) in generated
        pointer, high_risk = f"/spec/{section}/{index}", hints.get("highRisk") is True
        yield GateSubject(manifest, key, state, is_generated, pointer, high_risk)


def _contains(content: Content, manifest: Manifest, key: tuple[str, str]) -> bool:
    item = content.items[key[0]].get(key[1]) if key[0] in content.items else None
    return item is not None and any(origin.id == manifest.id for origin in item.origins)


def _check_implementations(content: Content, reviews: Reviews, problems: Problems) -> None:
    """Report approved actions without an implementation; `none` is for actions not built yet (AUTH-5.4)."""
    for id, item in content.items["actions"].items():
        if (item.value.get("implementation") or {}).get("kind") != "none":
            continue
        for manifest in item.origins:
            if reviews.item_state(manifest, "actions", id) == "approved":
                index = manifest.facts.ids["actions"][id]
                message = f"`{id}` is approved but nothing implements it"
                hint = "name an implementation, or remove the approval"
                problems.error("implementation_none", message, manifest.file, f"/spec/actions/{index}", hint)
