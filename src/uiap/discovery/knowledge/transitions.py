"""The way a run went: every action as a transition, with what permitted it and what was seen (DISC-11.6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from uiap.discovery.events import BlockedRequest
from uiap.discovery.safety.safety import SafetyDecision
from uiap.spec.capability import SuccessSignal, TargetRef
from uiap.spec.policy import SideEffectClass


@dataclass(slots=True)
class Transition:
    id: str
    source: str
    target: str
    action: str
    element: TargetRef
    label: str
    role: str
    args: dict[str, Any]
    side_effect: SideEffectClass
    decision: SafetyDecision
    signals: tuple[SuccessSignal, ...]
    status: str
    error: str | None = None
    blocked: tuple[BlockedRequest, ...] = ()
    popups: tuple[str, ...] = ()
    dialogs: tuple[str, ...] = ()
    downloads: tuple[str, ...] = ()
    seen_again: int = 0
    contradiction: str | None = None
    turned: bool = False
    """The same page answered to other parameters: another order, another page of a list."""

    @property
    def resolved(self) -> bool:
        """It led to a state that can be told apart, and nothing was held back on the way."""
        known = self.source != self.target or self.side_effect == "draft" or self.turned
        return known and not self.blocked


@dataclass(slots=True)
class RunLog:
    transitions: list[Transition] = field(default_factory=list)
    gaps: dict[str, tuple[str, str]] = field(default_factory=dict)
    """What could not be reached again or was left out: text by key, with the state it was left at."""
    notes: list[str] = field(default_factory=list)

    def gap(self, key: str, text: str, state: str = "") -> None:
        self.gaps.setdefault(key, (text, state))

    def note(self, text: str) -> None:
        if text not in self.notes and len(self.notes) < 100:
            self.notes.append(text)
