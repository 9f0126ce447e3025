"""The question to a person before an action: the action in plain words, its target and its arguments (ACT-5.3)."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.graph.view import beside_text, icon_word
from uiap.policy.appraisal import Appraisal
from uiap.policy.evaluate import Ruling
from uiap.policy.texts import plain_text
from uiap.runtime.resolve import Resolved, resolved_target
from uiap.spec.action import ActionConfirmationRequestPayload, ConfirmationPreview
from uiap.spec.capability import RiskDescriptor
from uiap.spec.policy import PolicyReason

MASK = "•••"
WORDS: dict[PolicyReason, str] = {
    "rule": "a rule asks for it",
    "risk_confirm": "it is risky",
    "side_effect": "it may change something",
    "data_class": "it touches data that needs care",
    "unknown_action": "nobody declared this action",
    "unknown_target": "the target is not certain",
    "workflow_mode": "the workflow only assists",
}
"""The reason for a question, in words."""
VERBS = {
    "ui.enterText": "enter text into",
    "ui.clearText": "clear",
    "ui.choose": "choose in",
    "ui.setValue": "set",
    "ui.toggle": "switch",
    "ui.upload": "upload a file into",
}
"""Verbs that do not follow from the id of the action."""
HIDDEN = frozenset({"credential", "secret", "payment", "sensitive", "health"})


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """The question that a person answers. `pose` adds the reason for it."""

    action_id: str
    args: dict[str, Any]
    resolved: Resolved | None
    title: str = ""
    """Title and description of an action of the application, as it declares them."""
    handle: str = ""
    summary: str = ""
    risk: RiskDescriptor = RiskDescriptor(level="confirm")
    show_args: bool = True
    masked: bool = False

    def payload(self) -> ActionConfirmationRequestPayload:
        candidate = None if self.resolved is None else self.resolved.winner.candidate
        return ActionConfirmationRequestPayload(
            action_handle=self.handle,
            action_id=self.action_id,
            risk=self.risk,
            preview=ConfirmationPreview(
                summary=self.summary,
                target=UNSET if candidate is None else resolved_target(candidate),
                args=masked_args(self.args, masked=self.masked) if self.args and self.show_args else UNSET,
            ),
        )


def pose(handle: str, matter: Question, ruling: Ruling, appraisal: Appraisal, crossing: str = "") -> Question:
    """Return the question with its summary and risk. The reason names the deciding rule and any other origin."""
    spec = ruling.confirmation
    said = plain_text(spec.summary) if spec is not None and spec.summary is not UNSET else ""
    why = ruling.message or f"{WORDS.get(ruling.reason, ruling.reason)} ({ruling.decided_by})"
    other = (crossing,) if crossing and crossing not in why else ()
    because = "; ".join((why, *other, *appraisal.because))
    return msgspec.structs.replace(
        matter,
        handle=handle,
        summary=said or matter.title or summary(matter.action_id, matter.args, matter.resolved),
        risk=RiskDescriptor(
            level="blocked" if appraisal.level == "blocked" else "confirm",
            tags=tuple(sorted(appraisal.tags)) or UNSET,
            reason=because,
        ),
        show_args=spec is None or spec.show_args is not False,
        masked=not HIDDEN.isdisjoint(appraisal.data_classes),
    )


def masked_args(args: dict[str, Any], *, masked: bool) -> dict[str, Any]:
    """Return arguments as a person or an audit may see them. A named secret stays a name."""
    return {name: _masked_arg(value, masked) for name, value in args.items()}


def _masked_arg(value: Any, masked: bool) -> Any:
    if isinstance(value, dict) and set(value) == {"secret"}:
        return value
    return MASK if masked and not isinstance(value, bool) else value


def summary(action_id: str, args: dict[str, Any], resolved: Resolved | None) -> str:
    """Return the action in words: `activate the button “Delete” of video:7`. Deviating visible text is shown too."""
    verb = VERBS.get(action_id) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", action_id.rpartition(".")[2]).lower()
    if resolved is None:
        return f"{verb} {args.get('url', '')}".strip()
    candidate = resolved.winner.candidate
    element = candidate.element
    name = f" “{element.name}”" if isinstance(element.name, str) else ""
    seen = f" (shown as “{element.text}”)" if element.text and element.text != element.name else ""
    name = name or (f" with the icon “{icon}”" if (icon := icon_word(element)) else "")
    beside = f" beside “{text}”" if (text := beside_text(element)) else ""
    owner = f" of {candidate.record}" if candidate.record is not None else ""
    return f"{verb} the {element.role}{name}{seen}{beside}{owner}"
