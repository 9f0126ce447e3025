"""Messages that are all that an action led to, and that limit: "We have only 3 of these".

A write that is accepted usually changes something, or its page says so with a word of success. If there is nothing but
a message with a negation, a restriction or a demand, the application said no. So it did with any plain sentence without
a word of success, if the control promises a change: "The terms come first" after "Continue". The runtime asks for this
once everything that the input set going has ended, because a page may say "please wait" first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from uiap.graph.names import normalised
from uiap.signals.change import PROGRESS_ROLES, NodeDifference, content_differences
from uiap.signals.contradiction import (
    CONTENT_TEXT_ROLES,
    MAX_INLINE,
    PageChange,
    added_text,
)
from uiap.signals.deed import counts_none, is_about_target, reports_done, speaks_of_doing
from uiap.signals.error_words import only_denies_failure, reports_failure
from uiap.signals.field_message import FIELD_ROLES
from uiap.signals.limiting_words import goes_on, is_statement, limits, promises_change
from uiap.signals.log import SignalLog
from uiap.signals.notice_words import withdraws
from uiap.signals.outside import RESTYLED, effect_words
from uiap.signals.partial_success import counts_part, is_nothing_of_all, means_several
from uiap.signals.success_words import reports_success
from uiap.spec.web import CustomSignal, ElementNode, ToastShownSignal

_TEXTS = frozenset({"text", "name", "added"})
_NO_MEANING = frozenset({"role", "meaning", "signature", "kind"})
_PROGRESS = ("…", "...")
_WORD = re.compile(r"\w")
_CLOSING_ROLES = frozenset({"button", "link"})
_MIN_ENTRY = 3
_MAX_BESIDE_ENTRY = 1
"""A text with more words besides what was entered is about it, and does not show it."""
_MIN_OBJECT = 4
_MIN_VERB = 5


def only_limiting_message(log: SignalLog, page: PageChange, found: Iterable[NodeDifference]) -> str | None:
    """Return the message with which the application limits what was asked, if it did nothing else."""
    if page.moved:
        return None
    caused = [one for one in found if log.touched.get(one.key) == "caused"]
    content = [one for one in content_differences(caused) if not _closes(one)]
    if content or any(_has_meaning(one) for one in caused) or _left_the_page(log):
        return None
    if any(signal.level == "success" for signal in _caused_messages(log)):
        return None
    texts = [*_new_texts(caused, page), *(signal.text for signal in _caused_messages(log))]
    texts = _without_headings([text for text in texts if _is_answer(text)], caused)
    done = any(_is_emptied(one) for one in caused) or _is_used_up(page)
    may_affirm = done or not promises_change(page.target)
    if not texts or not all(_is_limiting(text, page, may_affirm=may_affirm) for text in texts):
        return None
    return texts[-1]


def _is_answer(text: str) -> bool:
    """Return whether a text can be an answer: it says more than that work goes on."""
    return not text.rstrip().endswith(_PROGRESS)


def message_of_a_part(log: SignalLog, page: PageChange, found: Iterable[NodeDifference]) -> str | None:
    """Return the message that counts a part of what the target names as all, or that limits one of several things.

    Ask when everything has ended.
    """
    caused = (one for one in found if log.touched.get(one.key) == "caused")
    texts = [*_new_texts(caused, page), *(signal.text for signal in _caused_messages(log)[-1:])]
    return next((one for one in texts if len(one) <= MAX_INLINE and _is_of_a_part(one, page.target)), None)


def _is_of_a_part(text: str, target: str) -> bool:
    if counts_part(text, target):
        return True
    return means_several(target) and limits(text) and not _affirms(text, target)


def _without_headings(texts: list[str], caused: Iterable[NodeDifference]) -> list[str]:
    """Return the texts without new headings: a heading says what a message is about. One that is alone is a message."""
    headings = {_text(one.node, "name") for one in caused if one.about == "added" and _is_heading(one.node)}
    plain = [text for text in texts if text not in headings or reports_failure(text)]
    return plain or texts


def _is_heading(node: object) -> bool:
    return isinstance(node, ElementNode) and node.role == "label" and "level" in (node.metadata or {})


def _closes(difference: NodeDifference) -> bool:
    """Return whether a difference is the button or link that closes a message."""
    node = difference.node
    return (
        difference.about == "added"
        and getattr(node, "role", "") in _CLOSING_ROLES
        and withdraws(_text(node, "name"))
    )


def _left_the_page(log: SignalLog) -> bool:
    """Return whether the input led to a tab, a download or another effect outside of the page.

    A new look of a control says nothing beside a message that limits: it may be dimmed.
    """
    outside = (signal for signal, attribution in log.of(CustomSignal) if attribution == "caused")
    return any(effect_words(signal) is not None and signal.name != RESTYLED for signal in outside)


def _has_meaning(difference: NodeDifference) -> bool:
    """Return whether a difference is more than a text. A field that was emptied says nothing."""
    if not isinstance(difference.node, ElementNode) or difference.about in _TEXTS | _NO_MEANING:
        return False
    if difference.node.role in PROGRESS_ROLES:
        return False  # a bar that moved says nothing beside a message that limits
    return not _is_emptied(difference) and difference.about != "removed"


def _is_emptied(difference: NodeDifference) -> bool:
    node = difference.node
    return difference.about == "textValue" and isinstance(node, ElementNode) and not node.state.text_value


def _new_texts(caused: Iterable[NodeDifference], page: PageChange) -> Iterator[str]:
    for one in caused:
        if one.about not in _TEXTS:
            continue
        before, role = page.baseline[one.group].get(one.key), getattr(one.node, "role", "")
        for member in ("text", "name"):
            new = added_text(_text(before, member), _text(one.node, member))
            if _WORD.search(new) and not (role in CONTENT_TEXT_ROLES and one.about == "added"):
                yield new


def _text(node: object, member: str) -> str:
    text = getattr(node, member, "")
    return text if isinstance(text, str) else ""


def _caused_messages(log: SignalLog) -> list[ToastShownSignal]:
    return [signal for signal, attribution in log.of(ToastShownSignal) if attribution == "caused"]


def _is_used_up(page: PageChange) -> bool:
    """Return whether the pressed control is disabled now: a page that refuses lets a person try again."""
    named = (node for node in page.store.by_role("button") if node.name == page.target)
    before = ((node, page.baseline["elements"].get(node.instance_id)) for node in named)
    return any(
        node.state.enabled is False and was is not None and was.state.enabled is not False
        for node, was in before
    )


def _is_limiting(text: str, page: PageChange, *, may_affirm: bool) -> bool:
    """Return whether a message says no. With `may_affirm`, a sentence without words of success may be the effect."""
    if len(text) > MAX_INLINE:
        return False
    if is_nothing_of_all(text) or counts_none(text, page.target):
        return True
    if _affirms(text, page.target) or _repeats_entry(text, page):
        return False
    if reports_failure(text) or speaks_of_doing(text, page.target):
        return True  # of an element that is new, such as a heading
    if limits(text) or may_affirm:
        return limits(text)
    return is_statement(text) and not names_object(text, page.target)


def _affirms(text: str, target: str) -> bool:
    if reports_success(text) or only_denies_failure(text):
        return True
    return is_about_target(text, target) or reports_done(text, target)


def names_object(text: str, target: str) -> bool:
    """Return whether a text speaks of what the control is about: "One lamp is in your basket" after "Add to basket"."""
    verb, *others = normalised(target).split() or [""]
    objects = [verb] if len(verb) >= _MIN_VERB else []
    objects += [word for word in others if len(word) >= _MIN_OBJECT]
    return any(word in normalised(text) for word in objects)


def _repeats_entry(text: str, page: PageChange) -> bool:
    """Return whether a text shows what was entered before, such as a message in a chat."""
    known = (
        page.baseline["elements"].get(node.instance_id)
        for role in FIELD_ROLES
        for node in page.store.by_role(role)
    )
    fields = (
        node for node in (*known, *page.baseline["elements"].recorded()) if isinstance(node, ElementNode)
    )
    values = (normalised(node.state.text_value) for node in fields if isinstance(node.state.text_value, str))
    said = normalised(text)
    echoed = (value for value in values if len(value) >= _MIN_ENTRY and value in said)
    allowed = MAX_INLINE if goes_on(page.target) else _MAX_BESIDE_ENTRY
    return any(len(re.findall(r"[^\W\d_]+", said.replace(value, " "))) <= allowed for value in echoed)
