"""The log of a run: every action as a transition, with its decision and signals, and the gaps (DISC-11.6)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from uiap.discovery.events import BlockedRequest, Effects
from uiap.discovery.knowledge.candidates import ReplayStep
from uiap.discovery.safety.held_reads import looks_like_read, read_option
from uiap.discovery.safety.safety import SafetyDecision
from uiap.spec.capability import SuccessSignal, TargetRef
from uiap.spec.policy import SideEffectClass

_MAX_NOTES = 100


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
    contradiction: str | None = None
    parameters_changed: bool = False
    """The same page was shown with other parameters: another order, another page of a list."""
    step: ReplayStep | None = None
    times: int = 1
    """The number of times that it was observed."""
    is_consistent: bool = True
    """Whether every observation had the same target and the same signals."""
    fallback: str | None = None
    """The reason why a control was used that only its looks or its behaviour tell from text."""

    @property
    def resolved(self) -> bool:
        """Whether it had an observable effect and no request was blocked."""
        has_effect = self.source != self.target or self.side_effect == "draft" or self.parameters_changed
        return has_effect and not self.blocked


@dataclass(slots=True)
class NetworkLog:
    """The requests of a run that could write: those that reached the server, and those that were held back."""

    reached: dict[str, None] = field(default_factory=dict)
    """Requests that reached the server although nothing permitted them."""
    sign_in: dict[str, None] = field(default_factory=dict)
    """Requests that were permitted while signing in."""
    held: dict[str, int] = field(default_factory=dict)
    """Request to the number of times it was held back."""
    read_options: dict[str, set[str]] = field(default_factory=dict)
    """Option that would permit a request which looks like a read, to the pages that lacked its answer."""

    def options_lacked_by(self, *pages: str) -> list[str]:
        """Return the options that would permit the reads which these pages lacked."""
        return sorted(
            option for option, lacking in self.read_options.items() if not lacking.isdisjoint(pages)
        )

    def add(self, effects: Effects, page: str, *, on_load: bool = False) -> None:
        """Record the requests of a load or an action on a page."""
        self.reached.update(dict.fromkeys(effects.reached))
        for one in effects.blocked:
            key = f"{one.method} {one.url}"
            self.held[key] = self.held.get(key, 0) + 1
            if one.is_write and looks_like_read(one.method, one.url, on_load=on_load):
                self.read_options.setdefault(read_option(one.method, one.url), set()).add(page)


@dataclass(slots=True)
class RunLog:
    transitions: list[Transition] = field(default_factory=list)
    gaps: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Everything the run could not reach or left out: key to text and state id."""
    limits: Counter[str] = field(default_factory=Counter)
    """Limit that was reached to the number of actions or states that it left out."""
    notes: list[str] = field(default_factory=list)
    not_tried: Counter[str] = field(default_factory=Counter)
    """Reason to the number of controls that were not tried because of it."""
    decisions: Counter[str] = field(default_factory=Counter)
    """Effect and reason to the number of decisions (DISC-13.1)."""
    network: NetworkLog = field(default_factory=NetworkLog)

    def repeat(self, source: str, step: ReplayStep, target: str, signals: tuple[SuccessSignal, ...]) -> None:
        """Count another observation of the transition that this step made from the source."""
        for one in self.transitions:
            if one.source == source and one.step == step:
                one.times += 1
                one.is_consistent &= one.target == target and one.signals == signals
                return

    def add_gap(self, key: str, text: str, state: str = "") -> None:
        """Add a gap, once for each key."""
        self.gaps.setdefault(key, (text, state))

    def add_note(self, text: str) -> None:
        if text not in self.notes and len(self.notes) < _MAX_NOTES:
            self.notes.append(text)
