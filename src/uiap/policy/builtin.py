"""The rules in force where none are given: who calls decides (HOUSE §6). Both are ordinary policy documents."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeAlias

from uiap.policy.evaluate import PolicySet
from uiap.spec.policy import (
    ConfirmationSpec,
    PolicyDefaults,
    PolicyDocument,
    PolicyMatch,
    PolicyRule,
)

BuiltIn: TypeAlias = Literal["trusted", "standard"]
Rules: TypeAlias = BuiltIn | tuple[PolicyDocument, ...]
"""Built-in rules by name, or the documents that are in force instead. Without any document nothing is allowed."""

STANDARD = PolicyDocument(
    model_version="0.1",
    id="uiap.standard",
    version="1",
    title="Writes and the unknown ask a person, the destructive is denied",
    defaults=PolicyDefaults(on_blocked="handoff"),
)
"""An agent may be calling. The tables of companions §5.3 decide: nothing here is laxer than they are."""

TRUSTED = PolicyDocument(
    model_version="0.1",
    id="uiap.trusted",
    version="1",
    title="The caller is the person",
    defaults=PolicyDefaults(on_unknown_action="confirm"),
    rules=(
        PolicyRule(
            id="the-caller-is-the-person",
            match=PolicyMatch(risk_levels=("safe", "confirm")),
            effect="allow",
            confirmation=ConfirmationSpec(actor="controller"),
        ),
    ),
)
"""What a floor still wants confirmed, the caller confirms by calling; what is blocked stays blocked (CAP-8.2)."""

DOCUMENTS: dict[BuiltIn, PolicyDocument] = {"standard": STANDARD, "trusted": TRUSTED}


def documents_of(rules: Rules) -> tuple[PolicyDocument, ...]:
    return (DOCUMENTS[rules],) if isinstance(rules, str) else rules


@lru_cache(maxsize=2)
def _built_in(rules: BuiltIn) -> PolicySet:
    return PolicySet((DOCUMENTS[rules],))


def policy_set(rules: Rules) -> PolicySet:
    """Compiled; the built-in ones once for all."""
    return _built_in(rules) if isinstance(rules, str) else PolicySet(rules)
