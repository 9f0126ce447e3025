"""A target by words: its text, and optionally its role, a text near it and the part of the page around it.

On the wire it is a custom reference, `words:` and a JSON object. An equal name beats a name that contains the words.
Only elements that the action can use count. Several links with the same name and address are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from uiap.graph.names import DECORATED, match_level, normalised
from uiap.graph.query import by_role_name, find
from uiap.graph.store import GraphStore
from uiap.graph.view import beside_text, is_hidden
from uiap.spec.capability import UIAffordance
from uiap.spec.web import ElementNode

PREFIX = "words:"
MAX_MATCHES = 50
MIN_LEVEL = 0.3
"""Below this a match is a look-alike name or a share of the words, which nobody means."""
MAX_COMPARED, MIN_SIMILARITY, MAX_SIMILAR = 2_000, 0.3, 3
CLICKABLE: frozenset[UIAffordance] = frozenset({"activate", "toggle", "choose", "expand", "navigate"})

LeveledElement = tuple[ElementNode, float]


OTHER_ROLE_NAMES = {
    "heading": "label",
    "img": "image",
    "radiogroup": "group",
    "input": "textbox",
    "dropdown": "combobox",
    "gridcell": "cell",
    "columnheader": "cell",
    "rowheader": "cell",
    "treegrid": "grid",
    "alertdialog": "dialog",
    "menuitemcheckbox": "menuitem",
    "menuitemradio": "menuitem",
    "progressbar": "progress",
    "meter": "progress",
    "navigation": "region",
    "main": "region",
    "file": "fileinput",
}
"""Words of ARIA and of people for roles that are called otherwise in the graph."""


class WordTarget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words that name an element."""

    text: str = ""
    role: str | None = None
    near: str | None = None
    within: str | None = None


def parse_word_target(value: str) -> WordTarget | None:
    """Return the target of a custom reference, or None if it is not one by words."""
    if not value.startswith(PREFIX):
        return None
    try:
        wanted = msgspec.json.decode(value.removeprefix(PREFIX), type=WordTarget)
    except msgspec.DecodeError:
        return None
    role = OTHER_ROLE_NAMES.get(wanted.role or "", wanted.role)
    return msgspec.structs.replace(wanted, role=role)


def elements_by_words(
    store: GraphStore, wanted: WordTarget, affordances: tuple[UIAffordance, ...]
) -> list[LeveledElement]:
    """Return the elements that the words mean, each with the level of its match."""
    matches = [] if wanted.near else _usable(_by_name(store, wanted), affordances)
    if not matches:
        found = find(
            store,
            wanted.text,
            role=wanted.role,
            scope=wanted.within,
            near=wanted.near,
            limit=MAX_MATCHES,
        )
        leveled = [(m.element, m.confidence) for m in found if m.confidence >= MIN_LEVEL or wanted.near]
        matches = _usable(leveled, affordances) or leveled
        matches = _equal_names(matches, wanted) if wanted.near else matches
    matches = [one for one in matches if one[0].role != "app" or wanted.role == "app"]  # not its whole page
    equal = [one for one in matches if one[1] >= DECORATED]
    equal = [
        one for one in equal if one[0].name == wanted.text
    ] or equal  # `More` and not `more`, if both are there
    parts = _without_own_headings(store, equal or matches)
    return list(_one_per_address(_without_own_frames(store, parts, wanted)))


def _equal_names(found: list[LeveledElement], wanted: WordTarget) -> list[LeveledElement]:
    """Return the elements with an equal name, else all of them: the nearness has lowered their levels."""
    return [one for one in found if match_level(one[0].name or "", wanted.text) >= DECORATED] or found


def _without_own_headings(store: GraphStore, found: list[LeveledElement]) -> list[LeveledElement]:
    """Leave out the heading of a part of the page that is found as well: both are one thing with one name."""
    names = {one.instance_id: normalised(one.name or "") for one, _ in found}
    return [
        (one, level)
        for one, level in found
        if one.role != "label"
        or not any(
            names.get(outer.instance_id) == names[one.instance_id]
            for outer in store.ancestors(one.instance_id)
        )
    ]


