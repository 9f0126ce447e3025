"""Effects that a page shows only for a moment: content, labels and values that it may take back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from uiap.graph.baseline import Baseline
from uiap.graph.store import GraphStore
from uiap.signals.change import NodeDifference
from uiap.signals.confirming_label import ConfirmingLabels
from uiap.signals.content import AddedContent
from uiap.signals.effect_report import AnswerWindow
from uiap.signals.reversal import ReversedControls
from uiap.spec.web import PageGraphDelta


class PassingEffects:
    """The passing content, labels and values of one action on one page."""

    def __init__(self, store: GraphStore, before: Baseline, target: str | None = None) -> None:
        self._store, self._before, self._target = store, before, target
        self._content, self._labels, self._controls = AddedContent(), ConfirmingLabels(), ReversedControls()

    def record(
        self,
        delta: PageGraphDelta,
        token: str | None,
        mono: float,
        not_caused: frozenset[str],
        *,
        waiting: bool,
    ) -> None:
        """Record a delta. `waiting`: a request of the input has no answer yet."""
        self._labels.record(delta, self._store, self._before, token, mono, waiting=waiting)
        if token is not None:
            self._content.record(delta, token, mono, not_caused)
            self._controls.record(delta, self._store, self._before, token, self._target)

    def label(self, tokens: Set[str], answered: tuple[AnswerWindow, ...]) -> str | None:
        """Return a label that reported success and is gone again."""
        return self._labels.confirmed(tokens, answered)

    def took_content_back(self, tokens: Set[str], messages: Sequence[float]) -> bool:
        """Return whether content that came with one of the messages is gone again."""
        return self._content.is_gone(tokens, messages, self._store, self._before)

    def took_control_back(self, tokens: Set[str], left: Iterable[NodeDifference]) -> bool:
        """Return whether a control has its old value again, and nothing but messages is left."""
        return self._controls.was_taken_back(tokens, self._store, self._before, self._target, left)
