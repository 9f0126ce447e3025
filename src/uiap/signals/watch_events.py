"""The records that the watch over a tab keeps of changes, signals and paints."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from msgspec import UNSET

from uiap.graph.names import normalised
from uiap.signals.change import Node
from uiap.signals.effect_report import AnswerWindow
from uiap.spec.web import WebSignal

PAINT_DELAY_S = 1.0  # the paint of a change is reported within this time
SIGNAL_DELTA_S = 0.25  # a signal and the delta of its element arrive within this time


class TouchEvent(NamedTuple):
    mono: float
    token: str | None


class SignalEvent(NamedTuple):
    signal: WebSignal
    mono: float
    token: str | None
    loaded: bool = False
    """It is a message that a page had when it loaded."""


class PaintEvent(NamedTuple):
    token: str
    node: str
    text: str
    mono: float
    route: bool


def just_before(mono: float, paint: float) -> bool:
    return 0 <= paint - mono <= PAINT_DELAY_S


def within(mono: float, windows: tuple[AnswerWindow, ...]) -> bool:
    return any(begin <= mono <= end for begin, end in windows)


def text_of(node: Node | None) -> str:
    text = getattr(node, "text", UNSET)
    return text if isinstance(text, str) else ""


def exact_key(signal: WebSignal) -> str:
    """Return the kind and text of a signal as one key with its numbers; empty for a signal without text."""
    text = getattr(signal, "text", None)
    return f"{signal.kind}:{normalised(text)}" if isinstance(text, str) else ""


def was_pushed(counts: Mapping[str, int], signal: WebSignal) -> bool:
    """Return whether the background sent this message before, with the same or with another number in it."""
    return bool(counts.get(text_key(signal)) or counts.get(exact_key(signal)))


def text_key(signal: WebSignal) -> str:
    """Return the kind and text of a signal as one key without its numbers; empty for a signal without text."""
    text = getattr(signal, "text", None)
    return f"{signal.kind}:{re.sub(r'[0-9]+', '#', normalised(text))}" if isinstance(text, str) else ""


def is_of_changed_element(
    event: SignalEvent, touched: Mapping[tuple[str, str], Sequence[TouchEvent]], tokens: Set[str]
) -> bool:
    """Return whether a signal belongs to an element or scope that an input changed at the same time."""
    node = str(getattr(event.signal, "instance_id", UNSET) or getattr(event.signal, "scope_id", UNSET))
    touches = (*touched.get(("elements", node), ()), *touched.get(("scopes", node), ()))
    return any(one.token in tokens and abs(one.mono - event.mono) < SIGNAL_DELTA_S for one in touches)
