"""The built-in rules, used if no document is given. All sets are ordinary policy documents."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeAlias

from uiap.policy.evaluate import ROUTINE, PolicySet
from uiap.spec.policy import (
    ConfirmationSpec,
    PolicyDefaults,
    PolicyDocument,
    PolicyMatch,
    PolicyRule,
)

BuiltIn: TypeAlias = Literal["observe", "standard", "assist", "trusted"]
Rules: TypeAlias = BuiltIn | tuple[PolicyDocument, ...]
"""Built-in rules by name, or documents instead of them. An empty tuple allows nothing."""

STANDARD = PolicyDocument(
    model_version="0.1",
    id="uiap.standard",
    version="1",
    title="Writes and the unknown ask a person, the destructive is denied",
    defaults=PolicyDefaults(on_blocked="handoff"),
)
"""For agents. The default tables of the policy spec decide, and nothing here is less strict."""

ASSIST = PolicyDocument(
    model_version="0.1",
    id="uiap.assist",
    version="1",
    title="Routine steps go, everything else is decided as by the standard rules",
    defaults=PolicyDefaults(on_blocked="handoff"),
    metadata={ROUTINE: "allow"},
)
"""For agents that a person lets work. It differs from `STANDARD` only for routine steps (`policy.routine`)."""

OBSERVE = PolicyDocument(
    model_version="0.1",
    id="uiap.observe",
    version="1",
    title="Reading and going to addresses, nothing else",
    defaults=PolicyDefaults(on_blocked="handoff"),
    rules=(
        PolicyRule(
            id="only-reads",
            match=PolicyMatch(not_=PolicyMatch(side_effect_classes=("none", "navigation"))),
            effect="deny",
            message="this session only reads; a person can open it with --autonomy ask or assist",
        ),
    ),
)
"""For agents that only report."""

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
"""For a person's own program. The call itself is the confirmation. A blocked risk stays blocked (CAP-8.2)."""

DOCUMENTS: dict[BuiltIn, PolicyDocument] = {
    "observe": OBSERVE,
    "standard": STANDARD,
    "assist": ASSIST,
    "trusted": TRUSTED,
}


def documents_of(rules: Rules) -> tuple[PolicyDocument, ...]:
    """Return the documents of built-in rules, or the given documents."""
    return (DOCUMENTS[rules],) if isinstance(rules, str) else rules


@lru_cache(maxsize=4)
def _built_in(rules: BuiltIn) -> PolicySet:
    return PolicySet((DOCUMENTS[rules],))


def policy_set(rules: Rules) -> PolicySet:
    """Return the compiled rules. The built-in ones are compiled once."""
    return _built_in(rules) if isinstance(rules, str) else PolicySet(rules)
