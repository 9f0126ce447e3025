"""How an answer refuses, and whether the name of the pressed control asks for just that. Knows shapes and words."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from uiap.signals.deed import looks_for_faults
from uiap.signals.refusal import Answer, refusal_in

RefusalKind: TypeAlias = Literal["plain", "decision", "findings", "denial"]
"""A decision such as `rejected`, a list of errors, or a flag that is false may also be what the input asked for."""


def kind_of_refusal(answer: Answer) -> RefusalKind:
    """Return how a refusing answer refuses. Only a success by its status may be a decision or a list of findings."""
    if answer.road != "request" or answer.status >= 400 or answer.failed:
        return "plain"
    if refusal_in(answer.text, answer.media_type, address=answer.address, denials=False) is None:
        return "denial"
    if refusal_in(answer.text, answer.media_type, read=answer.is_read, address=_ASKING_REFUSAL) is None:
        return "decision"
    return "findings" if refusal_in(answer.text, answer.media_type, findings=True) is None else "plain"


_ASKING_REFUSAL = "/reject"
_REFUSING_NAME = re.compile(
    r"\b(?:rejec|declin|deny|denie|refus|block|ban\b|lock|expire|rechaz|ablehn|sperr|blockier|rifiut|recus|"
    r"bloqu|afwijz|weiger|odrzu|zablok|reddet|отклон|заблок)|却下|拒|거절|차단",
    re.IGNORECASE,
)


_REVERSING_NAME = re.compile(
    r"^\W*(?:un|dis|de(?=\w{4})|remov|delet|revok|cancel|hid|mut|(?:turn|switch) (?:\w+ )?off|stop|leav|clear|reset|"
    r"reject|declin|deny|block|entfern|lösch|deaktiv|ausschalt|sperr|supprim|désactiv|retir|elimin|quitar|desactiv|rimuov|"
    r"disattiv|remov|verwijder|usuń|wyłącz)",
    re.IGNORECASE,
)


def is_asked_for(kind: RefusalKind, target: str) -> bool:
    """Return whether the name of a control asks for just this: to reject something, or to find errors."""
    if kind == "decision":
        return _REFUSING_NAME.search(target) is not None
    if kind == "denial":
        return _REVERSING_NAME.match(target) is not None
    return kind == "findings" and looks_for_faults(target)
