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


class Answers(msgspec.Struct, kw_only=True):
    """The three answers as of the last observation."""

    own_state: Answer = Waiting("nothing was observed")
    cause: Answer = Waiting("nothing was observed")
    ending: Answer = Waiting("nothing was observed")

    def as_metadata(self) -> dict[str, dict[str, object]]:
        """Return the answers for the metadata of a result, each with its evidence."""
        questions = {"ownState": self.own_state, "cause": self.cause, "ending": self.ending}
        return {name: _as_metadata(answer) for name, answer in questions.items()}


def _as_metadata(answer: Answer) -> dict[str, object]:
    if isinstance(answer, Passed):
        return {"holds": True, "evidence": answer.evidence}
    return {"holds": False, "evidence": answer.why}


class ObservedFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts besides the report: the gesture's own report, the target element, the focus."""

    gesture: GestureReport = {}
    element: ElementNode | None = None
    refocused: bool = False
    probed: bool = False
    """A probe has shown the target in view or under the pointer, where the action needs that."""


NO_FACTS = ObservedFacts()
