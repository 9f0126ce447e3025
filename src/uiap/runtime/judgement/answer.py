"""The answer to one question of the judgement, and the facts it is answered from."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from uiap.actions.primitive import GestureReport
from uiap.spec.web import ElementNode


class Passed(msgspec.Struct, frozen=True):
    evidence: str


class Waiting(msgspec.Struct, frozen=True):
    why: str


Answer: TypeAlias = Passed | Waiting


class ObservedFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts besides the report: the gesture's own report, the target element, the focus."""

    gesture: GestureReport = {}
    element: ElementNode | None = None
    refocused: bool = False
    probed: bool = False
    """A probe has shown the target in view or under the pointer, where the action needs that."""


NO_FACTS = ObservedFacts()
