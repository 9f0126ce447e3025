"""Questions about private values: expectations must not confirm a value that the caller may not read.

A caller could guess a value and ask whether it holds. Signals that a caller asks for are therefore judged on the page
as the caller sees it, and a question for a private value itself is refused. Neither depends on the value.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import UNSET

from uiap.graph.store import GraphStore
from uiap.host.privacy.redaction import Redaction
from uiap.runtime.resolve import Candidates, gather
from uiap.signals.lookup import single_target
from uiap.spec.action import ActionRequestPayload, ActionTarget
from uiap.spec.capability import SuccessSignal, UIAffordance, ValueEquals
from uiap.spec.web import WebSignal


class ActionReader:
    """The page as the caller of one action may see it (`signals.judge.ReaderView`)."""

    def __init__(
        self, asked: tuple[SuccessSignal, ...], store: GraphStore, redaction: Callable[[], Redaction]
    ) -> None:
        self.asked = asked
        self._store, self._redaction = store, redaction

    def store(self) -> GraphStore:
        return self._redaction().masked_view(self._store)

    def mask_signal(self, signal: WebSignal) -> WebSignal:
        return self._redaction().text_mask.mask_payload(signal)


def asked_signals(request: ActionRequestPayload) -> tuple[SuccessSignal, ...]:
    """Return the signals that a request asks to be verified."""
    wanted = request.verification
    return () if wanted is UNSET or wanted.signals is UNSET else wanted.signals


def private_question(
    signals: tuple[SuccessSignal, ...], store: GraphStore, redaction: Redaction
) -> str | None:
    """Return why these signals are refused, or None: one asks for the value of a private field."""
    if redaction.reads_all:
        return None
    for signal in signals:
        if isinstance(signal, ValueEquals):
            element = single_target(redaction.masked_view(store), signal.target)
            if element is not None and element.state.sensitive is True:
                return f"the value of `{element.name or element.role}` is private; leave out this expectation"
    return None


def visible_candidates(
    candidates: Candidates,
    redaction: Redaction,
    store: GraphStore,
    target: ActionTarget,
    recycled: dict[str, str],
    affordances: tuple[UIAffordance, ...],
    hinted: tuple[str, ...] = (),
) -> Candidates:
    """Return the candidates that the caller's own view has too, so that a name with a private value is not guessed."""
    if not redaction.text_mask:
        return candidates
    seen = gather(redaction.masked_view(store), target, recycled, affordances, hinted)
    ids = {one.element.instance_id for one in seen.candidates}
    kept = tuple(one for one in candidates.candidates if one.element.instance_id in ids)
    return msgspec.structs.replace(candidates, candidates=kept, similar=seen.similar)
