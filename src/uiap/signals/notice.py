"""Notices: dialogs, popovers and drawers that our input opened and that offer nothing but to close them.

A control that promises a change, and opens such a notice, did what the notice says: "All suites are taken on this day"
is a refusal, "Booking confirmed" is none. A form, a choice or a question that opens is a step of its own. So is any
notice of a control that promises only a text: an error log, the terms, a preview.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from uiap.graph.store import GraphStore
from uiap.graph.view import is_visually_hidden
from uiap.signals.change import NodeDifference, content_differences
from uiap.signals.contradiction import MAX_INLINE, PageChange
from uiap.signals.deed import is_about_target, refuses, reports_done, share_stem
from uiap.signals.dialog import KINDS
from uiap.signals.error_words import only_denies_failure
from uiap.signals.field_message import FIELD_ROLES
from uiap.signals.limiting_words import is_statement, limits
from uiap.signals.log import SignalLog
from uiap.signals.notice_words import is_apology, is_polite, offers_way_out, proceeds, withdraws
from uiap.signals.only_message import message_of_a_part, names_object, only_limiting_message
from uiap.signals.refusing_page import about_accounts
from uiap.signals.success_words import reports_success, success_words
from uiap.spec.web import CustomSignal, ElementNode, ScopeNode

_CHOICE_ROLES = frozenset(
    {
        "checkbox",
        "radio",
        "switch",
        "slider",
        "listbox",
        "tab",
        "menuitem",
        "option",
        "treeitem",
        "row",
        "cell",
    }
)
_PRESSED_ROLES = frozenset({"button", "link"})
NAME = "message.dialog"
"""The signal of the page script that gives the level of a dialog."""
_OPENING = ("…", "...")
"""By this a name says that a dialog follows."""
MAX_CONTROLS = 4
MIN_VERB = 4


class Notice(NamedTuple):
    """The sentences of an opened dialog, its headings first, and what it offers."""

    sentences: tuple[str, ...]
    first: int
    """The index of the first sentence that is no heading."""
    controls: tuple[str, ...]
    """The names of its buttons and links."""
    has_fields: bool
    asks_to_sign_in: bool
    level: str = ""
    """`success`, `error` and the like, by its icon or its marks."""


def limitation(log: SignalLog, page: PageChange, found: list[NodeDifference], promised: bool) -> str | None:
    """Return the message or notice with which the application refuses, if it is all that it did."""
    noticed = refusing_notice(log, page, found, promised=promised) or message_of_a_part(log, page, found)
    return noticed or (only_limiting_message(log, page, found) if promised else None)


def refusing_notice(
    log: SignalLog, page: PageChange, found: list[NodeDifference], *, promised: bool
) -> str | None:
    """Return the words with which a notice refuses what the target promises.

    A dialog that only coincides with the input counts if it reports a failure: it covers the page right after a press.
    It counts, too, if all that the input led to is a box without words.
    """
    new = [one for one in found if log.touched.get(one.key) != "background"]
    opened = {} if page.moved else _opened(new, page.store) or _boxes(new, page.store)
    if not opened:
        return None
    inside = {node.instance_id for host in opened.values() for node in within(page.store, host)}
    caused = [one for one in new if log.touched.get(one.key) == "caused"]
    outside = [one for one in caused if one.key not in inside]
    alone = not content_differences(outside)
    only = bool(outside) and all(_is_mute_box(one) for one in outside)
    levels = dict(_levels(log))
    for id, host in opened.items():
        notice = notice_of(page.store, host, levels.get(id, ""))
        ours = alone and (only or log.touched.get(id) == "caused")
        if (words := _refusal(notice, page.target, promised=promised, alone=ours)) is not None:
            return words
    return None


def is_appearing(found: Iterable[NodeDifference], log: SignalLog, store: GraphStore) -> bool:
    """Return whether a dialog is about to be seen: it still fades in, or only its backdrop is there yet."""
    differing = [one for one in found if log.touched.get(one.key) != "background"]
    if any(is_visually_hidden(host) for host in _opened(differing, store).values()):
        return True
    caused = [one for one in differing if log.touched.get(one.key) == "caused"]
    return bool(caused) and all(_is_mute_box(one) for one in caused)


def _is_mute_box(one: NodeDifference) -> bool:
    node = one.node
    return (
        one.about == "added"
        and isinstance(node, ElementNode)
        and node.role == "custom"
        and not (node.name or node.text)
    )


def _levels(log: SignalLog) -> Iterator[tuple[str, str]]:
    for signal, _ in log.of(CustomSignal):
        if signal.name == NAME and isinstance(signal.payload, dict):
            yield str(signal.payload.get("scopeId")), str(signal.payload.get("level"))


def _opened(found: Iterable[NodeDifference], store: GraphStore) -> dict[str, ElementNode]:
    """Return the host elements of the dialogs that have opened, by the id of their scope."""
    scopes = (
        one.node
        for one in found
        if isinstance(one.node, ScopeNode) and one.node.kind in KINDS and one.about in ("added", "open")
    )
    hosts = ((one.scope_id, store.element(str(one.host_instance_id))) for one in scopes)
    return {id: host for id, host in hosts if host is not None}


def _boxes(found: Iterable[NodeDifference], store: GraphStore) -> dict[str, ElementNode]:
    """Return the added boxes that a person can close, though the page does not call them dialogs."""
    added = {one.key: one.node for one in found if one.about == "added" and isinstance(one.node, ElementNode)}
    outer = (one for one in added.values() if one.parent_instance_id not in added)
    return {one.instance_id: one for one in outer if _can_be_closed(within(store, one))}


def _can_be_closed(nodes: Iterable[ElementNode]) -> bool:
    return any(node.role in _PRESSED_ROLES and node.name and withdraws(node.name) for node in nodes)


def within(store: GraphStore, host: ElementNode) -> list[ElementNode]:
    """Return an element and all elements inside it."""
    inside, found = {host.instance_id}, [host]
    for node in store:  # parents come before their children
        if node.parent_instance_id in inside and node.instance_id not in inside:
            inside.add(node.instance_id)
            found.append(node)
    return found


def notice_of(store: GraphStore, host: ElementNode, level: str = "") -> Notice:
    """Return a dialog as a notice."""
    nodes = within(store, host)
    titles = [node.name for node in nodes if node.role == "label" and "level" in (node.metadata or {})]
    named = host.name if isinstance(host.name, str) else ""
    plain_nodes = [node for node in nodes if node.role not in _PRESSED_ROLES]
    texts = [node.text or (node.name if node.role == "custom" else None) for node in plain_nodes]
    headings, plain = _sentences(named, *titles), _sentences(*texts)
    fields = [node for node in nodes if node.role in FIELD_ROLES]
    return Notice(
        tuple(dict.fromkeys((*headings, *plain))),
        len(headings),
        tuple(node.name or "" for node in nodes if node.role in _PRESSED_ROLES),
        bool(fields) or any(node.role in _CHOICE_ROLES for node in nodes),
        len(fields) > 1 and any(node.state.obscured is True for node in fields),
        level,
    )


def _sentences(*texts: object) -> list[str]:
    """Return the sentences of several texts, each once."""
    said = (text for text in texts if isinstance(text, str))
    parts = (one.strip() for text in said for one in re.split(r"(?<=[.!?])\s+|(?<=[。！？])", text))
    return list(dict.fromkeys(filter(None, parts)))


def _refusal(notice: Notice, target: str, *, promised: bool, alone: bool) -> str | None:
    words = " ".join(notice.sentences)
    if not words:
        return None
    if notice.asks_to_sign_in:
        return words[:MAX_INLINE] if promised and alone and not about_accounts(target) else None
    if notice.has_fields or len(notice.controls) > MAX_CONTROLS or len(words) > 2 * MAX_INLINE:
        return None
    if not promised:
        return words if is_apology(notice.sentences[0]) and not is_about_target(words, target) else None
    return words if _refuses(notice, words, target, alone=alone) else None


def _refuses(notice: Notice, words: str, target: str, *, alone: bool) -> bool:
    if _is_question(notice, target):
        return False
    offers = [name for name in notice.controls if not (withdraws(name) or proceeds(name))]
    if len(notice.controls) == 1 and not offers_way_out(offers[0] if offers else "", target):
        offers = []  # the only button of a notice acknowledges it, whatever it is called
    way_out = any(offers_way_out(name, target) for name in offers)
    if len(notice.controls) == 1 and not way_out:
        offers = []  # the only button of a dialog closes it, whatever its name
    at = next((at for at, one in enumerate(notice.sentences) if _speaks(one, target)), None)
    if at is not None:
        heard_first = at <= notice.first or way_out or not offers
        return heard_first and _is_failure(notice.sentences[at], target)
    if (
        target.rstrip().endswith(_OPENING)
        or notice.level == "success"
        or not alone
        or reports_success(words)
        or only_denies_failure(words)
    ):
        return False
    affirms = names_object(words, target) or _repeats_verb(words, target)
    states = any(is_statement(one) for one in notice.sentences) and not affirms
    return way_out or (not offers and (notice.level == "error" or limits(words) or states))


def _repeats_verb(words: str, target: str) -> bool:
    """Return whether a text has a form of the target's first word: `rented` after "Rent bike"."""
    verb = next(iter(re.findall(r"\w+", target.lower())), "")
    return len(verb) >= MIN_VERB and any(
        one != verb and share_stem(one, verb) for one in re.findall(r"\w+", words.lower())
    )


def _speaks(sentence: str, target: str) -> bool:
    """Return whether a sentence says that the deed was done, or that it was not."""
    if is_about_target(sentence, target) or reports_done(sentence, target) or _is_failure(sentence, target):
        return True
    return reports_success(sentence) and not all(is_polite(word) for word in success_words(sentence))


def _is_failure(sentence: str, target: str) -> bool:
    return refuses(sentence, target) and not sentence.endswith("?")


def _is_question(notice: Notice, target: str) -> bool:
    """Return whether a dialog asks whether to go on: with two answers, or by repeating the name of the control."""
    if len(notice.controls) > 1 and any(_repeats(name, target) for name in notice.controls):
        return True
    others = [name for name in notice.controls if not withdraws(name)]
    asks = any(one.rstrip().endswith(("?", "？")) for one in notice.sentences)
    if asks and any(_repeats(name, target) for name in others):
        return True
    return any(map(proceeds, others)) and (asks or len(others) < len(notice.controls))


def _repeats(name: str, target: str) -> bool:
    names, words = (re.findall(r"\w+", one.lower()) for one in (name, target))
    return any(share_stem(word, other) for word in words for other in names)
