"""What was seen without acting: the answers of `ui.find`, `ui.expect` and `ui.wait`, for people."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from msgspec import UNSET

from uiap.errors import RuntimeFault
from uiap.spec.tools import (
    FoundElement,
    LoadingState,
    SignalVerdict,
    ToolsExpectedPayload,
    ToolsWaitedPayload,
)


class PageOutline(NamedTuple):
    """An outline, and the revision of the page it describes."""

    text: str
    revision: str


class ElementMatch(msgspec.Struct, frozen=True):
    """One match of `find`: pass `instance_id` as `ref=` to act on exactly this one."""

    instance_id: str
    role: str
    name: str
    confidence: float
    reason: str
    record: str | None = None

    @classmethod
    def of(cls, match: FoundElement) -> ElementMatch:
        element = match.element
        record = None if match.record is UNSET else match.record
        return cls(
            element.instance_id, element.role, element.name or "", match.confidence, match.reason, record
        )


class Expected:
    """True in a condition only if what was expected is seen."""

    def __init__(self, payload: ToolsExpectedPayload) -> None:
        self.payload = payload

    @property
    def passed(self) -> bool:
        return self.payload.passed

    def __bool__(self) -> bool:
        return self.passed

    @property
    def verdicts(self) -> tuple[SignalVerdict, ...]:
        return self.payload.verdicts

    @property
    def revision(self) -> str:
        return self.payload.revision

    @property
    def reason(self) -> str:
        return self.payload.reason or ""

    def check(self) -> Expected:
        """This answer, or what is missing raised as `verification_failed`."""
        if not self.passed:
            raise RuntimeFault("verification_failed", self.reason)
        return self

    def __repr__(self) -> str:
        return f"<Expected {'seen' if self.passed else self.reason} at {self.revision}>"


class Waited:
    """True in a condition if it came; False if the time was over first."""

    def __init__(self, payload: ToolsWaitedPayload) -> None:
        self.payload = payload

    def __bool__(self) -> bool:
        return self.payload.done

    @property
    def changed(self) -> bool:
        return self.payload.changed

    @property
    def revision(self) -> str:
        return self.payload.revision

    @property
    def loading(self) -> LoadingState:
        return self.payload.loading

    @property
    def changes(self) -> str:
        """What changed since the revision, as a model reads it."""
        return "" if self.payload.changes is UNSET else self.payload.changes

    def __repr__(self) -> str:
        said = "done" if self.payload.done else f"not done: {self.payload.reason or ''}"
        return f"<Waited {said} at {self.revision}>"
