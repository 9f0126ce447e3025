"""Merge all manifests of a kind into one member of the bundle (AUTH-7.1).

Items with the same id are joined if they do not contradict each other. A contradiction is an error that names both
files. A local manifest never changes an imported item (AUTH-6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from uiap.authoring.diagnostic import Problems
from uiap.authoring.kinds import KINDS
from uiap.authoring.manifest import Manifest
from uiap.authoring.patch import json_equal
from uiap.authoring.pointer import render

ItemFilter = Callable[[dict[str, Any]], bool]


class MergedItem(NamedTuple):
    """One merged item and the manifests that define it, in order."""

    value: dict[str, Any]
    origins: tuple[Manifest, ...]


class Contradiction(Exception):
    """Two values of one member differ."""

    def __init__(self, path: tuple[str, ...]) -> None:
        super().__init__(render(path))
        self.path = path


def merge_items(
    manifests: Iterable[Manifest], kind: str, section: str, keep: ItemFilter | None, problems: Problems
) -> dict[str, MergedItem]:
    """Return the items of one section of all manifests of a kind, by id, in load order."""
    assert KINDS[kind].section(section) is not None
    merged: dict[str, MergedItem] = {}
    for manifest in manifests:
        if manifest.kind != kind:
            continue
        items, origins = manifest.spec.get(section) or (), (manifest,)
        ids = manifest.facts.ids.get(section, {})
        if keep is None and merged.keys().isdisjoint(ids):  # fast path for the usual case
            merged.update((id, MergedItem(items[index], origins)) for id, index in ids.items())
            continue
        for id, index in ids.items():
            item = items[index]
            if keep is not None and not keep(item):
                continue
            known = merged.get(id)
            if known is None:
                merged[id] = MergedItem(item, origins)
            else:
                pointer = render(("spec", section, index))
                merged[id] = _join_items(known, item, manifest, id, section, pointer, problems)
    return merged


def _join_items(
    known: MergedItem,
    item: dict[str, Any],
    manifest: Manifest,
    id: str,
    section: str,
    pointer: str,
    problems: Problems,
) -> MergedItem:
    first = known.origins[0]
    both = f"`{id}` in `{first.id}` ({first.file}) and in `{manifest.id}` ({manifest.file})"
    if json_equal(known.value, item):
        return MergedItem(known.value, (*known.origins, manifest))
    if first.origin != manifest.origin:
        # AUTH-6: only an overlay may change imported content.
        message = f"{both} differ, and only an overlay may change an import"
        problems.error(
            "implicit_override", message, manifest.file, pointer, "use an Overlay on the imported manifest"
        )
        return known
    if section in ("workflows", "policies"):
        problems.error(
            "merge_conflict", f"{both} differ", manifest.file, pointer, "rename one, or use an Overlay"
        )
        return known
    value, rest = known.value, item
    if section in ("routes", "scopes", "elements") and not json_equal(value.get("match"), rest.get("match")):
        # AUTH-7.1: conflicting matchers need a review; until then the first ones are used.
        problems.warning(
            "match_conflict", f"{both} have different matchers", manifest.file, f"{pointer}/match", "review"
        )
        rest = {**rest, "match": value.get("match")}
    try:
        return MergedItem(deep_merge(value, rest), (*known.origins, manifest))
    except Contradiction as contradiction:
        message = f"{both} contradict each other at `{contradiction}`"
        problems.error("merge_conflict", message, manifest.file, pointer + str(contradiction), "keep one")
        return known


def deep_merge(old: Any, new: Any, path: tuple[str, ...] = ()) -> Any:
    """Return both values joined; raise Contradiction if they differ in a member."""
    if isinstance(old, dict) and isinstance(new, dict):
        joined = dict(old)
        for key, value in new.items():
            joined[key] = deep_merge(old[key], value, (*path, key)) if key in old else value
        return joined
    if not json_equal(old, new):
        raise Contradiction(path)
    return old


def merge_capabilities(manifests: Iterable[Manifest], problems: Problems) -> dict[str, Any] | None:
    """Return all capability documents merged: objects member by member, lists as unions, objects in lists by id."""
    merged: dict[str, Any] | None = None
    first: Manifest | None = None
    for manifest in manifests:
        if manifest.kind != "Capabilities":
            continue
        document = manifest.spec["document"]
        if merged is None or first is None:
            merged, first = document, manifest
            continue
        try:
            merged = _unite(merged, document, ())
        except Contradiction as contradiction:
            message = (
                f"`{first.id}` ({first.file}) and `{manifest.id}` contradict each other at `{contradiction}`"
            )
            problems.error(
                "merge_conflict", message, manifest.file, f"/spec/document{contradiction}", "keep one"
            )
    return merged


def _unite(old: Any, new: Any, path: tuple[str, ...]) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return {
            key: _unite(old[key], new[key], (*path, key))
            if key in old and key in new
            else old.get(key, new.get(key))
            for key in dict.fromkeys([*old, *new])
        }
    if isinstance(old, list) and isinstance(new, list):
        return _unite_lists(old, new, path)
    if not json_equal(old, new):
        raise Contradiction(path)
    return old


def _unite_lists(old: list[Any], new: list[Any], path: tuple[str, ...]) -> list[Any]:
    joined = list(old)
    at = {_identity(item): index for index, item in enumerate(joined)}
    for item in new:
        known = at.setdefault(_identity(item), len(joined))
        if known == len(joined):
            joined.append(item)
        else:
            joined[known] = deep_merge(joined[known], item, (*path, str(known)))
    return joined


def _identity(item: Any) -> bytes:
    """Return the key of a list item: its id if it has one, else its content."""
    named = isinstance(item, dict) and "id" in item
    return msgspec.json.encode([named, item["id"] if named else item], order="sorted")


def merge_locales(manifests: Iterable[Manifest], problems: Problems) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the messages by namespace and key. Several packs may add locales to a key, but only one text each."""
    merged: dict[str, dict[str, dict[str, Any]]] = {}
    origin: dict[tuple[str, str], Manifest] = {}
    for manifest, namespace, key, message in _messages(manifests):
        messages = merged.setdefault(namespace, {})
        known = messages.get(key)
        if known is None:
            messages[key], origin[namespace, key] = message, manifest
            continue
        try:
            messages[key] = deep_merge(known, message)
        except Contradiction as contradiction:
            first = origin[namespace, key]
            pointer = render(("spec", "namespaces", namespace, "messages", key)) + str(contradiction)
            text = f"`{namespace}.{key}` has different texts in `{first.id}` ({first.file}) and in `{manifest.id}`"
            problems.error("merge_conflict", text, manifest.file, pointer, "keep one")
    return merged


def _messages(manifests: Iterable[Manifest]) -> Iterator[tuple[Manifest, str, str, dict[str, Any]]]:
    for manifest in manifests:
        if manifest.kind == "LocalePack":
            for namespace, body in manifest.spec["namespaces"].items():
                for key, message in body["messages"].items():
                    yield manifest, namespace, key, message
