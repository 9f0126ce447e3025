"""Pages of one template: records of one kind, and pages of one parent that offer the same.

`/items/3` and `/items/4` show two records: the address says so, whatever else a record offers. `/kb/lamps` and
`/kb/printers` are two records too if their templates are equal and something else says so: both have a control that no
other part of the application has. Pages with the same pages below them (`/lamps/orders` and `/lamps/files`,
`/chairs/orders` and `/chairs/files`) are records if one has the columns of the other. Links with the same words, or of
the same list, tell even more: the pages they lead to are records if their addresses differ in one part and one offers
the kinds of controls of the other. The names of records may have several parts (`@garden/bean`, `bucket`): then both
pages offer the same kinds. Without any of that, the third page of the parent is needed to tell. If only pages of the
parent link to it, as in a manual, its links do not count.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from uiap.discovery.knowledge.page_keys import (
    control_kinds,
    is_record_link,
    link_paths,
    page_columns,
    state_shape,
    template_keys,
    template_names,
)
from uiap.discovery.knowledge.states import State
from uiap.discovery.plan.address import path_pattern, view_parameters
from uiap.graph.store import GraphStore
from uiap.record_segments import is_record_segment

MIN_PAGES_BELOW = 2
"""Two siblings are records if both have this many pages of the same names below them."""
PATTERN_SIBLINGS = 3
"""This many pages of one parent that offer the same are a pattern; the others of that parent are not visited."""
_ID, _NAME = ":id", ":name"
_NUMBERED = re.compile(r"([^\W\d]+)(\d+)")
"""A name and the number of a record without anything between them: `issue12`."""


class _KnownPage(NamedTuple):
    state: State
    template: frozenset[str]
    names: frozenset[str]
    kinds: frozenset[str]
    shape: str
    links: frozenset[str]
    columns: frozenset[str]

    @classmethod
    def of(cls, state: State, store: GraphStore) -> _KnownPage:
        kinds = control_kinds(store) | page_columns(store)
        return cls(
            state,
            template_keys(store),
            template_names(store),
            kinds,
            state_shape(store, ""),
            link_paths(store),
            page_columns(store),
        )


class Siblings:
    def __init__(self) -> None:
        self._pages: list[_KnownPage] = []
        self._by_template: dict[tuple[str | None, str, frozenset[str]], _KnownPage] = {}
        """Principal, parent and template to the first page that has them."""
        self._by_shape: dict[tuple[str | None, str, str], dict[str, State]] = {}
        """Principal, parent and shape to the paths that have them, each with its state."""
        self._records: dict[tuple[str | None, str], list[_KnownPage]] = {}
        """Principal and path of a record, or of a page below one, to the pages that are known."""
        self._parents: dict[str, set[str]] = {}
        """Named control to the parents of the pages that have it."""
        self._reached_by: dict[str, list[State]] = {}
        """Link to the states it led to. Links of the same words, or of one list, are the same."""
        self._numbered: dict[str, set[str]] = {}
        """Path of records with a name and a number to the paths that were merged."""
        self._merged_paths: dict[str, set[str]] = {}
        """Parent of records that have names to the paths of these records."""
        self._pattern_parents: set[str] = set()

    def add(self, state: State, store: GraphStore) -> None:
        """Remember the template of a new state that a load or a link led to."""
        page = _KnownPage.of(state, store)
        self._pages.append(page)
        self._index(page)

    def add_link(self, link: str, state: State) -> None:
        """Remember that the link led to the state."""
        self._reached_by.setdefault(link, []).append(state)

    def find(self, principal: str | None, store: GraphStore, link: str | None = None) -> State | None:
        """Return the state of another page with the same template; None if this page is the first of its kind.

        `link` is the link that led here.
        """
        path, keys = self._path(store.route.url), template_keys(store)
        views = view_parameters(store.route.url)
        for known in self._records.get((principal, path), ()):
            if views == view_parameters(known.state.url):
                self._numbered.setdefault(path, set()).add(path_pattern(store.route.url))
                return known.state
        linked = self._linked_record(principal, store, link) or self._with_same_pages_below(principal, store)
        linked = linked or self._below_other_record(principal, store)
        parent = _parent(path)
        if linked is not None or not parent:
            return linked
        same = self._by_template.get((principal, parent, keys))
        if same is not None and self._has_own_control(same.names & template_names(store), parent):
            return self._merge(parent, same.state, store.route.url)
        same_shape = self._third_of_shape(principal, parent, path, store)
        return same_shape or self._third_article(principal, parent, path, template_names(store))

    def is_known_pattern(self, path: str) -> bool:
        """Whether enough pages of the same parent, or records with a name and a number, offered the same."""
        if _parent(path) in self._pattern_parents:
            return True
        pattern = self._path(path)
        if _NAME in pattern and self._has_page_of_other_record(pattern, path):
            return True
        known = self._numbered.get(pattern, set())
        return len(known) >= PATTERN_SIBLINGS - 1 and path not in known

    def _has_page_of_other_record(self, pattern: str, path: str) -> bool:
        """Whether the page of another record with a name stands for this one."""
        pages = [page for (_, known), found in self._records.items() if known == pattern for page in found]
        return bool(pages) and all(path_pattern(page.state.url) != path for page in pages)

    def _linked_record(self, principal: str | None, store: GraphStore, link: str | None) -> State | None:
        """Return a page that the same link led to, if it shows another record of the same kind."""
        kinds = control_kinds(store) | page_columns(store)
        reached = {one.id for one in self._reached_by.get(link or "", ()) if one.principal == principal}
        for page in self._pages if reached else ():
            if page.state.id not in reached:
                continue
            paths = path_pattern(page.state.url), path_pattern(store.route.url)
            parent = _different_part(*paths)
            if parent and (kinds <= page.kinds or page.kinds <= kinds):
                return self._merge(parent, page.state, store.route.url)
            if is_record_link(link or "") and kinds == page.kinds and (parent := _common_parent(*paths)):
                return self._merge(parent, page.state, store.route.url)
        return None

    def _with_same_pages_below(self, principal: str | None, store: GraphStore) -> State | None:
        """Return a sibling that has the same pages below it and its columns: another record with a name."""
        path, columns = path_pattern(store.route.url), page_columns(store)
        parent, below = _parent(path), _names_below(path, link_paths(store))
        if len(below) < MIN_PAGES_BELOW:
            return None
        for page in self._pages:
            other = path_pattern(page.state.url)
            if page.state.principal != principal or other == path or _parent(other) != parent:
                continue
            theirs = _names_below(other, page.links)
            is_part = min(len(below), len(theirs)) >= MIN_PAGES_BELOW and (below <= theirs or theirs <= below)
            has_same_columns = bool(page.columns) == bool(columns) and (
                page.columns <= columns or columns <= page.columns
            )
            if is_part and has_same_columns:
                return self._merge(parent, page.state, store.route.url)
        return None

    def _below_other_record(self, principal: str | None, store: GraphStore) -> State | None:
        """Return the same page of another record with a name: `/kits/a/parts` and `/kits/b/parts` have one template.

        One page is no proof. Another page of both records is equal too, and none differs.
        """
        path, names = path_pattern(store.route.url), template_names(store)
        ours = [one for one in self._pages if one.state.principal == principal]
        for page in ours if names else ():
            other = path_pattern(page.state.url)
            parent = _different_part(path, other) if page.names == names else None
            if parent and _are_records(ours, _record_path(path, parent), _record_path(other, parent), path):
                return self._merge(parent, page.state, store.route.url)
        return None

    def _index(self, page: _KnownPage) -> None:
        principal, path = page.state.principal, self._path(page.state.url)
        parent = _parent(path)
        for name in page.names:
            self._parents.setdefault(name, set()).add(parent)
        self._by_template.setdefault((principal, parent, page.template), page)
        self._by_shape.setdefault((principal, parent, page.shape), {}).setdefault(path, page.state)
        # In `/items/new` the last part may name a page or a record. Such pages are found by their template only.
        if _ID in path or _NAME in parent:
            self._records.setdefault((principal, path), []).append(page)

    def _third_of_shape(
        self, principal: str | None, parent: str, path: str, store: GraphStore
    ) -> State | None:
        alike = self._by_shape.get((principal, parent, state_shape(store, "")), {})
        if path in alike or len(alike) < PATTERN_SIBLINGS - 1:
            return None
        self._pattern_parents.add(parent)
        return next(iter(alike.values()))

    def _third_article(
        self, principal: str | None, parent: str, path: str, names: frozenset[str]
    ) -> State | None:
        """Return the first of two pages of one parent with these columns, fields and buttons; links do not count.

        The pages of a manual have other words and links. Pages that other parts of the application link to are no
        articles.
        """
        ours = [one for one in self._pages if one.state.principal == principal]
        elsewhere = [one for one in ours if not _is_inside(self._path(one.state.url), parent)]
        if not elsewhere or any(path in one.links for one in elsewhere):
            return None
        alike = {
            self._path(one.state.url): one.state
            for one in reversed(ours)
            if one.names == names and _parent(self._path(one.state.url)) == parent
        }
        if path in alike or len(alike) < PATTERN_SIBLINGS - 1:
            return None
        return next(reversed(alike.values()))

    def _merge(self, parent: str, same: State, url: str) -> State:
        paths = self._merged_paths.setdefault(parent, set())
        is_first = not paths
        paths.update((path_pattern(same.url), path_pattern(url)))
        if parent and len({one for one in paths if _parent(one) == parent}) >= PATTERN_SIBLINGS:
            self._pattern_parents.add(parent)
        if is_first:  # the paths below these records are equal from now on
            for known in (self._by_template, self._by_shape, self._records, self._parents):
                known.clear()
            for page in self._pages:
                self._index(page)
        return same

    def _has_own_control(self, names: frozenset[str], parent: str) -> bool:
        """Whether no page outside the parent has one of these controls, and such pages are known.

        Pages below a record, such as its versions, are inside.
        """
        elsewhere = any(not _are_inside(parents, parent) for parents in self._parents.values())
        return elsewhere and any(_are_inside(self._parents.get(name, {""}), parent) for name in names)

    def _path(self, url: str) -> str:
        """Return the pattern of the address, with `:name` for the names of records that have pages below them."""
        path = address = ""
        parts = [part for part in path_pattern(url).split("/") if part]
        for index, part in enumerate(parts):
            is_last, address = index == len(parts) - 1, f"{address}/{part}"
            merged = self._merged_paths.get(path)
            # Pages without a parent are records only if they were merged: the others are parts of the application.
            is_record_name = merged is not None and not is_last and (bool(path) or address in merged)
            path = f"{path}/{_NAME if is_record_name else _without_number(part)}"
        return path or "/"


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _record_path(path: str, parent: str) -> str:
    """Return the path of the record below the parent that a path belongs to."""
    return f"{parent}/{path[len(parent) + 1 :].partition('/')[0]}"


def _are_records(pages: list[_KnownPage], mine: str, theirs: str, path: str) -> bool:
    """Whether another page below both paths has equal columns, fields and buttons, and no such page differs."""
    names = {path_pattern(one.state.url): one.names for one in pages}
    pairs = [
        (found, names[theirs + known[len(mine) :]])
        for known, found in names.items()
        if known != path and known.startswith(f"{mine}/") and theirs + known[len(mine) :] in names
    ]
    return any(one == other != frozenset() for one, other in pairs) and all(
        one <= other or other <= one for one, other in pairs
    )


def _names_below(path: str, links: frozenset[str]) -> frozenset[str]:
    """Return the first parts of the paths below a path, without ids."""
    parts = (one[len(path) + 1 :].partition("/")[0] for one in links if one.startswith(f"{path}/"))
    return frozenset(part for part in parts if part and part != _ID)


def _is_inside(path: str, parent: str) -> bool:
    return path == parent or path.startswith(f"{parent}/")


def _are_inside(parents: set[str], parent: str) -> bool:
    return all(_is_inside(one, parent) for one in parents)


def _without_number(part: str) -> str:
    """Return `issue:id` for `issue12`; `step2` names a view and stays."""
    numbered = _NUMBERED.fullmatch(part)
    if numbered is None or not is_record_segment(f"{numbered[1]}-{numbered[2]}"):
        return part
    return numbered[1] + _ID


def _common_parent(one: str, other: str) -> str | None:
    """Return the path that both begin with, if one goes on with more names: `/kits/@garden/bean` and `/kits/bucket`."""
    ours, theirs = one.split("/"), other.split("/")
    place = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), None)
    return "/".join(ours[:place]) or None if place is not None and len(ours) != len(theirs) else None


def _different_part(one: str, other: str) -> str | None:
    """Return the path before the only part in which two paths differ; None if they differ in none or in more."""
    ours, theirs = one.split("/"), other.split("/")
    places = [n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b]
    return "/".join(ours[: places[0]]) if len(ours) == len(theirs) and len(places) == 1 else None
