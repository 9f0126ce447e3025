"""The candidate actions of a state, each with its judgement, its rank and its cover key.

Candidates with the same cover key do the same: one of them stands for every record of a list, and for every link of a
page to the same address.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urljoin
from weakref import WeakKeyDictionary

from msgspec import UNSET

from uiap.digests import text_digest
from uiap.discovery import risk_words
from uiap.discovery.knowledge.naming import scope_path_key
from uiap.discovery.plan.address import AllowedOrigins, address_pattern, path_pattern, without_carried
from uiap.discovery.safety.links import leads_to_address, part_of_link
from uiap.discovery.safety.safety import Judgement, judge
from uiap.discovery.safety.sample import sample_input
from uiap.graph.fingerprint import stable_text
from uiap.graph.identity import RECORD_ROLES, element_label, published_record_key, route_key
from uiap.graph.store import GraphStore
from uiap.graph.view import is_actionable, is_inside_scope, record_of, scopes_of, visible_elements
from uiap.spec.web import ElementNode

_FIELD_ROLES = frozenset(
    {"textbox", "textarea", "searchbox", "datepicker", "timepicker", "spinbutton", "slider"}
)
_FILE_ENDINGS = (
    ".json",
    ".csv",
    ".xml",
    ".txt",
    ".pdf",
    ".zip",
    ".gz",
    ".rss",
    ".atom",
    ".ics",
    ".png",
    ".jpg",
    ".svg",
)
_PLAIN_WORDS = re.compile(r"[a-z]+(?:[-_.][a-z]+)*")
_SEEN_FIRST = frozenset({"none", "navigation", "ui_state"})
"""The first record whose control has one of these side effects stands for all records of its list."""
_MAX_NAMELESS = 8
"""This many controls of a scope without words are tried; the others count as the last of them."""
ANOTHER_RECORD = "another record of the list stands for it"
_IN_RECORD: WeakKeyDictionary[GraphStore, dict[str, bool]] = WeakKeyDictionary()
APP_KEY = "app!"
"""The key of the application itself, which registered actions are invoked on."""
# The ranks of DISC-11.5a, best first.
APP_ACTION, NAVIGATION, OPENING, BUTTON, FILTER, DRAFT, FALLBACK = range(7)


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """An action that can be repeated in another session: its element is named by meaning, not by instance."""

    key: str
    nth: int
    action: str
    args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ActionCandidate:
    step: ReplayStep
    node: str
    role: str
    label: str
    rank: int
    judgement: Judgement
    cover_key: str
    """Equal for actions that would show the same; performing one covers all of them."""
    control_key: str | None = None
    """Equal for controls with the same name in the same scope of any page; None for links with an address or a part."""
    group_key: str | None = None
    """Equal for links and boxes in the same scope that only run scripts; None for other controls."""
    destination: str | None = None
    """The address pattern of a link."""
    url: str | None = None
    """The address of a link."""
    stable_id: str | None = None
    scope: str | None = None

    @property
    def fallback(self) -> str | None:
        """The reason why a control is tried although its role does not say that it can be pressed."""
        if self.rank != FALLBACK or self.is_file:
            return None
        return f"no native role says that this {self.role} can be pressed; the page handles presses on it"

    @property
    def place_key(self) -> str:
        """Equal for the same control or address, whatever else its scope shows."""
        return self.control_key or self.cover_key

    @property
    def is_file(self) -> bool:
        """Whether it leads to a file and not to a page."""
        return self.destination is not None and self.destination.partition("?")[0].lower().endswith(
            _FILE_ENDINGS
        )


class PageCandidates(NamedTuple):
    """The candidates of a page in document order, one for each cover key, and why other elements are none."""

    found: list[ActionCandidate]
    skipped: Counter[str]


def read_candidates(
    store: GraphStore, allowed_origins: AllowedOrigins, *, behind_dialogs: bool = False
) -> PageCandidates:
    """Return the candidates that can be used now, or all of the page with those behind its dialogs."""
    reader = _CandidateReader(store, allowed_origins)
    return PageCandidates(list(reader.read(behind_dialogs=behind_dialogs)), reader.skipped)


def find_element(store: GraphStore, step: ReplayStep) -> ElementNode | None:
    """Return the element that a step means on this page, by stable id, role, name and scope (DISC-11.5c)."""
    if step.key == APP_KEY:
        return next((one for one in store.elements.values() if one.role == "app"), None)
    route = route_key(store.route)
    matches = [one for one in _reachable(store) if element_key(store, one, route) == step.key]
    return matches[step.nth] if step.nth < len(matches) else None


def element_key(store: GraphStore, element: ElementNode, route: str | None = None) -> str:
    """Return the key of an element: equal for every record of a list, else its stable id, else its meaning."""
    if is_in_record(store, element):
        path = scope_path_key(scopes_of(store, element))
        shape = "" if element.role in ("option", "cell") else stable_text(element_label(element))
        if element.role == "link":  # its text is data; its address tells it from other links of the record
            shape = address_pattern(link_url(store, element) or "")
        return f"{path}|record {element.role}|{shape}"
    if element.stable_id is not UNSET:
        return f"#{element.stable_id}"
    return f"{route_key(store.route) if route is None else route}|{semantic_key(store, element)}"


def link_url(store: GraphStore, element: ElementNode) -> str | None:
    """Return the absolute address of a link, or None."""
    if not leads_to_address(element) or element.metadata is UNSET:
        return None
    return _joined(store.route.url, str(element.metadata["href"]))


@lru_cache(4096)
def _joined(base: str, href: str) -> str:
    return urljoin(base, href)


def semantic_key(store: GraphStore, element: ElementNode) -> str:
    """Return scope path, role and text of an element. Callers add the route where it matters (MDM-R2)."""
    role = element.custom_role if element.role == "custom" and element.custom_role else element.role
    return f"{scope_path_key(scopes_of(store, element))}|{role}|{stable_text(element_label(element))}"


def is_in_record(store: GraphStore, element: ElementNode) -> bool:
    """Whether an element belongs to a record of a list. Cached, because the stores of a run do not change."""
    cache = _IN_RECORD.setdefault(store, {})
    answer = cache.get(element.instance_id)
    if answer is None:
        answer = cache[element.instance_id] = _read_is_in_record(store, element)
    return answer


def _read_is_in_record(store: GraphStore, element: ElementNode) -> bool:
    """Whether it is in a row, or in one of several items whose keys are more than their text."""
    record = record_of(store, element)
    if record is None or is_in_column_header(store, element):
        return False
    key = published_record_key(record) or published_record_key(element) or ""
    if record.role == "row":
        return True
    # A page about one record is not a list of records.
    return (
        bool(key)
        and not key.startswith("text:")
        and (record.role in RECORD_ROLES or _has_several_records(store))
    )


def is_in_column_header(store: GraphStore, element: ElementNode) -> bool:
    """Whether it is a column header or in one; headers belong to the list, not to its data.

    A header cell in a row with data names that row, also where the page does not say so.
    """
    around = (element, *store.ancestors(element.instance_id))
    cell = next((one for one in around[:3] if _is_column_header(one)), None)
    if cell is None or cell.parent_instance_id is UNSET:
        return cell is not None
    row = store.children(cell.parent_instance_id)
    return all(_is_column_header(one) for one in row if one.role == "cell")


def _is_column_header(one: ElementNode) -> bool:
    return one.metadata is not UNSET and one.metadata.get("header") == "column"


def _has_several_records(store: GraphStore) -> bool:
    keys = (key for key in store.index.by_record if not key.startswith("text:"))
    return next(keys, None) is not None and next(keys, None) is not None


def _reachable(store: GraphStore, *, behind_dialogs: bool = False) -> Iterator[ElementNode]:
    """Yield the elements a person could use now; while a dialog is open, those inside it."""
    top = store.modal_stack[-1] if store.modal_stack and not behind_dialogs else None
    for element in visible_elements(store):
        if is_actionable(element) and (top is None or is_inside_scope(store, element, top)):
            yield element


class _CandidateReader:
    def __init__(self, store: GraphStore, allowed_origins: AllowedOrigins) -> None:
        self._store, self._territory = store, allowed_origins
        self._address, self._route = address_pattern(store.route.url), route_key(store.route)
        self._shapes: dict[str, str] = {}
        self._key_counts: dict[str, int] = {}
        self._cover_keys: set[str] = set()
        self._refused_keys: set[str] = set()
        self._done_records: set[str] = set()
        self._record_links: dict[str, list[str]] = {}
        """Scope and words of the links of a list to their addresses."""
        self.skipped: Counter[str] = Counter()

    def read(self, *, behind_dialogs: bool = False) -> Iterator[ActionCandidate]:
        for element in _reachable(self._store, behind_dialogs=behind_dialogs):
            found = self._read_element(element)
            if isinstance(found, str):
                self.skipped[found] += 1
            else:
                yield found

    def _read_element(self, element: ElementNode) -> ActionCandidate | str:
        """Return the candidate of an element, or the reason why it is none."""
        key = element_key(self._store, element, self._route)
        nth = self._key_counts[key] = self._key_counts.get(key, -1) + 1
        if (unusable := _reason_unusable(element)) is not None:
            return unusable
        if key in self._done_records:
            return ANOTHER_RECORD
        found = self._candidate(element, key, nth)
        if isinstance(found, str):
            return found
        if found.cover_key in self._cover_keys:
            return "another control of the page does the same"
        if found.destination is not None and self._is_of_another_record(element, found.destination):
            return ANOTHER_RECORD
        return self._first_of_its_kind(found, key, nth, is_record=is_in_record(self._store, element))

    def _is_of_another_record(self, element: ElementNode, destination: str) -> bool:
        """Whether a link of a list has the words of an earlier one, and its address only names another record."""
        label = stable_text(element.name or element.text or "")
        if not label or not is_in_record(self._store, element):
            return False
        place = f"{scope_path_key(scopes_of(self._store, element))}|{label}"
        earlier = self._record_links.setdefault(place, [])
        if any(_names_another_record(one, destination) for one in earlier):
            return True
        earlier.append(destination)
        return False

    def _first_of_its_kind(
        self, found: ActionCandidate, key: str, nth: int, *, is_record: bool
    ) -> ActionCandidate | str:
        """Return the candidate if it is the first that does this; a refused one does not stand for a permitted one."""
        if found.judgement.side_effect in _SEEN_FIRST:
            self._cover_keys.add(found.cover_key)
            if is_record:
                self._done_records.add(key)
        elif is_record and nth > 0:
            return ANOTHER_RECORD
        elif found.cover_key in self._refused_keys:
            return "another control of the page does the same"
        self._refused_keys.add(found.cover_key)
        return found

    def _candidate(self, element: ElementNode, key: str, nth: int) -> ActionCandidate | str:
        """Return the candidate, or the reason why the element is none."""
        action, args = self._action(element)
        if action is None:
            return "it is open, selected or has no known action"
        destination = self._destination(element)
        if destination is not None and destination == self._address:
            return "it leads to the current page"
        judgement = judge(self._store, element, action, self._territory)
        label = element.name or element.text or ""
        return ActionCandidate(
            step=ReplayStep(key, nth, action, args),
            node=element.instance_id,
            role=element.role,
            label=label,
            rank=_rank(element, judgement, destination),
            judgement=judgement,
            cover_key=self._cover_key(element, action, destination, nth),
            control_key=self._control_key(element, action, destination),
            group_key=self._group_key(element, destination),
            destination=destination,
            url=link_url(self._store, element),
            stable_id=element.stable_id or None,
            scope=element.scope_id or None,
        )

    def _action(self, element: ElementNode) -> tuple[str | None, dict[str, Any]]:
        offers, state = element.affordances, element.state
        if "expand" in offers and state.expanded is False and element.role != "combobox":
            return "ui.expand", {}
        if state.expanded is True or (element.role == "tab" and state.selected is True):
            return None, {}
        if element.role in _FIELD_ROLES and state.readonly is not True:
            return sample_input(element)
        if element.role in ("combobox", "listbox"):
            option = self._other_option(element)
            return ("ui.choose", {"label": option}) if option else (None, {})
        if "toggle" in offers:
            return "ui.toggle", {}
        if "upload" in offers:
            return "ui.upload", {}
        if "activate" in offers:
            return "ui.activate", {}
        return None, {}

    def _other_option(self, element: ElementNode) -> str | None:
        options = [one for one in self._store.below(element.instance_id) if one.role == "option" and one.name]
        names = (one.name for one in options if one.state.selected is not True and one.name)
        # The selected option can decide what the form does, so an option that orders a side effect is not chosen.
        return next((name for name in names if name and risk_words.commanded_side_effect(name) is None), None)

    def _destination(self, element: ElementNode) -> str | None:
        url = link_url(self._store, element)
        return address_pattern(without_carried(url, self._store.route.url)) if url is not None else None

    def _control_key(self, element: ElementNode, action: str, destination: str | None) -> str | None:
        if destination is not None or part_of_link(element):
            return None
        return f"{action}|{semantic_key(self._store, element)}"

    def _group_key(self, element: ElementNode, destination: str | None) -> str | None:
        if destination is not None or element.role not in ("link", "custom"):
            return None
        return f"{self._route}|{scope_path_key(scopes_of(self._store, element))}|{element.role}"

    def _cover_key(self, element: ElementNode, action: str, destination: str | None, nth: int) -> str:
        if destination is not None:
            return f"-> {destination}"
        if part := part_of_link(element):  # `#general` of another page is another part
            return f"-> {path_pattern(self._store.route.url)}#{part}"
        path = scope_path_key(scopes_of(self._store, element))
        is_record = is_in_record(self._store, element)
        label = "" if is_record and element.role == "link" else stable_text(element_label(element))
        if not is_record and not risk_words.has_words(label):
            label = f"{label} {min(nth, _MAX_NAMELESS)}"  # an icon alone does not tell what a control does
        return f"{action}|{path}|{self._shape(element.scope_id or '')}|{element.role}|{label}"

    def _shape(self, scope_id: str) -> str:
        """Return the shape of a scope; equal shapes on different pages count as the same scope."""
        shape = self._shapes.get(scope_id)
        if shape is None:
            shape = self._shapes[scope_id] = scope_shape(self._store, scope_id)
        return shape


def _names_another_record(one: str, other: str) -> bool:
    """Whether two addresses differ in one part only, and that part is no plain word: `/rows/WzFd` and `/rows/WzJd`."""
    ours, theirs = one.split("/"), other.split("/")
    parts = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
    if len(ours) != len(theirs) or len(parts) != 1:
        return False
    return not any(_PLAIN_WORDS.fullmatch(part) for part in parts[0])


def scope_shape(store: GraphStore, scope_id: str) -> str:
    """Return a digest of the controls in a scope, without their current state."""
    labels = {
        f"{one.role} {stable_text(element_label(one))}"
        for one in store.by_scope(scope_id)
        if is_actionable(one) and not is_in_record(store, one)
    }
    return text_digest(sorted(labels), size_bytes=8)


def asks_for_credentials(store: GraphStore) -> bool:
    """Whether the page shows an input for credentials."""
    return any(one.data_classes and "credential" in one.data_classes for one in visible_elements(store))


def _reason_unusable(element: ElementNode) -> str | None:
    """Return why it cannot be used now (DISC-11.5b). The runtime checks this again before it acts."""
    state = element.state
    if state.enabled is False:
        return "it is disabled"
    if state.blocked is True:
        return "it is blocked"
    current = state.current if state.current is not UNSET else False
    return "it leads to the current page" if current and element.role == "link" else None


def _rank(element: ElementNode, judgement: Judgement, destination: str | None) -> int:
    if destination is not None and destination.partition("?")[0].lower().endswith(_FILE_ENDINGS):
        return FALLBACK
    if judgement.side_effect in ("draft", "data_write"):
        return DRAFT
    if element.default_action is not UNSET:
        return APP_ACTION
    if element.role in ("link", "menuitem", "breadcrumb"):
        return NAVIGATION
    state = element.state
    if element.role == "tab" or isinstance(state.expanded, bool) or state.has_popup:
        return OPENING
    if element.role in ("combobox", "listbox", "radio", "checkbox"):
        return FILTER
    return BUTTON if element.role == "button" else FALLBACK
