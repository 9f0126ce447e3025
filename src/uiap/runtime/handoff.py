"""A handed-off step: a person does it, and the action observes its effect.

Nothing is dispatched. A person's input carries no token, so any new change that is not background counts as its effect.
Policy names the effect that must be observed; otherwise the action's own expectation applies.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from uiap.runtime.expectation import Expectation
from uiap.spec.policy import HandoffSpec
from uiap.spec.text import AuthoredText
from uiap.timeouts import HANDOFF_S

REASONS = {"policy": "a rule leaves it to a person"}
"""Reasons whose name alone says too little."""


class Handoff(msgspec.Struct, frozen=True):
    """The note to the person, what must be observed, and the timeout."""

    note: str
    expectation: Expectation
    timeout_s: float = HANDOFF_S

    @property
    def needs_report(self) -> bool:
        """Return whether only the person's report ends the step: no observation proves it.

        The value of a secret field is never published, and a change elsewhere says nothing about a field.
        """
        wanted = self.expectation
        return wanted.policy == "none" or (wanted.any_change and wanted.field is not None)


def handoff(spec: HandoffSpec | None, summary: str, expectation: Expectation) -> Handoff:
    """Return the handoff of a policy ruling. Its `resumeOn` replaces the expected signals."""
    wanted = msgspec.structs.replace(expectation, causal=False, needs_new=True)
    if spec is None:
        return Handoff(f"please do this yourself: {summary}", wanted)
    if spec.resume_on is not UNSET:
        wanted = msgspec.structs.replace(
            wanted,
            policy="any",
            signals=spec.resume_on,
            own=(),
            value_proof=None,
            any_change=False,
            arrival=False,
            in_view=False,
            hovered=False,
            read_back=False,
        )
    said = "" if spec.instructions is UNSET else _plain(spec.instructions)
    limit = HANDOFF_S if spec.timeout_ms is UNSET else spec.timeout_ms / 1000
    return Handoff(
        said or f"please do this yourself: {summary} ({REASONS.get(spec.reason, spec.reason)})", wanted, limit
    )


def _plain(text: AuthoredText) -> str:
    """Return the text itself, or the fallback of a reference that no build resolved."""
    if isinstance(text, str):
        return text
    return str(text.default or text.fallback or "")
