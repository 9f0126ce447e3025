"""Failures that a page reports because of our input: messages, invalid fields, texts and titles.

They contradict every success, and success words in them do not help. A failure that the target itself is about, such as
"Invitation declined" after a press on "Decline", is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET

from uiap.graph.baseline import Baseline
from uiap.graph.names import normalised
from uiap.graph.store import GraphStore
from uiap.graph.view import beside_text
from uiap.signals.change import node_text
from uiap.signals.deed import denies_state, is_about_target, refuses, repeats_deed, reports_done
from uiap.signals.effect_report import InvalidField
from uiap.signals.error_words import failure_words, only_denies_failure, reports_failure
from uiap.signals.limiting_words import limits, postpones
from uiap.signals.log import SignalLog
from uiap.signals.partial_success import is_partial
from uiap.signals.verdict import Attribution
from uiap.spec.web import CustomSignal, ElementNode, ToastShownSignal, WebSignal

MAX_INLINE = 120
"""A longer text is content, not a message."""
MAX_AROUND = 4
CONTENT_TEXT_ROLES = (
    "row", "cell", "listitem", "treeitem", "option", "article", "heading", "link", "button",
    "textbox", "textarea", "searchbox", "combobox",
)  # fmt: skip
_FIELD_ROLES = frozenset({"textbox", "textarea", "searchbox", "combobox", "spinbutton"})
_TITLE_START = 12
_LABELLED_ROLES = ("button", "link", "menuitem", "switch")
_HTTP_ERROR = re.compile(r"\b[45]\d\d\b")


TargetKind: TypeAlias = Literal["field", "link", "part", "other"]
"""The kind of a target, as far as the meaning of texts depends on it.

