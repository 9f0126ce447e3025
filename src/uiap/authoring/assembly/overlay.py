"""Step 5: apply the selected overlays in order, and report overlays that conflict.

The order is that of the manifests: imports first, then the list of the package. Two overlays that change the same
value are an error that names both, never a silent overwrite (AUTH-5.8b).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from uiap.authoring.diagnostic import Problems
from uiap.authoring.documents.document import inspect, normalize_and_check
from uiap.authoring.kinds import KINDS
from uiap.authoring.manifest import Manifest, ManifestChange
from uiap.authoring.patch import BadPatch, Draft, apply, json_equal, match_value, upsert_identity
from uiap.authoring.pointer import BadPointer, Tokens, covers, find, parse, render
from uiap.authoring.selector import matches
from uiap.authoring.workflows.changes import meaning_changes
from uiap.spec.authoring import BuildContext, ManifestPatch, OverlayManifest

FORBIDDEN_KINDS = frozenset({"Package", "Overlay", "ReviewSet"})
# Identity and approval are not content: no overlay may change them, not even by replacing a parent.
PROTECTED: tuple[Tokens, ...] = (
    ("apiVersion",),
    ("kind",),
    ("metadata", "id"),
    ("metadata", "packageId"),
    ("metadata", "reviewState"),
    ("metadata", "source"),
    ("status",),
)


@dataclass(frozen=True, eq=False)
class OverlayPatch:
    """One patch of one selected overlay. Compared by identity, because two overlays may have equal patches."""

    overlay: Manifest
    index: int
    patch: ManifestPatch
    tokens: Tokens

    @property
    def pointer(self) -> str:
        return f"/spec/patches/{self.index}"

    def label(self) -> str:
        return f"`{self.overlay.id}` ({self.overlay.file}, patch {self.index + 1})"


def apply_overlays(
    manifests: Sequence[Manifest], context: BuildContext, problems: Problems
) -> list[Manifest]:
    """Return the manifests with every overlay that the context selects applied."""
    by_id = {manifest.id: manifest for manifest in manifests}
    plans: dict[str, list[OverlayPatch]] = {}
    for overlay in manifests:
        if overlay.kind == "Overlay":
            for step in _selected_patches(overlay, context, by_id, problems):
                plans.setdefault(step.patch.manifest_id, []).append(step)
    for id, steps in plans.items():
        by_id[id] = _apply_patches(by_id[id], _without_conflicts(by_id[id], steps, problems), problems)
    return [by_id[manifest.id] for manifest in manifests]


def _selected_patches(
    overlay: Manifest, context: BuildContext, by_id: Mapping[str, Manifest], problems: Problems
) -> Iterable[OverlayPatch]:
    spec = msgspec.convert(overlay.spec, OverlayManifest)
    selected = matches(spec.selector, context)
    for index, patch in enumerate(spec.patches):
        if overlay.origin.alias:
            # An imported overlay changes manifests of its own package.
            patch = msgspec.structs.replace(patch, manifest_id=f"{overlay.origin.alias}:{patch.manifest_id}")
        pointer = f"/spec/patches/{index}/manifestId"
        target = by_id.get(patch.manifest_id)
        if target is None and problems.is_unreadable(patch.manifest_id):
            continue
        if target is None:
            report = problems.info if overlay.origin.alias else problems.error
            hint = "write alias:id for an imported manifest"
            report(
                "unknown_manifest", f"there is no manifest `{patch.manifest_id}`", overlay.file, pointer, hint
            )
        elif target.kind in FORBIDDEN_KINDS:
            message = f"an overlay cannot change a {target.kind}"
            problems.error("overlay_target", message, overlay.file, pointer)
        elif selected:
            try:
                yield OverlayPatch(overlay, index, patch, parse(patch.path))
            except BadPointer:
                continue  # reported with the file


def _without_conflicts(target: Manifest, steps: list[OverlayPatch], problems: Problems) -> list[OverlayPatch]:
    """Return the patches to apply: equal ones once, conflicting ones not at all, so that order decides nothing."""
    indices: dict[str, _PatchIndex] = {}
    kept: list[OverlayPatch] = []
    bad: set[OverlayPatch] = set()
    for step in steps:
        near = [other for id, index in indices.items() if id != step.overlay.id for other in index.near(step)]
        if any(_repeats(step, other) for other in near):
            continue
        for other in near:
            if _conflict(target.document, other, step):
                bad.update((other, step))
                message = (
                    f"{other.label()} and {step.label()} both change `{target.id}` at "
                    f"`{other.patch.path}` and `{step.patch.path}`"
                )
                hint = "keep one, or make their selectors disjoint"
                problems.error("overlay_conflict", message, step.overlay.file, step.pointer, hint)
        kept.append(step)
        indices.setdefault(step.overlay.id, _PatchIndex()).add(step)
    return [step for step in kept if step not in bad]


class _PatchIndex:
    """The patches of one overlay by pointer, so that a patch is compared only with those it may conflict with."""

    def __init__(self) -> None:
        self.at: dict[Tokens, list[OverlayPatch]] = {}
        self.below: dict[Tokens, list[OverlayPatch]] = {}
        self.shortened: dict[Tokens, list[OverlayPatch]] = {}  # by the array from which an item is removed
        self.upserts: dict[
            Tokens, dict[Any, list[OverlayPatch]]
        ] = {}  # by array, then by match key and identity
        self.keys: dict[Tokens, set[Any]] = {}  # match keys used for an array
        self.mixed: set[Tokens] = set()  # pointers with other operations than upsert

    def add(self, step: OverlayPatch) -> None:
        if step.patch.op == "upsert":
            self.upserts.setdefault(step.tokens, {}).setdefault(_upsert_key(step.patch), []).append(step)
            self.keys.setdefault(step.tokens, set()).add(step.patch.match_key)
        else:
            self.mixed.add(step.tokens)
        self.at.setdefault(step.tokens, []).append(step)
        for end in range(len(step.tokens)):
            self.below.setdefault(step.tokens[:end], []).append(step)
        if step.patch.op == "remove":
            self.shortened.setdefault(step.tokens[:-1], []).append(step)

    def near(self, step: OverlayPatch) -> list[OverlayPatch]:
        """Return the patches above, at or below this pointer, or in an array that either patch shortens."""
        tokens = step.tokens
        found = [other for end in range(len(tokens)) for other in self.at.get(tokens[:end], ())]
        found += self._same_place(step)
        found += self.below.get(tokens, ())
        found += [other for end in range(len(tokens)) for other in self.shortened.get(tokens[:end], ())]
        if step.patch.op == "remove":
            found += self.below.get(tokens[:-1], ())
        return list(dict.fromkeys(found))

    def _same_place(self, step: OverlayPatch) -> list[OverlayPatch]:
        """Return the patches at the same pointer; upserts of other items in the array do not conflict."""
        only_upserts = step.tokens not in self.mixed and self.keys.get(step.tokens, set()) <= {
            step.patch.match_key
        }
        if step.patch.op != "upsert" or not only_upserts:
            return self.at.get(step.tokens, [])
        return self.upserts.get(step.tokens, {}).get(_upsert_key(step.patch), [])


def _upsert_key(patch: ManifestPatch) -> Any:
    try:
        return patch.match_key, upsert_identity(patch)
    except BadPatch:
        return patch.match_key, None


def _repeats(step: OverlayPatch, other: OverlayPatch) -> bool:
    """Return whether another overlay has the same patch. Equal appends do not count, because each adds an item."""
    mine, theirs = step.patch, other.patch
    if step.overlay.id == other.overlay.id or mine.op == "append" or mine.op != theirs.op:
        return False
    alike = step.tokens == other.tokens and mine.match_key == theirs.match_key
    return alike and (mine.op == "remove" or json_equal(mine.value, theirs.value))


def _conflict(document: Any, first: OverlayPatch, second: OverlayPatch) -> bool:
    if _shifts(document, first, second) or _shifts(document, second, first):
        return True
    if not (covers(first.tokens, second.tokens) or covers(second.tokens, first.tokens)):
        return False
    if first.tokens != second.tokens:
        return True
    ops = (first.patch.op, second.patch.op)
    if ops == ("append", "append"):
        return False
    if ops == ("upsert", "upsert"):
        return _same_identity(first.patch, second.patch)
    return True


def _same_identity(first: ManifestPatch, second: ManifestPatch) -> bool:
    try:
        return first.match_key != second.match_key or json_equal(
            upsert_identity(first), upsert_identity(second)
        )
    except BadPatch:
        return True


def _shifts(document: Any, remover: OverlayPatch, other: OverlayPatch) -> bool:
    """Return whether `remover` removes an array item before one that `other` names by index."""
    if remover.patch.op != "remove" or not remover.tokens:
        return False
    array, index = remover.tokens[:-1], remover.tokens[-1]
    if not isinstance(find(document, array), list) or not covers(array, other.tokens):
        return False
    below = other.tokens[len(array) :]
    return bool(below) and below[0].isdigit() and index.isdigit() and int(below[0]) >= int(index)


def _apply_patches(target: Manifest, steps: list[OverlayPatch], problems: Problems) -> Manifest:
    draft = Draft(target.document)
    changes: list[ManifestChange] = []
    for step in steps:
        changed = _changes_of(target, draft.document, step)
        protected = _protected_pointer(draft.document, step)
        if protected is not None:
            problems.error(
                "overlay_protected",
                f"an overlay cannot change `{protected}`",
                step.overlay.file,
                step.pointer,
            )
            continue
        try:
            draft.apply(step.patch)
        except BadPatch as error:
            problems.error("bad_patch", str(error), step.overlay.file, step.pointer)
            continue
        changes.extend(changed)
    return _checked_result(target, draft.document, tuple(changes), problems)


def _protected_pointer(document: Any, step: OverlayPatch) -> str | None:
    """Return the protected pointer that a patch would change, also through a parent, or None."""
    if step.tokens[:1] == ("spec",):
        return None
    try:
        new = apply(document, step.patch)
    except BadPatch:
        return None  # applying it reports the error
    return next((render(p) for p in PROTECTED if not json_equal(find(document, p), find(new, p))), None)


def _checked_result(
    target: Manifest, document: Any, changes: tuple[ManifestChange, ...], problems: Problems
) -> Manifest:
    """Return the patched manifest if its document is still valid, else the original."""
    if not changes:
        return target
    file = changes[-1].file
    document, faults = normalize_and_check(target.kind, document)
    for fault in faults:
        message = f"after the overlays `{target.id}` is not valid at `{fault.pointer}`: {fault.message}"
        problems.error("overlay_result", message, file, changes[-1].pointer)
    if faults:
        return target
    facts = inspect(document)
    for lint in facts.lints:
        if lint not in target.facts.lints and lint.severity == "error":
            message = f"after the overlays, `{target.id}` at `{lint.pointer}`: {lint.message}"
            problems.error(lint.code, message, file, changes[-1].pointer)
    if target.kind == "WorkflowCatalog":
        for finding in meaning_changes(target.document["spec"], document["spec"]):
            report = problems.error if finding.silent else problems.info
            code = "workflow_reinterpreted" if finding.silent else "workflow_overlaid"
            report(code, finding.message, file, changes[-1].pointer, finding.hint)
    return target._replace(document=document, facts=facts, changes=(*target.changes, *changes))


def _changes_of(target: Manifest, document: Any, step: OverlayPatch) -> list[ManifestChange]:
    """Return the changes of a patch by item id, because indices move and ids stay."""
    base = ManifestChange(
        "overlay", step.overlay.id, step.overlay.file, step.pointer, step.patch.op, rest=step.tokens
    )
    if len(step.tokens) < 2 or step.tokens[0] != "spec":
        return [base]
    section = KINDS[target.kind].section(step.tokens[1])
    if section is None:
        return [base]
    if len(step.tokens) > 2:
        item = find(document, step.tokens[:3])
        ids, rest = [match_value(item, ".".join(section.id_path))], step.tokens[3:]
    elif step.patch.op in ("append", "upsert"):
        values = step.patch.value if isinstance(step.patch.value, list) else [step.patch.value]
        ids, rest = [match_value(value, ".".join(section.id_path)) for value in values], ()
    else:
        return [base._replace(section=section.name)]
    return [
        base._replace(section=section.name, item_id=str(id), rest=rest) for id in ids if isinstance(id, str)
    ] or [base]


def overlay_selected(overlay: Manifest, context: BuildContext) -> bool:
    """Return whether the context selects this overlay."""
    return matches(msgspec.convert(overlay.spec, OverlayManifest).selector, context)
