"""Labels that report success for a moment: a button that says "Saved ✓" and then "Save" again.

Such a label is a message. It counts after it is gone only if it came after the answers to the requests of the input, or
without any request, and if a person had the time to read it. A label that comes before the answer is only a hope.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import NamedTuple

from msgspec import UNSET

from uiap.graph.baseline import Baseline
from uiap.graph.store import GraphStore
from uiap.signals.change import LABEL_ROLES
from uiap.signals.effect_report import AnswerWindow
from uiap.signals.success_words import reports_success
from uiap.spec.web import ElementNode, PageGraphDelta

MIN_SHOWN_S = 1.0
ANSWERED_SHOWN_S = 0.4
ANSWER_SLACK_S = 0.05
MAX_LABEL = 60
MAX_KEPT = 50


class _Label(NamedTuple):
    token: str
    text: str
    begun: float
    waited: bool
    """A request of the input had no answer yet."""


class ConfirmingLabels:
    """The labels with words of success that one action showed, and how long."""

    def __init__(self) -> None:
        self._shown: dict[str, _Label] = {}
        self._ended: list[tuple[_Label, float]] = []

    def record(
        self,
        delta: PageGraphDelta,
        store: GraphStore,
        before: Baseline,
        token: str | None,
        mono: float,
        *,
        waiting: bool,
    ) -> None:
        """Record the labels of the elements that a delta touched."""
        for key in _touched(delta):
            node = store.elements.get(key)
            text = _label(node)
            known = self._shown.get(key)
            if known is not None and known.text != text:
                self._ended.append((self._shown.pop(key), mono))
            if token is None or not text or key in self._shown or len(self._shown) >= MAX_KEPT:
                continue
            if reports_success(text) and not reports_success(_label(before["elements"].get(key))):
                self._shown[key] = _Label(token, text, mono, waiting)

    def confirmed(self, tokens: Set[str], answered: tuple[AnswerWindow, ...]) -> str | None:
        """Return a label of our input that is gone again and that a person could read."""
        for label, ended in self._ended:
            if label.token not in tokens or label.waited:
                continue
            after = any(begin <= label.begun + ANSWER_SLACK_S for begin, _ in answered)
            if ended - label.begun >= (ANSWERED_SHOWN_S if after else MIN_SHOWN_S) and (
                after or not answered
            ):
                return label.text
        return None


def _touched(delta: PageGraphDelta) -> Iterator[str]:
    part = delta.elements
    if part is UNSET:
        return
    yield from part.removed or ()
    yield from (node.instance_id for node in part.added or ())
    yield from (patch.key for patch in part.updated or ())


def _label(node: ElementNode | None) -> str:
    """Return the name of a button or link. Other texts come and go for other reasons."""
    name = node.name if node is not None and node.role in LABEL_ROLES else ""
    return name if isinstance(name, str) and len(name) <= MAX_LABEL else ""
