"""What a person is shown before something is done: the action in plain words, its target, its arguments (ACT-5.3)."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from msgspec import UNSET

from uiap.policy.decide import Answer
from uiap.runtime.resolve import Resolved, resolved_target
from uiap.spec.action import ActionConfirmationRequestPayload, ConfirmationPreview
from uiap.spec.capability import RiskDescriptor

Identity: TypeAlias = tuple[str, str, str, str]
"""What a grant is bound to: the element, its role, its name and the record it belongs to."""


def identity(resolved: Resolved | None) -> Identity:
    if resolved is None:
        return ("", "", "", "")
    candidate = resolved.winner.candidate
    element = candidate.element
    return (element.instance_id, element.role, element.name or "", candidate.record or "")


def question(
    handle: str, action_id: str, args: dict[str, Any], resolved: Resolved | None, answer: Answer
) -> ActionConfirmationRequestPayload:
    risk = UNSET if resolved is None else resolved.winner.candidate.element.risk
    return ActionConfirmationRequestPayload(
        action_handle=handle,
        action_id=action_id,
        risk=RiskDescriptor(level="confirm", reason=answer.reason) if risk is UNSET else risk,
        preview=ConfirmationPreview(
            summary=summary(action_id, args, resolved),
            target=resolved_target(resolved.winner.candidate) if resolved else UNSET,
            args=args or UNSET,
        ),
    )


def summary(action_id: str, args: dict[str, Any], resolved: Resolved | None) -> str:
    """`activate the button “Delete” of video:7`."""
    verb = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", action_id.rpartition(".")[2]).lower()
    if resolved is None:
        return f"{verb} {args.get('url', '')}".strip()
    candidate = resolved.winner.candidate
    name = f" “{candidate.element.name}”" if isinstance(candidate.element.name, str) else ""
    owner = f" of {candidate.record}" if candidate.record is not None else ""
    return f"{verb} the {candidate.element.role}{name}{owner}"
