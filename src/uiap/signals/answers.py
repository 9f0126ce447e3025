"""The answers that an action got, and the refusal that is left of them. A page may ask again after a refusal."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec
from msgspec import UNSET

from uiap.signals.deed import is_deed_of
from uiap.signals.refusal_kind import RefusalKind, is_asked_for
from uiap.signals.work import PendingWork
from uiap.spec.web import ElementNode

RETRY_S = 1.5
"""A page that asks again after a refusal is given this long."""
RETRY_DELAY_MS = 1_000
_ASKING = frozenset({"request", "body", "stream"})


class ReceivedAnswer(msgspec.Struct, frozen=True):
    token: str
    question: str
    refusal: str | None
    at: float
    refusal_kind: RefusalKind = "plain"
    undone: tuple[str, ...] = ()


class AnswerLog:
    """The last answer to each question of one action."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], ReceivedAnswer] = {}

    def record(self, answer: ReceivedAnswer) -> None:
        """Record an answer. It replaces the earlier answer to the same question."""
        self._last.pop((answer.token, answer.question), None)
        self._last[answer.token, answer.question] = answer

    def refusal(
        self,
        tokens: Iterable[str],
        work: Iterable[PendingWork] | None,
        now: float = math.inf,
        target: ElementNode | None = None,
    ) -> str | None:
        """Return the last refusal of these inputs, unless the page may be asking again.

        A refusal that the name of the target asks for is none. An answer that denies the target's deed refuses.
        """
        ours, pending = set(tokens), tuple(work or ())
        answers = [one for one in self._last.values() if one.token in ours]
        refused = [(one, words) for one in answers if (words := _refusal_for(one, target)) is not None]
        if not refused or _may_ask_again(refused[-1][0], pending, now):
            return None
        return refused[-1][1]


def _refusal_for(answer: ReceivedAnswer, target: ElementNode | None) -> str | None:
    """Return why an answer refuses what the target is named after."""
    name = (target.name or "") if target is not None else ""
    toggles = target is not None and (target.state.checked is not UNSET or target.state.pressed is not UNSET)
    if answer.refusal is not None:
        switched = toggles and answer.refusal_kind == "denial"
        return None if switched or is_asked_for(answer.refusal_kind, name) else answer.refusal
    undone = None if toggles else next((one for one in answer.undone if is_deed_of(one, name)), None)
    return None if undone is None else f"{answer.question}: {undone} is false"


def _may_ask_again(refused: ReceivedAnswer, work: tuple[PendingWork, ...], now: float) -> bool:
    return now < refused.at + RETRY_S and any(_asks_again(one) for one in work)


def _asks_again(work: PendingWork) -> bool:
    """Return whether the work is a request, or a timer that may send one soon."""
    if work.kind == "timer":
        return float(work.detail or 0) <= RETRY_DELAY_MS
    return work.kind in _ASKING
