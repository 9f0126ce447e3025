"""The five operations of a manifest patch on a whole document (companions §12.2).

Knows no overlays and no manifests: a document and a patch in, a new document or a reason out.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from uiap.authoring.pointer import MISSING, BadPointer, Tokens, get, parse, replace_at
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
    return replace_at(document, tokens, lambda _: new)


class Draft:
    """A document while many patches are applied: what is already a copy of ours is changed in place.

    Gives what `apply` gives, one patch after the other, without copying a long list for each of them.
    """

    def __init__(self, document: Any) -> None:
        self.document = document
        self._own: dict[int, Any] = {}  # keeps them alive, so that an id is never used twice
        self._known: dict[tuple[int, str], dict[Any, list[int]]] = {}

    def apply(self, patch: ManifestPatch) -> None:
        try:
            tokens = parse(patch.path)
            target = get(self.document, tokens)
        except BadPointer as error:
            raise BadPatch(f"{patch.op} at `{patch.path}`: {error}") from None
        if patch.op == "upsert" and tokens:
            self._upsert(tokens, target, patch)
        else:
            self._other(tokens, target, patch)

    def _other(self, tokens: Tokens, target: Any, patch: ManifestPatch) -> None:
        self._known.clear()
        if not tokens:
            self.document = apply(self.document, patch)
            return
        if patch.op != "remove" and patch.value is UNSET:
            raise BadPatch(f"{patch.op} at `{patch.path}` needs a `value`")
        new = MISSING if patch.op == "remove" else _OPERATIONS[patch.op](target, patch)
        holder = self._owned(tokens[:-1])
        key: Any = tokens[-1] if isinstance(holder, dict) else int(tokens[-1])
        if new is MISSING:
            del holder[key]
        else:
            holder[key] = new

    def _upsert(self, tokens: Tokens, target: Any, patch: ManifestPatch) -> None:
        if patch.value is UNSET or not isinstance(target, list):
            _upsert(target, patch)  # says why not
        wanted = _comparable(upsert_identity(patch))
        items = self._owned(tokens)
        known = self._known.get((id(items), str(patch.match_key)))
        if known is None:
            _upsert(items, patch)  # refuses what is no array of objects
            known = self._known[id(items), str(patch.match_key)] = {}
            for index, item in enumerate(items):
                known.setdefault(_comparable(match_value(item, str(patch.match_key))), []).append(index)
        hits = known.setdefault(wanted, [])
        if len(hits) > 1:
            _upsert(items, patch)  # says how many
        # Another key's view of this list is no longer right.
        self._known = {place: view for place, view in self._known.items() if view is known}
        if hits:
            items[hits[0]] = patch.value
        else:
            hits.append(len(items))
            items.append(patch.value)

    def _owned(self, tokens: Tokens) -> Any:
        """The container at a place, every container on the way being a copy of ours."""
        if id(self.document) not in self._own:
            self.document = self._copy(self.document)
        holder = self.document
        for token in tokens:
            key: Any = token if isinstance(holder, dict) else int(token)
            if id(holder[key]) not in self._own:
                holder[key] = self._copy(holder[key])
            holder = holder[key]
        return holder

    def _copy(self, value: Any) -> Any:
        copy = value.copy()
        self._own[id(copy)] = copy
        return copy


def _comparable(value: Any) -> Any:
    """A key under which JSON-equal strings and numbers meet, and nothing else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return MISSING
    return value


def match_value(item: Any, match_key: str) -> Any:
    """The value at a dotted path (`definition.id`) inside an item, or MISSING."""
    for name in match_key.split("."):
        if not isinstance(item, dict) or name not in item:
            return MISSING
        item = item[name]
    return item


def upsert_identity(patch: ManifestPatch) -> Any:
    """What an upsert looks for: the value at `matchKey` in its own `value`."""
    if patch.match_key is UNSET or not patch.match_key:
        raise BadPatch(f"upsert at `{patch.path}` needs a `matchKey`")
    wanted = match_value(patch.value, patch.match_key)
    if isinstance(wanted, bool) or not isinstance(wanted, str | int | float):
        raise BadPatch(f"`matchKey` `{patch.match_key}` is no string or number inside `value`")
    return wanted


def merge_values(old: Any, new: Any) -> Any:
    """Objects merge member by member; arrays, scalars and null replace."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    joined = dict(old)
    for key, value in new.items():
        joined[key] = merge_values(old[key], value) if key in old else value
    return joined


def json_equal(left: Any, right: Any) -> bool:
    """Deep equality as JSON has it: `true` is not 1, and 1.0 is 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(json_equal(v, right[k]) for k, v in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(json_equal, left, right))
    return bool(left == right)


def _replace(target: Any, patch: ManifestPatch) -> Any:
    return patch.value


def _merge(target: Any, patch: ManifestPatch) -> Any:
    if not isinstance(target, dict) or not isinstance(patch.value, dict):
        raise BadPatch(f"merge at `{patch.path}` needs an object there and an object as `value`")
    return merge_values(target, patch.value)


def _append(target: Any, patch: ManifestPatch) -> Any:
    if not isinstance(target, list):
        raise BadPatch(f"append at `{patch.path}` needs an array there")
    return [*target, *(patch.value if isinstance(patch.value, list) else [patch.value])]


def _upsert(target: Any, patch: ManifestPatch) -> Any:
    if not isinstance(target, list) or not all(isinstance(item, dict) for item in target):
        raise BadPatch(f"upsert at `{patch.path}` needs an array of objects there")
    wanted, key = upsert_identity(patch), str(patch.match_key)
    hits = [i for i, item in enumerate(target) if json_equal(match_value(item, key), wanted)]
    if len(hits) > 1:
        raise BadPatch(f"upsert at `{patch.path}`: {len(hits)} items have `{key}` = `{wanted}`")
    if not hits:
        return [*target, patch.value]
    return [*target[: hits[0]], patch.value, *target[hits[0] + 1 :]]


def _remove(document: Any, tokens: Tokens, patch: ManifestPatch) -> Any:
    if not tokens:
        raise BadPatch("remove cannot take the whole document away")
    return replace_at(document, tokens, lambda _: MISSING)


_OPERATIONS = {"replace": _replace, "merge": _merge, "append": _append, "upsert": _upsert}
