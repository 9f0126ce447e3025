"""A dry run of rules on the actions of an application, and the difference between two sets of rules."""

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
    """A request to evaluate, and its name in a table."""

    name: str
    request: PolicyRequest


class RulingChange(NamedTuple):
    """A subject that two sets of rules decide differently."""

    name: str
    before: Ruling
    after: Ruling

    @property
    def stricter(self) -> bool:
        return POLICY_EFFECTS.index(self.after.effect) > POLICY_EFFECTS.index(self.before.effect)


def subject_of_action(descriptor: ActionDescriptor, principal: PolicyPrincipal) -> PreviewSubject:
    """Return the request of a declared action. Its name may suggest a higher risk than it declares."""
    tags = frozenset(descriptor.risk.tags or ())
    words = f"{inference.identifier_words(descriptor.id)} {(descriptor.title or '').casefold()}"
    hints = frozenset(hint.kind for hint in inference.risk_hints(words))
    derived = inference.derived_side_effect(tags | hints)
    fallback: SideEffectClass = "unknown" if descriptor.idempotency is UNSET else "data_write"
    request = PolicyRequest(
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
    return PreviewSubject(descriptor.id, request)


def side_effect_subjects(principal: PolicyPrincipal) -> list[PreviewSubject]:
    """Return one request for each side-effect class, without any other fact."""
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
    """Return the ruling on each subject, by its name."""
    return [(subject.name, policies.decide(subject.request)) for subject in subjects]


def ruling_changes(
    before: PolicySet, after: PolicySet, subjects: Iterable[PreviewSubject]
) -> list[RulingChange]:
    """Return the subjects with a different effect or a different deciding rule."""
    changes = (RulingChange(s.name, before.decide(s.request), after.decide(s.request)) for s in subjects)
    return [
        one
        for one in changes
        if (one.before.effect, one.before.decided_by) != (one.after.effect, one.after.decided_by)
    ]
