"""Step 7: read review decisions and waivers, and compute review states. Content never changes here (AUTH-5.9).

The newest decision on an item counts, else the newest on its manifest, else the `reviewState` of the manifest. Content
changed by an overlay or a discovery import has at most the review state of that overlay or import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeAlias

from uiap.authoring.diagnostic import Problems
from uiap.authoring.kinds import KINDS
from uiap.authoring.kinds.review_set import BadTimestamp, parse_timestamp
from uiap.authoring.manifest import Manifest, Package
from uiap.authoring.pointer import BadPointer, parse

State: TypeAlias = Literal["rejected", "draft", "generated", "in_review", "approved", "deprecated"]
# rejected < draft = generated < in_review < approved
RANK: dict[str, int] = {
    "rejected": 0,
    "deprecated": 1,
    "draft": 1,
    "generated": 1,
    "in_review": 2,
    "approved": 3,
}
DECISION_STATES: dict[str, State] = {
    "approved": "approved",
    "rejected": "rejected",
    "needs_review": "in_review",
}
# manifest id, section, item id; section and item are empty for the whole manifest
Key: TypeAlias = tuple[str, str, str]


class EffectiveDecision(NamedTuple):
    state: State
    by: str
    at: datetime
    file: str
    pointer: str


class Waiver(NamedTuple):
    by: str
    at: datetime
    reason: str


class Reviews:
    """All valid decisions and waivers, and the review states that follow from them."""

    def __init__(self, manifests: Iterable[Manifest]) -> None:
        self._manifests = {manifest.id: manifest for manifest in manifests}
        self.decisions: dict[Key, EffectiveDecision] = {}
        self.waivers: dict[Key, Waiver] = {}
        self._states: dict[str, State] = {}
        # manifest -> item -> ids of the manifests that changed it
        self._changed_by: dict[str, dict[tuple[str, str], set[str]]] = {}
        self._items_with_review: dict[
            str, set[tuple[str, str]]
        ] = {}  # manifest -> items with a decision or a waiver

    def manifest_state(self, manifest: Manifest) -> State:
        known = self._states.get(manifest.id)
        if known is None:
            decision = self.decisions.get((manifest.id, "", ""))
            own: State = manifest.metadata.get("reviewState", "draft")
            known = self._states[manifest.id] = decision.state if decision else own
        return known

    def item_state(self, manifest: Manifest, section: str, item_id: str) -> State:
        item = self.decisions.get((manifest.id, section, item_id))
        whole = self.decisions.get((manifest.id, "", ""))
        if item is None:
            state = self.manifest_state(manifest)
        elif whole is not None and whole.state == "rejected" and whole.at > item.at:
            state = "rejected"  # a later rejection of the manifest also rejects its items
        else:
            state = item.state
        return min([state, *self._states_of_changers(manifest, section, item_id)], key=lambda s: RANK[s])

    def whole_state(self, manifest: Manifest) -> State:
        """Return the state of a manifest as a whole, including its changes."""
        return min(
            [self.manifest_state(manifest), *self._states_of_changers(manifest, "", "")],
            key=lambda s: RANK[s],
        )

    def approved_by_decision(self, key: Key) -> bool:
        decision = self.decisions.get(key) or self.decisions.get((key[0], "", ""))
        return decision is not None and decision.state == "approved"

    def waived(self, key: Key) -> bool:
        """Return whether there is a waiver for the item or its manifest, and no later rejection."""
        for wanted in (key, (key[0], "", "")):
            waiver = self.waivers.get(wanted)
            if waiver is not None:
                rejections = [d for k in (key, (key[0], "", "")) if (d := self.decisions.get(k))]
                return not any(d.state == "rejected" and d.at >= waiver.at for d in rejections)
        return False

    def special_items(self, manifest: Manifest) -> set[tuple[str, str]]:
        """Return the items of a manifest that have their own decision, waiver, patch or import."""
        changed = {(c.section, c.item_id) for c in manifest.changes if c.item_id}
        return self._items_with_review.get(manifest.id, set()) | changed

    def decide(self, key: Key, decision: EffectiveDecision) -> None:
        self.decisions[key] = decision
        self._record_item(key)

    def waive(self, key: Key, waiver: Waiver) -> None:
        self.waivers[key] = waiver
        self._record_item(key)

    def _record_item(self, key: Key) -> None:
        if key[2]:
            self._items_with_review.setdefault(key[0], set()).add((key[1], key[2]))

    def _states_of_changers(self, manifest: Manifest, section: str, item_id: str) -> Iterator[State]:
        changed_by = self._changed_by.get(manifest.id)
        if changed_by is None:
            changed_by = self._changed_by[manifest.id] = {}
            for change in manifest.changes:
                if change.op != "link":
                    item = (change.section, change.item_id) if change.item_id else ("", "")
                    changed_by.setdefault(item, set()).add(change.manifest_id)
        for id in changed_by.get(("", ""), set()) | changed_by.get((section, item_id), set()):
            if id in self._manifests:
                yield self.manifest_state(self._manifests[id])


def apply_reviews(package: Package, manifests: Sequence[Manifest], now: str, problems: Problems) -> Reviews:
    """Read every ReviewSet; ignore decisions in the future and expired waivers."""
    all_manifests = [package.manifest, *manifests]
    reviews = Reviews(all_manifests)
    moment_now = parse_timestamp(now)
    by_id = {manifest.id: manifest for manifest in all_manifests}
    for manifest in manifests:
        if manifest.kind == "ReviewSet" and _is_trusted(manifest, problems):
            _read_decisions(manifest, by_id, moment_now, reviews, problems)
            _read_waivers(manifest, by_id, moment_now, reviews, problems)
    _check_obligations(all_manifests, reviews, problems)
    return reviews


def generated_items(manifest: Manifest) -> set[tuple[str, str]]:
    """Return the items that no person wrote: workflows marked as generated, and items copied from discovery.

    The mark in the file counts too, so that an overlay cannot remove it.
    """
    copied = {(t.section, t.item_id) for t in manifest.changes if t.by == "discovery" and t.op == "copy"}
    hinted = {
        ("workflows", workflow["definition"]["id"])
        for document in (manifest.source, manifest.document)
        for workflow in document["spec"].get("workflows") or ()
        if (workflow.get("review") or {}).get("generatedFromDiscovery")
    }
    return copied | hinted


def _is_trusted(manifest: Manifest, problems: Problems) -> bool:
    """Return whether a ReviewSet counts: generated, rejected and deprecated ones do not."""
    state, source = manifest.metadata.get("reviewState"), manifest.metadata.get("source")
    if state in ("rejected", "deprecated") or source == "generated":
        message = (
            f"`{manifest.id}` is {source if source == 'generated' else state}; its decisions do not count"
        )
        problems.warning("review_set_ignored", message, manifest.file, "/metadata")
        return False
    return True


def _read_decisions(
    manifest: Manifest, by_id: dict[str, Manifest], now: datetime, reviews: Reviews, problems: Problems
) -> None:
    for index, entry in enumerate(manifest.spec["decisions"]):
        pointer = f"/spec/decisions/{index}"
        at = _timestamp(entry["at"])
        if at is None:
            continue
        if at > now:
            message = f"the decision by `{entry['by']}` is dated in the future and does not count"
            problems.warning("decision_in_future", message, manifest.file, f"{pointer}/at")
            continue
        found = EffectiveDecision(DECISION_STATES[entry["state"]], entry["by"], at, manifest.file, pointer)
        for key in _target_keys(
            entry["target"], manifest, by_id, pointer, found.state != "rejected", problems
        ):
            _record(key, found, reviews, problems)


def _record(key: Key, found: EffectiveDecision, reviews: Reviews, problems: Problems) -> None:
    """Keep the newest decision, or the stricter of two at the same time. Report an override (AUTH-7.2)."""
    known = reviews.decisions.get(key)
    if known is None:
        reviews.decide(key, found)
        return
    newer = (found.at, -RANK[found.state]) > (known.at, -RANK[known.state])
    winner, loser = (found, known) if newer else (known, found)
    reviews.decide(key, winner)
    if winner.state != loser.state:
        what = f"`{key[0]}`" + (f" `{key[2]}`" if key[2] else "")
        message = f"{what}: {winner.state} by `{winner.by}` overrides {loser.state} by `{loser.by}`"
        problems.info("decision_overridden", message, winner.file, winner.pointer)


def _read_waivers(
    manifest: Manifest, by_id: dict[str, Manifest], now: datetime, reviews: Reviews, problems: Problems
) -> None:
    for index, entry in enumerate(manifest.spec.get("waivers") or ()):
        pointer = f"/spec/waivers/{index}"
        at, expires = _timestamp(entry["at"]), _timestamp(entry.get("expiresAt"))
        if at is None or ("expiresAt" in entry and expires is None):
            continue
        if expires is not None and expires <= now:
            message = f"the waiver by `{entry['by']}` has expired and does not count"
            problems.warning("waiver_expired", message, manifest.file, f"{pointer}/expiresAt")
        elif at > now:
            message = f"the waiver by `{entry['by']}` is dated in the future and does not count"
            problems.warning("decision_in_future", message, manifest.file, f"{pointer}/at")
        else:
            for key in _target_keys(entry["target"], manifest, by_id, pointer, True, problems):
                known = reviews.waivers.get(key)
                if known is None or at > known.at:
                    reviews.waive(key, Waiver(entry["by"], at, entry["reason"]))


def _target_keys(
    target: dict[str, Any],
    review_set: Manifest,
    by_id: dict[str, Manifest],
    pointer: str,
    lenient: bool,
    problems: Problems,
) -> list[Key]:
    """Return the keys that a target names.

    A target inside an item names the whole item. With `lenient` it names nothing, so that a waiver of a part never
    waives the whole.
    """
    alias = review_set.origin.alias
    id = f"{alias}:{target['manifestId']}" if alias else target["manifestId"]
    manifest = by_id.get(id)
    where = f"{pointer}/target"
    if manifest is None:
        if problems.is_unreadable(id):
            return []
        problems.warning("unknown_review_target", f"there is no manifest `{id}`", review_set.file, where)
        return []
    if "itemId" in target:
        keys = [(id, s, target["itemId"]) for s, ids in manifest.facts.ids.items() if target["itemId"] in ids]
        if not keys:
            message = f"`{id}` has no item `{target['itemId']}`"
            problems.warning("unknown_review_target", message, review_set.file, where)
        return keys
    if "path" not in target:
        return [(id, "", "")]
    keys, part = _path_keys(manifest, target["path"])
    if not keys or (part and lenient):
        message = (
            f"`{target['path']}` is not an item of `{id}`"
            if not keys
            else f"`{target['path']}` is part of an item"
        )
        hint = "name the item by itemId"
        problems.warning(
            "unknown_review_target", f"{message}; the entry does not count", review_set.file, where, hint
        )
        return []
    return keys


def _path_keys(manifest: Manifest, path: str) -> tuple[list[Key], bool]:
    """Return the items at a pointer, and whether it points inside an item."""
    try:
        tokens = parse(path)
    except BadPointer:
        return [], False
    if tokens in ((), ("spec",)):
        return [(manifest.id, "", "")], False
    section = KINDS[manifest.kind].section(tokens[1]) if len(tokens) > 1 and tokens[0] == "spec" else None
    if section is None:
        return [], False
    ids = manifest.facts.ids.get(section.name, {})
    if len(tokens) == 2:
        return [(manifest.id, section.name, id) for id in ids], False
    return [(manifest.id, section.name, id) for id, at in ids.items() if str(at) == tokens[2]], len(
        tokens
    ) > 3


def _timestamp(text: str | None) -> datetime | None:
    try:
        return parse_timestamp(text) if text is not None else None
    except BadTimestamp:
        return None  # reported with the file


def _check_obligations(manifests: Iterable[Manifest], reviews: Reviews, problems: Problems) -> None:
    """Report generated content without a review decision (AUTH-10.2)."""
    for manifest in manifests:
        if manifest.kind == "ReviewSet":
            continue
        records = (manifest.source.get("status") or {}).get("provenance") or ()
        machine = [r["source"] for r in records if r["source"] in ("discovery", "generated", "runtime-trace")]
        if manifest.metadata.get("source") == "generated":
            machine.append("generated")
        if machine and (manifest.id, "", "") not in reviews.decisions:
            message = f"`{manifest.id}` comes from {machine[0]} and has no review decision"
            problems.warning(
                "review_needed", message, manifest.file, "/metadata", "add a decision to a ReviewSet"
            )
        for change in manifest.changes:
            if (
                change.by == "discovery"
                and change.op != "link"
                and not _is_decided(manifest, change.section, change.item_id, reviews)
            ):
                message = (
                    f"`{change.item_id}` comes from discovery run `{change.run}` and has no review decision"
                )
                problems.warning(
                    "review_needed", message, change.file, change.pointer, "add a decision to a ReviewSet"
                )


def _is_decided(manifest: Manifest, section: str, item_id: str, reviews: Reviews) -> bool:
    return any(key in reviews.decisions for key in ((manifest.id, section, item_id), (manifest.id, "", "")))
