"""May it be done, and who said so? Policy's ruling on one action, and what a person granted of it.

Decides on what was resolved; it asks nobody itself and knows no key. A grant is good for exactly what was shown
(`GrantTerms`); when a bound term changes, the person is asked again.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from uiap.actions.primitive import Primitive
from uiap.graph.names import has_mixed_scripts, skeleton
from uiap.instant import Instant
from uiap.policy.appraisal import Appraisal, RiskEvidence, appraise
from uiap.policy.builtin import Rules, policy_set
from uiap.policy.evaluate import PolicySet, Ruling
from uiap.policy.inference import identifier_words
from uiap.policy.request import PolicyRequest
from uiap.runtime.confirmation import Question, pose
from uiap.runtime.grant_terms import GrantTerms, grant_terms
from uiap.runtime.resolve import Resolved, Surroundings
from uiap.spec.action import ActionConfirmationRequestPayload, VerificationPolicy, VerificationSpec
from uiap.spec.capability import ExecutionMode, RiskDescriptor
from uiap.spec.policy import (
    HandoffSpec,
    LimitExecutionModesObligation,
    PolicyDecision,
    PolicyObligation,
    PolicyOperation,
    PolicyPrincipal,
    PolicyWorkflowContext,
    RequireVerificationObligation,
    SideEffectClass,
)
from uiap.spec.web import DOMRectLike, ElementNode
from uiap.timeouts import CONFIRMATION_S

"""P5: no grant lives longer, whatever a policy says."""
PRESSES = frozenset({"ui.activate", "ui.submit", "ui.toggle", "app.invoke"})
OPERATIONS: dict[str, PolicyOperation] = {
    "ui.read": "read",
    "nav.navigate": "navigate",
    "ui.enterText": "write",
    "ui.clearText": "write",
    "ui.setValue": "write",
    "ui.choose": "write",
    "ui.toggle": "write",
    "ui.upload": "write",
}


class PermissionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be permitted: the action on the element that was found."""

    primitive: Primitive
    args: dict[str, Any]
    resolved: Resolved | None = None
    declared: RiskDescriptor | None = None
    """What a descriptor of the application says of the action, where there is one."""
    trusted_risk: bool = False
    """A signed bundle of the application vouches for what the page declares."""
    workflow: PolicyWorkflowContext | None = None
    box: DOMRectLike | None = None
    """Where the target was when it was last looked at."""

    @property
    def element(self) -> ElementNode | None:
        return None if self.resolved is None else self.resolved.winner.candidate.element

    @property
    def place(self) -> Surroundings:
        found = None if self.resolved is None else self.resolved.winner.candidate.place
        return found or Surroundings()


class Proceed(msgspec.Struct, frozen=True):
    by: str | None = None
    """Who confirmed it, where that was needed."""


class Ask(msgspec.Struct, frozen=True):
    payload: ActionConfirmationRequestPayload
    terms: GrantTerms
    timeout_s: float
    remember: bool = False


class HandOver(msgspec.Struct, frozen=True):
    spec: HandoffSpec | None


class Refuse(msgspec.Struct, frozen=True):
    message: str
    detail: dict[str, Any]


Answer: TypeAlias = Proceed | Ask | HandOver | Refuse


