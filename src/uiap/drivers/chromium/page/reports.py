"""The events of the driver for messages of the page script that do not change the graph."""

from __future__ import annotations

from uiap.drivers.chromium.page.messages import AnswerPush, OutsidePush, PaintPush, WorkPush
from uiap.drivers.events import AnswerReceived, OutsideEffect, PaintObserved, WorkReported
from uiap.signals.refusal import refusal_of, undone_deeds
from uiap.signals.refusal_kind import kind_of_refusal
from uiap.signals.work import PendingWork


def reported_event(
    push: PaintPush | WorkPush | AnswerPush | OutsidePush, tab: str, now: float
) -> PaintObserved | WorkReported | AnswerReceived | OutsideEffect:
    """Return the event of a message. The text of an answer stays here: the event has only its refusal."""
    match push:
        case PaintPush():
            is_route = push.kind == "route"
            return PaintObserved(
                tab=tab, at=now, token=push.token, node=push.node, text=push.text, route=is_route
            )
        case WorkPush():
            return WorkReported(tab=tab, at=now, token=push.token, work=_pending(push, now))
        case AnswerPush():
            refusal = refusal_of(push.answer)
            kind = "plain" if refusal is None else kind_of_refusal(push.answer)
            return AnswerReceived(
                tab=tab,
                at=now,
                token=push.token,
                question=push.answer.key,
                refusal=refusal,
                refusal_kind=kind,
                undone=undone_deeds(push.answer),
            )
        case OutsidePush():
            return OutsideEffect(tab=tab, at=now, kind=push.kind, token=push.token, url=push.detail)


def _pending(push: WorkPush, now: float) -> tuple[PendingWork, ...]:
    return tuple(
        PendingWork(kind, now - age_ms / 1000, detail, source) for kind, age_ms, detail, source in push.work
    )
