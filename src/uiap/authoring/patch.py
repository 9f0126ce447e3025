"""The five operations of a manifest patch on one document.

`assembly.overlay` selects the patches and manifests.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from uiap.authoring.pointer import MISSING, BadPointer, Tokens, get, parse, replace_at
from uiap.spec.authoring import ManifestPatch


class BadPatch(ValueError):
    """A patch that cannot be applied to the document; the message says why."""


def apply(document: Any, patch: ManifestPatch) -> Any:
    """Return a patched copy of `document`, which itself never changes; raise BadPatch."""
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
    """A document to which many patches are applied.

    The result is that of `apply` for each patch, but each container is copied once and then changed in place.
    """

    def __init__(self, document: Any) -> None:
        self.document = document
        self._copies: dict[int, Any] = {}  # keeps the copies alive, so that an id is never reused
        self._indices: dict[tuple[int, str], dict[Any, list[int]]] = {}

    def apply(self, patch: ManifestPatch) -> None:
        try:
            tokens = parse(patch.path)
            target = get(self.document, tokens)
        except BadPointer as error:
            raise BadPatch(f"{patch.op} at `{patch.path}`: {error}") from None
        if patch.op == "upsert" and tokens:
            self._upsert(tokens, target, patch)
        else:
            self._apply_other(tokens, target, patch)

    def _apply_other(self, tokens: Tokens, target: Any, patch: ManifestPatch) -> None:
        self._indices.clear()
        if not tokens:
            self.document = apply(self.document, patch)
            return
        if patch.op != "remove" and patch.value is UNSET:
            raise BadPatch(f"{patch.op} at `{patch.path}` needs a `value`")
        new = MISSING if patch.op == "remove" else _OPERATIONS[patch.op](target, patch)
        container = self._copied_container(tokens[:-1])
        key: Any = tokens[-1] if isinstance(container, dict) else int(tokens[-1])
        if new is MISSING:
            del container[key]
        else:
            container[key] = new

    def _upsert(self, tokens: Tokens, target: Any, patch: ManifestPatch) -> None:
        if patch.value is UNSET or not isinstance(target, list):
            _upsert(target, patch)  # raises the reason
        wanted = _comparable(upsert_identity(patch))
        items = self._copied_container(tokens)
        positions = self._indices.get((id(items), str(patch.match_key)))
        if positions is None:
            _upsert(items, patch)  # raises if it is not an array of objects
            positions = self._indices[id(items), str(patch.match_key)] = {}
            for index, item in enumerate(items):
                positions.setdefault(_comparable(match_value(item, str(patch.match_key))), []).append(index)
        hits = positions.setdefault(wanted, [])
        if len(hits) > 1:
            _upsert(items, patch)  # raises with the number of matches
        # The index of this list by another key is no longer valid.
        self._indices = {key: index for key, index in self._indices.items() if index is positions}
        if hits:
            items[hits[0]] = patch.value
        else:
            hits.append(len(items))
            items.append(patch.value)

    def _copied_container(self, tokens: Tokens) -> Any:
        """Return the container at a pointer; every container on the path is our copy."""
        if id(self.document) not in self._copies:
            self.document = self._copy(self.document)
        container = self.document
        for token in tokens:
            key: Any = token if isinstance(container, dict) else int(token)
            if id(container[key]) not in self._copies:
                container[key] = self._copy(container[key])
            container = container[key]
        return container

    def _copy(self, value: Any) -> Any:
        copy = value.copy()
        self._copies[id(copy)] = copy
        return copy


def _comparable(value: Any) -> Any:
    """Return a dict key that is equal for JSON-equal strings and numbers only."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return MISSING
    return value


def match_value(item: Any, match_key: str) -> Any:
    """Return the value at a dotted path (`definition.id`) in an item, or MISSING."""
    for name in match_key.split("."):
        if not isinstance(item, dict) or name not in item:
            return MISSING
        item = item[name]
    return item


def upsert_identity(patch: ManifestPatch) -> Any:
    """Return the value at `matchKey` in the `value` of an upsert; items with it are replaced."""
    if patch.match_key is UNSET or not patch.match_key:
        raise BadPatch(f"upsert at `{patch.path}` needs a `matchKey`")
    wanted = match_value(patch.value, patch.match_key)
    if isinstance(wanted, bool) or not isinstance(wanted, str | int | float):
        raise BadPatch(f"`matchKey` `{patch.match_key}` is not a string or number in `value`")
    return wanted


def merge_values(old: Any, new: Any) -> Any:
    """Return `old` with `new` merged in: objects by member; arrays, scalars and null replace."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    joined = dict(old)
    for key, value in new.items():
        joined[key] = merge_values(old[key], value) if key in old else value
    return joined


def json_equal(left: Any, right: Any) -> bool:
    """Return whether two values are equal as JSON: `true` is not 1, and 1.0 is 1."""
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
        raise BadPatch("remove cannot remove the whole document")
    return replace_at(document, tokens, lambda _: MISSING)


_OPERATIONS = {"replace": _replace, "merge": _merge, "append": _append, "upsert": _upsert}