class Permission:
    """Of one action, from its first decision to its dispatch."""

    def __init__(self, handle: str, session: str, rules: Rules, principal: PolicyPrincipal) -> None:
        self.handle, self.session, self.principal = handle, session, principal
        self._rules = rules
        self._policies: PolicySet | None = None
        self._decisions = 0
        self.ruling: Ruling | None = None
        self.decision: PolicyDecision | None = None
        self.appraisal = Appraisal()
        self.asked: GrantTerms | None = None
        """What the person is or was last shown."""
        self._granted: GrantTerms | None = None
        self._granted_by: str | None = None

    def use(self, policies: PolicySet) -> None:
        """Rules that were compiled before; else they are when they are first needed."""
        self._policies = policies

    @property
    def policies(self) -> PolicySet:
        self._policies = self._policies or policy_set(self._rules)
        return self._policies

    def decide(self, matter: PermissionRequest, at: Instant) -> Answer:
        """Every time anew: the page may have changed since (companions §5.7, a preflight is advice)."""
        self.appraisal = appraise_request(matter)
        ruling = self.ruling = self.policies.decide(policy_request(matter, self.appraisal, self.principal))
        self.decision = self._decision(ruling, at)
        match ruling.effect:
            case "allow":
                return Proceed()
            case "confirm":
                return self._confirm(matter, ruling, at)
            case "handoff":
                return HandOver(ruling.handoff)
        return Refuse(refusal(ruling), {"reason": "policy_denied", "decision": decision_metadata(ruling)})

    def _confirm(self, matter: PermissionRequest, ruling: Ruling, at: Instant) -> Answer:
        spec = ruling.confirmation
        if spec is not None and spec.actor == "controller" and self.principal.type == "user":
            return Proceed(
                self.principal.id
            )  # §5.6: only where policy says so, and only an authenticated person
        now = self._bond(matter, at)
        if self._granted is not None and self._granted.covers(now) and at.mono < self._granted.expires:
            return Proceed(self._granted_by)
        given = UNSET if spec is None else spec.timeout_ms
        limit = min(CONFIRMATION_S, given / 1000 if isinstance(given, int | float) else CONFIRMATION_S)
        self.asked = msgspec.structs.replace(now, expires=at.mono + limit)
        self._granted = None
        asked = pose(self.handle, question_of(matter), ruling, self.appraisal)
        remember = spec is not None and spec.remember == "session"
        return Ask(asked.payload(), self.asked, limit, remember)

    def _bond(self, matter: PermissionRequest, at: Instant) -> GrantTerms:
        return grant_terms(
            session=self.session,
            principal=self.principal.id,
            handle=self.handle,
            action=matter.primitive.id,
            args=matter.args,
            resolved=matter.resolved,
            policy=self.policies.revision,
            asked_at=at.mono,
            box=matter.box,
        )

    def grant(self, by: str, digest: str | None) -> bool:
        """A person said yes to what was shown, and to nothing else."""
        if self.asked is None or digest not in (None, self.asked.digest):
            return False
        self._granted, self._granted_by = self.asked, by
        return True

    @property
    def confirmed(self) -> GrantTerms | None:
        """What a dispatch must be covered by, where the ruling wants a person's word for it."""
        if self.ruling is None or self.ruling.effect != "confirm":
            return None
        return self._granted

    @property
    def needs_grant(self) -> bool:
        """A person other than the caller must have confirmed it before anything is sent."""
        spec = None if self.ruling is None else self.ruling.confirmation
        own = spec is not None and spec.actor == "controller" and self.principal.type == "user"
        return self.ruling is not None and self.ruling.effect == "confirm" and not own

    # -- what the rules oblige to, beyond yes and no --------------------------------------------------------

    def limited(self, modes: tuple[ExecutionMode, ...]) -> tuple[ExecutionMode, ...]:
        """`limitExecutionModes`: the modes that every rule leaves."""
        for one in self.obligations:
            if isinstance(one, LimitExecutionModesObligation):
                modes = tuple(mode for mode in modes if mode in one.modes)
        return modes

    def demanded(self, spec: VerificationSpec | None) -> VerificationSpec | None:
        """`requireVerification`: not less than the rules ask for; `all` outranks `any`."""
        asked = {o.policy for o in self.obligations if isinstance(o, RequireVerificationObligation)}
        if not asked:
            return spec
        given = VerificationSpec() if spec is None else spec
        if "all" in asked or given.policy == "all":
            # without signals of its own the action's minimum counts, which is already all of it
            policy: VerificationPolicy = "all" if given.signals else "capability-default"
        else:
            policy = (
                "any" if given.policy == "none" and given.signals else given.policy or "capability-default"
            )
            policy = "capability-default" if policy == "none" else policy
        return msgspec.structs.replace(given, policy=policy)

    @property
    def obligations(self) -> tuple[PolicyObligation, ...]:
        return () if self.ruling is None else self.ruling.obligations

    def _decision(self, ruling: Ruling, at: Instant) -> PolicyDecision:
        self._decisions += 1
        return decision(
            ruling, f"dec_{self.handle.rpartition('_')[2]}_{self._decisions}", at.wall, self.policies.revision
        )


