"""The report of a watch about the effects of one action, and the network traffic it is attributed by."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.signals.verdict import Attribution, Verdict
from uiap.signals.work import PendingWork

AnswerWindow = tuple[float, float]
"""The time in which changes are effects of an answer: from the answer to one of our requests until its end."""


class NetworkTrace(msgspec.Struct, frozen=True):
    """The network traffic that belongs to this action."""

    answered: tuple[AnswerWindow, ...] = ()
    navigating: bool = False
    """The action requested a new document."""
    wrote: bool = False
    """The action sent a request that does more than read."""


class InvalidField(msgspec.Struct, frozen=True):
    """A field that the input made invalid."""

    node: str
    words: str
    empty: bool = False
    """It has no value, so it may only be incomplete."""


class EffectReport(msgspec.Struct, frozen=True):
    """Everything observed since dispatch that still holds."""

    verdicts: tuple[Verdict, ...] = ()
    change: str | None = None
    """The change with the strongest attribution, in words; None if there is none besides background."""
    attribution: Attribution | None = None
    revision: str = ""
    advanced: bool = False
    busy: str | None = None
    """The element that the action made busy and that still is, in words."""
    complaint: str | None = None
    """The text of the last error toast."""
    latest: float = 0.0
    """The time of the last caused change."""
    work: tuple[PendingWork, ...] | None = None
    """The work of the input that has not ended; None if nothing reports it."""
    work_changed_at: float = 0.0
    """The time at which the work was last reported."""
    work_ended_at: float = 0.0
    """The time at which an end of work was last reported. Its changes may arrive after this report."""
    contradiction: str | None = None
    """The failure that the page reports because of the input, in its own words."""
    beside_field: str | None = None
    """The text that the input left behind a field, if it led to nothing else of meaning."""
    invalid_fields: tuple[InvalidField, ...] = ()
    """The fields that the input made invalid."""
    content: bool = False
    """The input added or removed content, and that still holds."""
    taken_back: bool = False
    """The input added content together with a message, and the content is gone again."""
    may_have_written: bool = False
    """The input sent a request that does more than read, or a message over a socket."""
    refusal: str | None = None
    """The refusal of a server or worker that the input asked, in its own words."""
    shown_instead: tuple[str, ...] = ()
    """The texts that the input left in place of its target, if the target is gone."""
    outside: dict[str, list[dict[str, Any]]] = msgspec.field(default_factory=dict)
    """The tabs and files that the input led to, as members of the result."""
    limiting: str | None = None
    """The message that limits what was asked, if it is all that the input led to."""
    appearing: bool = False
    """A dialog that the input opened still fades in, so that its words are not known yet."""
