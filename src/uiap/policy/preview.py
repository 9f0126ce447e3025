"""What rules would say about an application's actions, before anything happens: a dry run, and the diff of two."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from uiap.policy import inference
from uiap.policy.appraisal import strictest_level
from uiap.policy.evaluate import PolicySet, Ruling
from uiap.policy.request import PolicyRequest
from uiap.spec.capability import ActionDescriptor
from uiap.spec.policy import POLICY_EFFECTS, SIDE_EFFECT_RULES, PolicyPrincipal, SideEffectClass


class PreviewSubject(NamedTuple):
    """Something a rule can be asked about, and what it is called in a table."""

    name: str
    case: PolicyRequest


class RulingChange(NamedTuple):
    name: str
    before: Ruling
    after: Ruling

    @property
    def stricter(self) -> bool:
        return POLICY_EFFECTS.index(self.after.effect) > POLICY_EFFECTS.index(self.before.effect)


def subject_of_action(descriptor: ActionDescriptor, principal: PolicyPrincipal) -> PreviewSubject:
    """A declared action; where it says nothing of its risk, its name does."""
    tags = frozenset(descriptor.risk.tags or ())
    words = f"{inference.identifier_words(descriptor.id)} {(descriptor.title or '').casefold()}"
    hints = frozenset(hint.kind for hint in inference.risk_hints(words))
    derived = inference.derived_side_effect(tags | hints)
    fallback: SideEffectClass = "unknown" if descriptor.idempotency is UNSET else "data_write"
    case = PolicyRequest(
        principal_type=principal.type,
        principal_id=principal.id,
        principal_roles=frozenset(principal.roles or ()),
        grants=frozenset(principal.grants or ()),
        action_id=descriptor.id,
        action_kind=descriptor.kind,
        side_effect=derived or fallback,
        side_effect_basis="inferred" if derived is None else "derived",
        risk_level=strictest_level(descriptor.risk.level, "confirm" if hints else "safe"),
        risk_explicit=not hints,
        risk_tags=tags | hints,
    )
    return PreviewSubject(descriptor.id, case)


def side_effect_subjects(principal: PolicyPrincipal) -> list[PreviewSubject]:
    """One of each side-effect class: what the rules say where nothing more is known."""
    base = PolicyRequest(
        principal_type=principal.type,
        principal_id=principal.id,
        principal_roles=frozenset(principal.roles or ()),
        grants=frozenset(principal.grants or ()),
    )
    return [
        PreviewSubject(
            f"({name})", msgspec.structs.replace(base, side_effect=name, side_effect_basis="declared")
        )
        for name in SIDE_EFFECT_RULES
    ]


def preview(policies: PolicySet, subjects: Iterable[PreviewSubject]) -> list[tuple[str, Ruling]]:
    return [(subject.name, policies.decide(subject.case)) for subject in subjects]


def ruling_changes(
    before: PolicySet, after: PolicySet, subjects: Iterable[PreviewSubject]
) -> list[RulingChange]:
    """Only what would be decided otherwise, or for another reason."""
    found = (RulingChange(s.name, before.decide(s.case), after.decide(s.case)) for s in subjects)
    return [
        one
        for one in found
        if (one.before.effect, one.before.decided_by) != (one.after.effect, one.after.decided_by)
    ]
