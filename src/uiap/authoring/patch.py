"""The five operations of a manifest patch on a whole document (companions §12.2).

Knows no overlays and no manifests: a document and a patch in, a new document or a reason out.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from uiap.authoring.pointer import MISSING, BadPointer, Tokens, changed, get, parse
from uiap.spec.authoring import ManifestPatch


class BadPatch(ValueError):
    """The patch does not fit the document; the message says why."""


def apply(document: Any, patch: ManifestPatch) -> Any:
    """The patched copy of `document`. Raises BadPatch; the document itself is never changed."""
    try:
        tokens = parse(patch.path)
        target = get(document, tokens)
    except BadPointer as error:
        raise BadPatch(f"{patch.op} at `{patch.path}`: {error}") from None
    if patch.op == "remove":
        return _remove(document, tokens, patch)
    if patch.value is UNSET:
        raise BadPatch(f"{patch.op} at `{patch.path}` needs a `value`")
    new = _OPERATIONS[patch.op](target, patch)
    return changed(document, tokens, lambda _: new)


def match_value(item: Any, match_key: str) -> Any:
    """The value at a dotted path (`definition.id`) inside an item, or MISSING."""
    for name in match_key.split("."):
        if not isinstance(item, dict) or name not in item:
            return MISSING
        item = item[name]
    return item


def identity(patch: ManifestPatch) -> Any:
    """What an upsert looks for: the value at `matchKey` in its own `value`."""
    if patch.match_key is UNSET or not patch.match_key:
        raise BadPatch(f"upsert at `{patch.path}` needs a `matchKey`")
    wanted = match_value(patch.value, patch.match_key)
    if isinstance(wanted, bool) or not isinstance(wanted, str | int | float):
        raise BadPatch(f"`matchKey` `{patch.match_key}` is no string or number inside `value`")
    return wanted


def merged(old: Any, new: Any) -> Any:
    """Objects merge member by member; arrays, scalars and null replace."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    joined = dict(old)
    for key, value in new.items():
        joined[key] = merged(old[key], value) if key in old else value
    return joined


def same(left: Any, right: Any) -> bool:
    """Deep equality as JSON has it: `true` is not 1, and 1.0 is 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(v, right[k]) for k, v in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def _replace(target: Any, patch: ManifestPatch) -> Any:
    return patch.value


def _merge(target: Any, patch: ManifestPatch) -> Any:
    if not isinstance(target, dict) or not isinstance(patch.value, dict):
        raise BadPatch(f"merge at `{patch.path}` needs an object there and an object as `value`")
    return merged(target, patch.value)


def _append(target: Any, patch: ManifestPatch) -> Any:
    if not isinstance(target, list):
        raise BadPatch(f"append at `{patch.path}` needs an array there")
    return [*target, *(patch.value if isinstance(patch.value, list) else [patch.value])]


def _upsert(target: Any, patch: ManifestPatch) -> Any:
    if not isinstance(target, list) or not all(isinstance(item, dict) for item in target):
        raise BadPatch(f"upsert at `{patch.path}` needs an array of objects there")
    wanted, key = identity(patch), str(patch.match_key)
    hits = [i for i, item in enumerate(target) if same(match_value(item, key), wanted)]
    if len(hits) > 1:
        raise BadPatch(f"upsert at `{patch.path}`: {len(hits)} items have `{key}` = `{wanted}`")
    if not hits:
        return [*target, patch.value]
    return [*target[: hits[0]], patch.value, *target[hits[0] + 1 :]]


def _remove(document: Any, tokens: Tokens, patch: ManifestPatch) -> Any:
    if not tokens:
        raise BadPatch("remove cannot take the whole document away")
    return changed(document, tokens, lambda _: MISSING)


_OPERATIONS = {"replace": _replace, "merge": _merge, "append": _append, "upsert": _upsert}
