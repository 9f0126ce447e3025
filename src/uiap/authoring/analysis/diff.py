"""Compare two bundles: list the changes of meaning and the version step that they need (AUTH-11).

Below 1.0.0 a breaking change raises the minor number, and every other change the patch number, as in caret ranges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from uiap.authoring.canonical import to_json_value
from uiap.authoring.patch import json_equal
from uiap.authoring.versions import Version, parse_version
from uiap.authoring.workflows.changes import TEXTS, changed_meaning
from uiap.spec.authoring import UIAPCompiledBundle
from uiap.spec.base import Struct

Bump: TypeAlias = Literal["none", "patch", "minor", "major"]
BUMPS: tuple[Bump, ...] = ("none", "patch", "minor", "major")
NAMES = {
    "routes": "route",
    "scopes": "scope",
    "elements": "element",
    "actions": "action",
    "policies": "policy",
    "workflows": "workflow",
}
# Members of an action that only describe it; every other member is part of its meaning.
DESCRIPTIVE_MEMBERS = frozenset({"title", "description", "metadata", "name", "goals", "tags"})


class BundleChange(Struct):
    """One change between two bundles, and the version step that it needs."""

    what: str  # route, element, action, ...
    id: str
    how: Literal["added", "removed", "changed", "renamed"]
    bump: Bump
    note: str = ""


class BundleDiff(Struct):
    """All changes between two bundles. `enough` says whether the new version number allows them."""

    old: str
    new: str
    changes: tuple[BundleChange, ...]
    needed: Bump
    given: Bump
    enough: bool
    proposed: str


def diff(old: UIAPCompiledBundle, new: UIAPCompiledBundle) -> BundleDiff:
    """Return every change with the version step that it needs."""
    changes = tuple(_changes(to_json_value(old), to_json_value(new)))
    needed: Bump = max((change.bump for change in changes), key=BUMPS.index, default="none")
    before, after = parse_version(old.version), parse_version(new.version)
    given = step_between(before, after)
    enough = after.order >= before.order and BUMPS.index(given) >= BUMPS.index(required_step(before, needed))
    return BundleDiff(
        old=old.version,
        new=new.version,
        changes=changes,
        needed=needed,
        given=given,
        enough=enough,
        proposed=str(next_version(before, needed)),
    )


def step_between(old: Version, new: Version) -> Bump:
    """Return which number of the version changed."""
    if new.major != old.major:
        return "major"
    if new.minor != old.minor:
        return "minor"
    return "patch" if new.order != old.order else "none"


def required_step(old: Version, needed: Bump) -> Bump:
    """Return the version step for a needed bump, which is smaller below 1.0.0."""
    if old.major > 0 or needed == "none":
        return needed
    return "minor" if needed == "major" else "patch"


def next_version(old: Version, needed: Bump) -> Version:
    """Return the version that allows the needed bump."""
    match required_step(old, needed):
        case "major":
            return Version(old.major + 1, 0, 0)
        case "minor":
            return Version(old.major, old.minor + 1, 0)
        case "patch":
            return Version(old.major, old.minor, old.patch + (0 if old.labels else 1))
    return old


def _changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[BundleChange]:
    yield from _identity_changes(old, new)
    yield from _app_changes(old["app"], new["app"])
    for section in ("routes", "scopes", "elements"):
        before, after = (b.get("bindings", {}).get(section, ()) for b in (old, new))
        yield from _item_changes(section, before, after)
    for section in ("actions", "policies", "workflows"):
        yield from _item_changes(section, old.get(section, ()), new.get(section, ()))
    yield from _capability_changes(old.get("capabilities"), new.get("capabilities"))
    yield from _locale_changes(old.get("locales", {}), new.get("locales", {}))
    if old["buildContext"] == new["buildContext"]:  # another context selects other overlays
        yield from _index_changes(old.get("manifestIndex", ()), new.get("manifestIndex", ()))


def _identity_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[BundleChange]:
    for member in ("packageId", "profile", "compatibility"):
        if not json_equal(old[member], new[member]):
            # AUTH-11b: compatibility with the app or the profile breaks.
            yield BundleChange(
                what=member, id="", how="changed", bump="major", note="compatibility may break"
            )


def _app_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[BundleChange]:
    if old["appId"] != new["appId"]:
        yield BundleChange(what="app", id=new["appId"], how="changed", bump="major", note="another app")
    for member in ("environments", "principalProfiles", "supportedLocales"):
        before, after = (_by_id(app.get(member, ())) for app in (old, new))
        yield from _keyed_changes("app", member, before, after)
    texts = {"appId", "environments", "principalProfiles", "supportedLocales"}
    for member in sorted((old.keys() | new.keys()) - texts):
        if not json_equal(old.get(member), new.get(member)):
            bump: Bump = "major" if member in ("routing", "sdk") else "patch"
            yield BundleChange(what="app", id=member, how="changed", bump=bump)


def _by_id(values: Any) -> dict[str, Any]:
    return {v["id"] if isinstance(v, dict) else v: v for v in values}


def _keyed_changes(
    what: str, member: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[BundleChange]:
    for id in sorted(before.keys() | after.keys()):
        name = f"{member}/{id}"
        if id not in after:
            yield BundleChange(what=what, id=name, how="removed", bump="major")
        elif id not in before:
            yield BundleChange(what=what, id=name, how="added", bump="minor")
        elif not json_equal(before[id], after[id]):
            yield BundleChange(
                what=what, id=name, how="changed", bump="major" if member == "principalProfiles" else "patch"
            )


def _item_changes(section: str, before: Any, after: Any) -> Iterator[BundleChange]:
    what = NAMES[section]
    old, new = ({item["id"]: item for item in items} for items in (before, after))
    renamed = _renamed_ids(old, new)
    new_ids = set(renamed.values())
    for id in sorted(old.keys() | new.keys()):
        if id in renamed:
            # AUTH-5.3b: the same target under another id breaks users of the old id.
            note = f"now `{renamed[id]}`; the same target"
            yield BundleChange(what=what, id=id, how="renamed", bump="major", note=note)
        elif id in new_ids and id not in old:
            continue
        elif id not in new:
            yield BundleChange(what=what, id=id, how="removed", bump="major")
        elif id not in old:
            yield BundleChange(what=what, id=id, how="added", bump="minor")
        elif not json_equal(old[id], new[id]):
            bump, note = _bump_of_change(section, old[id], new[id])
            yield BundleChange(what=what, id=id, how="changed", bump=bump, note=note)


def _renamed_ids(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, str]:
    """Map old ids to new ids: a removed item and an added one have the same matchers, or the same body."""
    removed, added = [old[i] for i in old if i not in new], [new[i] for i in new if i not in old]
    added_ids: dict[bytes, str] = {_target(item): item["id"] for item in added}
    return {item["id"]: added_ids[_target(item)] for item in removed if _target(item) in added_ids}


def _target(item: Mapping[str, Any]) -> bytes:
    """Return the content of an item without its id. Annotations usually repeat the id, so they are left out."""
    id = item["id"]
    if "match" in item:
        aim = [m for m in item["match"] if m.get("value") != id] or list(item["match"])
        about: Any = [aim, item.get("scopeId"), item.get("role"), item.get("routeIds")]
    else:
        about = {
            key: value for key, value in item.items() if key not in ("id", "title", "version", "metadata")
        }
    return msgspec.json.encode(about, order="sorted")


def _bump_of_change(section: str, old: dict[str, Any], new: dict[str, Any]) -> tuple[Bump, str]:
    if section == "policies":
        # AUTH-11b: a stricter and a more lenient policy both change how runs behave.
        changed = [
            m for m in ("defaults", "rules", "redaction") if old["document"].get(m) != new["document"].get(m)
        ]
        changed += ["selector"] if old.get("selector") != new.get("selector") else []
        return ("major", f"behaviour: {', '.join(changed)}") if changed else ("patch", "texts or metadata")
    if section == "workflows":
        meaning = changed_meaning(old, new)
        if not set(old["interactionModes"]) <= set(new["interactionModes"]):
            meaning.append("interactionModes")
        limits = [
            m
            for m in ("entryConditions", "requiredRoles", "requiredGrants", "routeIds")
            if old.get(m) != new.get(m)
        ]
        return (
            ("major", f"meaning: {', '.join([*meaning, *limits])}")
            if meaning or limits
            else ("patch", "texts")
        )
    return _bump_of_members(old, new)


def _bump_of_members(old: dict[str, Any], new: dict[str, Any]) -> tuple[Bump, str]:
    names = [n for n in sorted(old.keys() | new.keys()) if not json_equal(old.get(n), new.get(n))]
    breaking: list[str] = []
    compatible: list[str] = []
    for name in names:
        if name in DESCRIPTIVE_MEMBERS or json_equal(
            _without_texts(old.get(name)), _without_texts(new.get(name))
        ):
            continue
        (compatible if _is_compatible(name, old.get(name), new.get(name)) else breaking).append(name)
    if breaking:
        return "major", f"meaning: {', '.join(breaking)}"
    if [name for name in compatible if name != "match"]:
        return "minor", f"more: {', '.join(compatible)}"
    return "patch", "other matchers, same target" if compatible else "texts or metadata"


def _is_compatible(name: str, old: Any, new: Any) -> bool:
    """Return whether a change only adds something: an optional argument, a mode or a matcher."""
    if name == "match":
        return any(matcher in new for matcher in old)
    if name == "args":
        before = {a["name"]: a for a in old or ()}
        unchanged = all(
            json_equal(before[a["name"]], a) if a["name"] in before else not a.get("required")
            for a in new or ()
        )
        return unchanged and before.keys() <= {a["name"] for a in new or ()}
    if name in ("executionModes", "targetKinds", "routeIds", "stableIds"):
        return set(old or ()) <= set(new or ()) and old is not None
    return name in ("success", "successSignals") and old is None


def _without_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_texts(item) for key, item in value.items() if key not in TEXTS}
    return [_without_texts(item) for item in value] if isinstance(value, list) else value


def _capability_changes(old: Any, new: Any) -> Iterator[BundleChange]:
    if json_equal(old, new):
        return
    if old is None or new is None:
        how: Literal["added", "removed"] = "added" if old is None else "removed"
        yield BundleChange(what="capabilities", id="", how=how, bump="minor" if old is None else "major")
        return
    yield from (
        msgspec.structs.replace(c, what="capability")
        for c in _item_changes("actions", old["actions"], new["actions"])
    )
    for member in sorted((old.keys() | new.keys()) - {"actions"}):
        before, after = old.get(member), new.get(member)
        if json_equal(before, after):
            continue
        grown = isinstance(before, list) and isinstance(after, list) and all(item in after for item in before)
        bump: Bump = "patch" if member == "metadata" else "minor" if grown or before is None else "major"
        yield BundleChange(what="capabilities", id=member, how="changed", bump=bump)


def _index_changes(old: Iterable[str], new: Iterable[str]) -> Iterator[BundleChange]:
    """Yield the manifests that were added, such as an overlay. Lost content is a change of its own."""
    before, after = set(old), set(new)
    for id in sorted(before ^ after):
        is_added = id in after
        how: Literal["added", "removed"] = "added" if is_added else "removed"
        yield BundleChange(what="manifest", id=id, how=how, bump="minor" if is_added else "patch")


def _locale_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[BundleChange]:
    for key in sorted(old.keys() | new.keys()):
        if key not in new:
            yield BundleChange(what="text", id=key, how="removed", bump="major")
        elif key not in old:
            yield BundleChange(what="text", id=key, how="added", bump="minor")
        elif old[key] != new[key]:
            yield BundleChange(what="text", id=key, how="changed", bump="patch")