def _without_own_frames(
    store: GraphStore, found: list[LeveledElement], wanted: WordTarget
) -> list[LeveledElement]:
    """Leave out the group around a button of the same name that opens and closes it: both are one thing."""
    if wanted.role:
        return found
    openers = [one for one, _ in found if one.role == "button" and isinstance(one.state.expanded, bool)]
    frames = {
        outer.instance_id
        for one in openers
        for outer in store.ancestors(one.instance_id)
        if outer.role == "group" and normalised(outer.name or "") == normalised(one.name or "")
    }
    return [(one, level) for one, level in found if one.instance_id not in frames]


def similar_names(
    store: GraphStore, wanted: WordTarget, affordances: tuple[UIAffordance, ...]
) -> tuple[str, ...]:
    """Return the most similar elements, best first, for a message: those that the action can use, else any.

    If no name is similar, fields without a name are listed: the wanted one may be among them.
    """
    usable, named = _usable(_visible(store), affordances), (one for one in _visible(store) if one[0].name)
    return (
        _most_similar(usable, wanted)
        or _fields_without_name(usable if "edit" in affordances else ())
        or _most_similar(named, wanted)
    )


def _fields_without_name(usable: Iterable[LeveledElement]) -> tuple[str, ...]:
    """Return the fields of a short form that no name can mean; among many, a list would help nobody."""
    found = [one for one, _ in usable if not one.name]
    return tuple(_described(one) for one in found) if len(found) <= MAX_SIMILAR else ()


def _described(element: ElementNode) -> str:
    secret = "private " if element.state.sensitive is True else ""
    beside = beside_text(element)
    named = f" beside “{beside}”" if beside else " without a name"
    return f"{secret}{element.role}{named} [{element.instance_id}]"


def _most_similar(elements: Iterable[LeveledElement], wanted: WordTarget) -> tuple[str, ...]:
    parts = _trigrams(normalised(wanted.text))
    scored: dict[str, float] = {}
    for element, _ in islice(elements, MAX_COMPARED):
        others = _trigrams(normalised(element.name or ""))
        score = len(parts & others) / max(1, len(parts | others))
        if element.name and score >= MIN_SIMILARITY:
            scored.setdefault(f"{element.role} “{element.name}” [{element.instance_id}]", score)
    return tuple(sorted(scored, key=lambda name: -scored[name])[:MAX_SIMILAR])


def _visible(store: GraphStore) -> Iterator[LeveledElement]:
    return ((one, 1.0) for one in store if not is_hidden(one))


def _by_name(store: GraphStore, wanted: WordTarget) -> Iterator[LeveledElement]:
    """Yield the elements with a matching name, by the index of names."""
    if not wanted.text and wanted.role is None:
        return
    for role in (wanted.role,) if wanted.role else list(store.index.by_role):
        yield from by_role_name(store, role, wanted.text or None, scope=wanted.within)


def _usable(found: Iterable[LeveledElement], affordances: tuple[UIAffordance, ...]) -> list[LeveledElement]:
    """Return the matches that the action can use. A click also switches, chooses and expands."""
    wanted = set(affordances) | (CLICKABLE if "activate" in affordances else set())
    return [one for one in found if not wanted or wanted & set(one[0].affordances)]


def _one_per_address(found: list[LeveledElement]) -> Iterator[LeveledElement]:
    seen: set[tuple[str, str, str]] = set()
    for element, level in found:
        address = (element.metadata or {}).get("href")
        key = (element.role, normalised(element.name or ""), str(address))
        if address is None or key not in seen:
            yield element, level
        seen.add(key)


def _trigrams(text: str) -> set[str]:
    padded = f"  {text} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)} if text else set()
