"""A step that a person does: the action waits, sees it happen, and says so (companions §5.6, effect `handoff`).

Nothing is sent to the page. What the person does carries no token of ours, so a new change that is not the page's
habit is enough; what must be seen is what policy says, else what the action would have had to show.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from uiap.runtime.expectation import Expectation
from uiap.spec.policy import HandoffSpec
from uiap.spec.text import AuthoredText
from uiap.timeouts import HANDOFF_S


class Handoff(msgspec.Struct, frozen=True):
    """What is asked of the person, and how long it may take."""

    note: str
    expectation: Expectation
    timeout_s: float = HANDOFF_S


def handoff(spec: HandoffSpec | None, summary: str, expectation: Expectation) -> Handoff:
    """`resumeOn` of the policy decides, where it is given."""
    wanted = msgspec.structs.replace(expectation, causal=False, needs_new=True)
    if spec is None:
        return Handoff(f"please do this yourself: {summary}", wanted)
    if spec.resume_on is not UNSET:
        wanted = msgspec.structs.replace(
            wanted, policy="any", signals=spec.resume_on, any_change=False, arrival=False, in_view=False
        )
    said = "" if spec.instructions is UNSET else _plain(spec.instructions)
    limit = HANDOFF_S if spec.timeout_ms is UNSET else spec.timeout_ms / 1000
    return Handoff(said or f"please do this yourself: {summary} ({spec.reason})", wanted, limit)


def _plain(text: AuthoredText) -> str:
    """The words themselves; a reference that no build resolved has only its fallback."""
    if isinstance(text, str):
        return text
    return str(text.default or text.fallback or "")