A page may judge a part of the text of a field, and take that back. A link leads to another page, whose content may well
be red. A part, such as a tab or what an accordion holds, is only shown if its control asked no server.
"""


def target_kind(target: ElementNode | None, *, asked: bool) -> TargetKind:
    """Return the kind of a target. `asked`: the input sent a request that was answered."""
    if target is None:
        return "other"
    if "edit" in target.affordances:
        return "field"
    if "navigate" in target.affordances:
        return "link"
    shows = target.role == "tab" or target.state.expanded is not UNSET
    return "part" if shows and not asked else "other"


class PageChange(NamedTuple):
    """The page before and after our input, with the attribution of each changed node."""

    store: GraphStore
    baseline: Baseline
    touched: Iterable[tuple[str, str]]
    title: str
    """The title before the input."""
    target: str
    """The name of the target."""
    moved: bool
    """The page has another address or document now."""
    kind: TargetKind = "other"
    vacated: frozenset[str] = frozenset()
    """The elements around the target, if the target is gone: a text in its place may be the answer to it."""


def contradiction(log: SignalLog, page: PageChange) -> str | None:
    """Return the failure that the page reports because of our input, in its own words."""
    messages = [s.text for s, a in log.of(ToastShownSignal) if a == "caused" and is_error(s, page.target)]
    if page.kind == "field":
        messages = [one for one in messages if _is_shown(one, page.store)]
    if page.kind == "link" and page.moved:
        messages = [one for one in messages if reports_failure(one)]
    if messages and not reports_failure(messages[-1]) and _brought_fields(log.touched, page):
        messages = []  # red words beside new empty fields say what to enter
    if messages:
        return messages[-1]
    return (
        _inline_error(log.touched, page) or _failed_label(log.touched, page) or _error_title(log.route, page)
    )


def _is_shown(text: str, store: GraphStore) -> bool:
    return any(text in (one.name or "") or text in (one.text or "") for one in store)


def _brought_fields(touched: Mapping[str, Attribution], page: PageChange) -> bool:
    """Return whether our input opened a form with empty fields that the page did not have before."""
    before = page.baseline["elements"]
    kept = (one for key, one in page.store.elements.items() if before.get(key) is not None)
    had = {_field_key(one) for one in (*before.recorded(), *kept)}
    added = (
        page.store.elements.get(key)
        for group, key in page.touched
        if group == "elements" and touched.get(key) == "caused" and before.get(key) is None
    )
    return any(
        one is not None
        and one.role in _FIELD_ROLES
        and not one.state.text_value
        and "was" not in (one.metadata or {})
        and _field_key(one) not in had
        for one in added
    )


def _field_key(field: ElementNode) -> tuple[str, str]:
    return field.role, field.name or beside_text(field)


def is_error(signal: ToastShownSignal, target: str = "") -> bool:
    """Return whether a message reports a failure: by its level, else by its words.

    Red is also the colour of brands and of deletions: "0 errors" and "Contact deleted" after "Delete" are no failures.
    """
    if is_partial(signal.text, target):
        return True
    if signal.level == "success" or reports_done(signal.text, target):
        return False
    if signal.level == "error":
        return not only_denies_failure(signal.text) and not repeats_deed(signal.text, target)
    return refuses(signal.text, target)


def last_complaint(log: SignalLog, target: str) -> str | None:
    """Return the text of the last message of failure, also of one that our input may not have caused."""
    shown = log.of(ToastShownSignal)
    texts = [one.text for one, attribution in shown if is_error(one, target) and attribution != "background"]
    return texts[-1] if texts else None


def has_good_message(log: SignalLog, target: str) -> bool:
    """Return whether our input led to a message that neither reports a failure nor limits anything."""
    shown = (signal for signal, attribution in log.of(ToastShownSignal) if attribution == "caused")
    return any(not (is_error(one, target) or limits(one.text)) for one in shown)


def _caused_elements(
    touched: Mapping[str, Attribution], page: PageChange
) -> Iterable[tuple[ElementNode, ElementNode]]:
    """Yield the elements that our input changed, before and now."""
    for group, key in page.touched:
        now, before = page.store.elements.get(key), page.baseline[group].get(key)
        if (
            group == "elements"
            and now is not None
            and isinstance(before, ElementNode)
            and touched.get(key) == "caused"
        ):
            yield before, now


def invalid_fields(touched: Mapping[str, Attribution], page: PageChange) -> Iterator[InvalidField]:
    """Yield the fields that our input made invalid, with their descriptions."""
    for group, key in page.touched:
        node = page.store.elements.get(key) if group == "elements" else None
        if node is None or node.state.invalid is not True or touched.get(key) != "caused":
            continue
        known = str((node.metadata or {}).get("was", key))  # a framework may replace the field
        before = page.baseline[group].get(known)
        if isinstance(before, ElementNode) and before.state.invalid is not True:
            described = f": {node.description}" if isinstance(node.description, str) else ""
            empty = node.state.text_value in ("", UNSET)
            if not (empty and _is_only_emptied(before, node)):
                yield InvalidField(known, f"{node_text(node)} is invalid{described}", empty)


def _is_only_emptied(before: ElementNode, now: ElementNode) -> bool:
    """Return whether a required field is invalid only because its text is gone: a form that was sent is ready again."""
    return (
        now.state.required is True
        and before.state.text_value not in ("", UNSET)
        and now.description in (before.description, UNSET)
    )


def vacated(target: str | None, store: GraphStore, before: Baseline) -> frozenset[str]:
    """Return the elements around the target before the input, if the target is gone."""
    if target is None or store.current(target) is not None:
        return frozenset()
    around, node = set[str](), before["elements"].get(target)
    while (
        isinstance(node, ElementNode)
        and isinstance(node.parent_instance_id, str)
        and len(around) < MAX_AROUND
    ):
        around.add(node.parent_instance_id)
        node = before["elements"].get(node.parent_instance_id)
    return frozenset(around)


def _inline_error(touched: Mapping[str, Attribution], page: PageChange) -> str | None:
    """Return a short text of failure that our input added to a part of the page. A tab shows what it holds."""
    if page.moved or page.kind == "part" or _brought_fields(touched, page):
        return None
    for before, now in _caused_elements(touched, page):
        if page.kind == "field" and now.role == "app":
            continue  # a text of the page as a whole, such as a preview, says nothing about one field
        content = now.role in CONTENT_TEXT_ROLES and now.instance_id not in page.vacated
        text = "" if content else added_text(before.text or "", now.text or "")
        if 0 < len(text) <= MAX_INLINE and _speaks_against(text, now.text or "", page.target):
            if not _was_there(text, page):
                return text
            continue
        whole = now.text or ""
        if text and len(whole) <= MAX_INLINE and denies_state(whole, page.target):
            return whole
    return None


def _was_there(text: str, page: PageChange) -> bool:
    """Return whether the words of failure in a text were on the page before, perhaps in another element or a field."""
    before = page.baseline["elements"].recorded()
    known = " ".join(
        normalised(f"{one.name or ''} {one.text or ''} {one.state.text_value or ''}") for one in before
    )
    words = failure_words(text)
    return bool(words) and all(normalised(word) in known for word in words)


def _failed_label(touched: Mapping[str, Attribution], page: PageChange) -> str | None:
    """Return the new name of the pressed control if it reports a failure, such as `Retry` in place of `Send`."""
    for before, now in _caused_elements(touched, page):
        if before.name != page.target or not isinstance(now.name, str) or now.role not in _LABELLED_ROLES:
            continue
        text = added_text(page.target, now.name)
        if refuses(text, page.target) or (postpones(text) and not is_about_target(text, page.target)):
            return now.name
    return None


def _speaks_against(added: str, whole: str, target: str) -> bool:
    """Return whether an added text reports a failure, or the whole text only a part of what was asked for."""
    if len(whole) <= MAX_INLINE and is_partial(whole, target):
        return True
    return refuses(added, target)


def added_text(before: str, now: str) -> str:
    """Return the words that were added to a text, in their order."""
    known, added = Counter(before.split()), []
    for word in now.split():
        if known[word]:
            known[word] -= 1
        else:
            added.append(word)
    return " ".join(added)


def _error_title(route: Attribution | None, page: PageChange) -> str | None:
    """Return the title if our input changed it, and it begins with a failure, such as `Error: …`."""
    title = title_of(page.store)
    if route != "caused" or title == page.title or not _is_error_title(title) or _is_error_title(page.title):
        return None
    return None if is_about_target(title, page.target) else f"the title is `{title[:100]}`"


def title_of(store: GraphStore) -> str:
    return store.route.title if isinstance(store.route.title, str) else ""


def _is_error_title(title: str) -> bool:
    words = failure_words(title)
    if not words:
        return False
    return title.find(words[0]) <= _TITLE_START or _HTTP_ERROR.search(title) is not None


# -- messages of a page that has loaded ---------------------------------------------------------------------


def loaded_message(signal: WebSignal) -> ToastShownSignal | None:
    """Return the message of a page that has loaded, as the page script reports it after the first graph."""
    if not isinstance(signal, CustomSignal) or signal.name != "message.loaded":
        return None
    payload = signal.payload if isinstance(signal.payload, dict) else {}
    found = {key: payload[key] for key in ("text", "level") if key in payload}
    try:
        return msgspec.convert(found, ToastShownSignal)
    except msgspec.ValidationError:
        return None


class LoadedMessages:
    """The messages that a document had when it loaded, and those of the document at the time of our input.

    A message that was there before our input says nothing about it, unless it was the answer to an earlier write: the
    same write may be refused twice.
    """

    def __init__(self) -> None:
        self._before: set[str] = set()
        self._now: set[str] = set()
        self.answers_write = False
        """The document is the answer to a write."""

    def document_replaced(self) -> None:
        self._now, self.answers_write = set(), False

    def input_begins(self) -> None:
        self._before = self._before & self._now if self.answers_write else set(self._now)

    def record(self, text: str) -> None:
        self._now.add(normalised(text))

    def is_new(self, text: str) -> bool:
        return normalised(text) not in self._before