def decision(ruling: Ruling, id: str, wall: str, revision: str) -> PolicyDecision:
    """A ruling in the words of the wire."""
    return PolicyDecision(
        decision_id=id,
        effect=ruling.effect,
        reason=ruling.reason,
        message=ruling.message or f"decided by {ruling.decided_by}",
        matched_rules=ruling.matched_rules,
        missing_grants=ruling.missing_grants or UNSET,
        obligations=ruling.obligations,
        confirmation=ruling.confirmation or UNSET,
        handoff=ruling.handoff or UNSET,
        evaluated_at=wall,
        policy_revision=revision,
    )


def decision_metadata(ruling: Ruling) -> dict[str, Any]:
    """The decision as a result's metadata tells it."""
    said: dict[str, Any] = {"effect": ruling.effect, "reason": ruling.reason, "decidedBy": ruling.decided_by}
    if ruling.missing_grants:
        said["missingGrants"] = list(ruling.missing_grants)
    return said


def refusal(ruling: Ruling) -> str:
    missing = f"; it needs {', '.join(ruling.missing_grants)}" if ruling.missing_grants else ""
    return ruling.message or f"policy does not allow it ({ruling.reason}: {ruling.decided_by}{missing})"


def appraise_request(matter: PermissionRequest) -> Appraisal:
    element = matter.element
    effect = matter.primitive.effect(element, matter.args)
    if element is None:
        return _unplaced(matter, effect)
    said = [one for one in (element.name, element.text, element.description) if one]
    evidence = RiskEvidence(
        label=" ".join(skeleton(one) for one in said),
        place=skeleton(matter.place.surface),
        presses=matter.primitive.id in PRESSES or matter.primitive.id.startswith("x.uiap."),
        deceptive=_deceptive(element, said),
    )
    found = appraise(element, effect, evidence, declared=matter.declared, trusted_risk=matter.trusted_risk)
    return found if matter.primitive.trusted else msgspec.structs.replace(found, explicit=False)


def _deceptive(element: ElementNode, said: list[str]) -> str:
    """H6: look-alike letters, or a label whose words are not among those it is called by (WCAG label in name)."""
    if any(has_mixed_scripts(one) for one in said):
        return "its name mixes look-alike letters of several scripts"
    seen, called = (_words(one) for one in (element.text, element.name))
    if seen and called and seen.isdisjoint(called):
        return f"it shows “{element.text}” but is called “{element.name}”"
    return ""


def _words(text: str | UnsetType) -> set[str]:
    return set() if text is UNSET else {word for word in re.findall(r"\w+", skeleton(text)) if len(word) > 1}


def _unplaced(matter: PermissionRequest, effect: SideEffectClass) -> Appraisal:
    """Without a target only the action itself can be judged: what a page calls its own tells what it may do (P7)."""
    if matter.primitive.trusted:
        return appraise(None, effect, RiskEvidence(), declared=matter.declared)
    evidence = RiskEvidence(label=skeleton(identifier_words(matter.primitive.id)), presses=True)
    found = appraise(None, effect, evidence, declared=matter.declared)
    return msgspec.structs.replace(found, explicit=False)


def policy_request(
    matter: PermissionRequest, appraisal: Appraisal, principal: PolicyPrincipal
) -> PolicyRequest:
    """Everything a rule can match, of this action by this principal."""
    element, place = matter.element, matter.place
    flow = matter.workflow
    return PolicyRequest(
        principal_type=principal.type,
        principal_id=principal.id,
        principal_roles=frozenset(principal.roles or ()),
        grants=frozenset(principal.grants or ()),
        operation=OPERATIONS.get(matter.primitive.id, "act"),
        action_id=matter.primitive.id,
        action_kind=matter.primitive.kind,
        side_effect=appraisal.side_effect,
        side_effect_basis=appraisal.basis,
        risk_level=appraisal.level,
        risk_explicit=appraisal.explicit,
        risk_tags=appraisal.tags,
        role=None if element is None else element.role,
        stable_id=None if element is None else element.stable_id or None,
        meaning=None if element is None else element.meaning or None,
        scope_id=place.scope_id,
        scope_kind=place.scope_kind,
        route_id=place.route_id,
        origin=place.origin,
        data_classes=appraisal.data_classes,
        workflow_id=None if flow is None else flow.workflow_id,
        interaction_mode=None if flow is None else flow.mode or None,
    )


def question_of(matter: PermissionRequest) -> Question:
    return Question(action_id=matter.primitive.id, args=matter.args, resolved=matter.resolved)
