"""Find workflows whose meaning an overlay changes; a new meaning needs a new version (AUTH-5.6b).

It compares the catalog of one manifest before and after its overlays. Additions and restrictions are allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from uiap.authoring.patch import json_equal

# The members that define what a workflow does. Texts, goals and hints may change; conditions and grants restrict.
MEANING = (
    "category",
    "startMode",
    "parameters",
    "success",
    "initialStepId",
    "steps",
    "onFailure",
    "timeoutMs",
    "risk",
)
TEXTS = frozenset({"title", "text", "description", "metadata"})


class MeaningChange(NamedTuple):
    """A changed meaning; `silent` if the version is the same."""

    silent: bool
    message: str
    hint: str = ""


def meaning_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[MeaningChange]:
    """Yield the workflows whose meaning differs between two catalogs."""
    old = {w["definition"]["id"]: w["definition"] for w in before["workflows"]}
    for workflow in after["workflows"]:
        definition = workflow["definition"]
        known = old.get(definition["id"])
        if known is None or json_equal(known, definition):
            continue
        id, changes = definition["id"], changed_meaning(known, definition)
        if changes and known["version"] == definition["version"]:
            message = f"the overlay changes what `{id}` does ({', '.join(changes)}) under the same version"
            yield MeaningChange(True, message, f"raise definition.version above {known['version']}")
        elif changes:
            message = (
                f"`{id}` is {definition['version']} here instead of {known['version']} ({', '.join(changes)})"
            )
            yield MeaningChange(False, message)


def changed_meaning(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the members whose meaning differs; texts inside them do not count."""
    names = [
        name
        for name in MEANING
        if not json_equal(_without_texts(old.get(name)), _without_texts(new.get(name)))
    ]
    if not set(new.get("interactionModes", ())) <= set(old.get("interactionModes", ())):
        names.append("interactionModes")
    return names


def _without_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_texts(item) for key, item in value.items() if key not in TEXTS}
    if isinstance(value, list):
        return [_without_texts(item) for item in value]
    return value
