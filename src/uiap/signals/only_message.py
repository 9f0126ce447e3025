"""Messages that are all that an action led to, and that limit: "We have only 3 of these".

A write that is accepted usually changes something, or its page says so with a word of success. If there is nothing but
a message with a negation, a restriction or a demand, the application said no. The runtime asks for this once everything
that the input set going has ended, because a page may say "please wait" first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from uiap.signals.change import NodeDifference, content_differences
from uiap.signals.contradiction import (
    CONTENT_TEXT_ROLES,
    MAX_INLINE,
    PageChange,
    added_text,
    is_about_target,
)
from uiap.signals.error_words import only_denies_failure
from uiap.signals.limiting_words import limits
from uiap.signals.log import SignalLog
from uiap.signals.outside import effect_words
from uiap.signals.success_words import reports_success
from uiap.spec.web import CustomSignal, ElementNode, ToastShownSignal

_TEXTS = frozenset({"text", "name", "added"})
_NO_MEANING = frozenset({"role", "meaning", "signature", "kind"})
_PROGRESS = ("…", "...")


def only_limiting_message(log: SignalLog, page: PageChange, found: Iterable[NodeDifference]) -> str | None:
    """Return the message with which the application limits what was asked, if it did nothing else."""
    if page.moved:
        return None
    caused = [one for one in found if log.touched.get(one.key) == "caused"]
    if content_differences(caused) or any(_has_meaning(one) for one in caused) or _left_the_page(log):
        return None
    texts = [*_new_texts(caused, page), *_messages(log)]
    if not texts or not all(_is_limiting(text, page.target) for text in texts):
        return None
    return texts[-1]


def _left_the_page(log: SignalLog) -> bool:
    """Return whether the input led to a tab, a download or another effect outside of the page."""
    outside = (signal for signal, attribution in log.of(CustomSignal) if attribution == "caused")
    return any(effect_words(signal) is not None for signal in outside)


def _has_meaning(difference: NodeDifference) -> bool:
    """Return whether a difference is more than a text. A field that was emptied says nothing."""
    if not isinstance(difference.node, ElementNode) or difference.about in _TEXTS | _NO_MEANING:
        return False
    emptied = difference.about == "textValue" and not difference.node.state.text_value
    return not emptied and difference.about != "removed"


def _new_texts(caused: Iterable[NodeDifference], page: PageChange) -> Iterator[str]:
    for one in caused:
        if not isinstance(one.node, ElementNode) or one.about not in _TEXTS:
            continue
        before = page.baseline["elements"].get(one.key)
        for member in ("text", "name"):
            new = added_text(_text(before, member), _text(one.node, member))
            if new and not (one.node.role in CONTENT_TEXT_ROLES and one.about == "added"):
                yield new


def _text(node: object, member: str) -> str:
    text = getattr(node, member, "")
    return text if isinstance(text, str) else ""


def _messages(log: SignalLog) -> list[str]:
    return [signal.text for signal, attribution in log.of(ToastShownSignal) if attribution == "caused"]


def _is_limiting(text: str, target: str) -> bool:
    if len(text) > MAX_INLINE or text.rstrip().endswith(_PROGRESS):
        return False
    if reports_success(text) or only_denies_failure(text) or is_about_target(text, target):
        return False
    return limits(text)
