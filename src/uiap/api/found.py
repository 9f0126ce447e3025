"""The results of `ui.find`, `ui.expect` and `ui.wait`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from uiap.api.absent import none_for_absent
from uiap.errors import RuntimeFault
from uiap.graph.picking import is_clear_best
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
    """One match of `find`; pass `instance_id` as `ref=` to act on this element."""

    instance_id: str
    role: str
    name: str
    """Its name, or its text if it has none."""
    confidence: float
    reason: str
    record: str | None = None

    @classmethod
    def of(cls, match: FoundElement) -> ElementMatch:
        element = match.element
        return cls(
            element.instance_id,
            element.role,
            element.name or element.text or "",
            match.confidence,
            match.reason,
            match.record or None,
        )


class Expected:
    """The result of `expect`; true in a condition only if the expected signals were observed."""

    def __init__(self, payload: ToolsExpectedPayload) -> None:
        self.payload = payload

    @property
    def passed(self) -> bool:
        return self.payload.passed

    def __bool__(self) -> bool:
        return self.passed

    @property
    def verdicts(self) -> tuple[SignalVerdict, ...]:
        return none_for_absent(self.payload.verdicts)

    @property
    def revision(self) -> str:
        return self.payload.revision

    @property
    def reason(self) -> str:
        return self.payload.reason or ""

    def check(self) -> Expected:
        """Return this result, or raise `verification_failed` with the reason."""
        if not self.passed:
            raise RuntimeFault("verification_failed", self.reason)
        return self

    def __repr__(self) -> str:
        return f"<Expected {'passed' if self.passed else self.reason} at {self.revision}>"


class Waited:
    """The result of `wait`; true in a condition if the condition was met before the timeout."""

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
        return none_for_absent(self.payload.loading)

    @property
    def changes(self) -> str:
        """The changes since the revision as text, empty if there are none."""
        return self.payload.changes or ""

    def __repr__(self) -> str:
        state = "done" if self.payload.done else f"not done: {self.payload.reason or ''}"
        return f"<Waited {state} at {self.revision}>"


def clear_match(found: Sequence[ElementMatch], text: str) -> ElementMatch:
    """Return the one clear best match, or raise with the candidates. Words never mean the page as a whole."""
    if found and all(match.role == "app" for match in found):
        message = (
            f"`{text}` is text of the page and no element of its own; name an element that can be acted on"
        )
        raise RuntimeFault("target_not_found", message)
    found = [match for match in found if match.role != "app"]
    if not found:
        raise RuntimeFault(
            "target_not_found", f"no element matches `{text}`; try other words, or observe the page"
        )
    if not is_clear_best([match.confidence for match in found]):
        candidates = ", ".join(f'{match.instance_id} {match.role} "{match.name}"' for match in found)
        detail = {"candidates": [msgspec.to_builtins(match) for match in found]}
        message = f"several elements match `{text}`: {candidates}; choose one with ref="
        raise RuntimeFault("target_ambiguous", message, detail=detail)
    return found[0]
