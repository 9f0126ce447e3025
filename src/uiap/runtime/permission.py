"""Permission of one action: the ruling of policy, and the grant of a person.

It decides on the resolved target. It asks nobody itself and knows no key. A grant is valid for exactly the terms that
were shown (`GrantTerms`); if one of them changes, the person is asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from uiap.actions.primitive import Primitive
from uiap.instant import Instant
from uiap.lookalikes import has_direction_marks, has_mixed_scripts, skeleton
from uiap.policy.appraisal import Appraisal, RiskEvidence, appraise
from uiap.policy.builtin import Rules, policy_set
from uiap.policy.evaluate import PolicySet, Ruling
from uiap.policy.lexicon import meaning_of
from uiap.policy.obligation_names import SETTLED
from uiap.policy.origins import SessionOrigins
from uiap.policy.request import PolicyRequest
from uiap.runtime.confirmation import Question, pose
from uiap.runtime.gesture import GestureRisk, gesture_risk
from uiap.runtime.grant_kind import GrantKind, grant_kind
from uiap.runtime.grant_terms import GrantTerms, grant_terms
from uiap.runtime.resolve import Resolved
from uiap.runtime.surroundings import Field, Surroundings
from uiap.spec.action import ActionConfirmationRequestPayload, VerificationPolicy, VerificationSpec
from uiap.spec.capability import ExecutionMode, RiskDescriptor
from uiap.spec.policy import (
    CustomObligation,
    HandoffSpec,
    LimitExecutionModesObligation,
    PolicyDecision,
    PolicyObligation,
    PolicyOperation,
    PolicyPrincipal,
    PolicyWorkflowContext,
    RequireVerificationObligation,
)
from uiap.spec.web import DOMRectLike, ElementNode
from uiap.timeouts import CONFIRMATION_S

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
    """The action and the element that permission is asked for."""

    primitive: Primitive
    args: dict[str, Any]
    resolved: Resolved | None = None
    declared: RiskDescriptor | None = None
    """The risk that the descriptor of the action declares."""
    trusted_risk: bool = False
    """A signed bundle confirms the risk that the page declares."""
    workflow: PolicyWorkflowContext | None = None
    box: DOMRectLike | None = None
    """The box of the target at the last probe."""
    origins: SessionOrigins = SessionOrigins()

    @property
    def element(self) -> ElementNode | None:
        return None if self.resolved is None else self.resolved.winner.candidate.element

    @property
    def surroundings(self) -> Surroundings:
        found = None if self.resolved is None else self.resolved.winner.candidate.surroundings
        return found or Surroundings()


class Proceed(msgspec.Struct, frozen=True):
    by: str | None = None
    """The person who confirmed it, if one was asked."""


class Ask(msgspec.Struct, frozen=True):
    payload: ActionConfirmationRequestPayload
    terms: GrantTerms
    timeout_s: float
    remember: bool = False
    fields: tuple[Field, ...] = ()
    kind: GrantKind | None = None
    """The kind that the person may allow for the rest of the session."""


class HandOver(msgspec.Struct, frozen=True):
    spec: HandoffSpec | None


class Refuse(msgspec.Struct, frozen=True):
    message: str
    detail: dict[str, Any]


Answer: TypeAlias = Proceed | Ask | HandOver | Refuse


class Permission:
    """The permission of one action, from its first decision to its dispatch."""

    def __init__(self, handle: str, session: str, rules: Rules, principal: PolicyPrincipal) -> None:
        self.handle, self.session, self.principal = handle, session, principal
        self._rules = rules
        self._policies: PolicySet | None = None
        self._decisions = 0
        self.ruling: Ruling | None = None
        self.decision: PolicyDecision | None = None
        self.appraisal = Appraisal()
        self.asked: GrantTerms | None = None
        """The terms that the person was shown last."""
        self._granted: GrantTerms | None = None
        self._granted_by: str | None = None

    def use(self, policies: PolicySet) -> None:
        """Use rules that are already compiled."""
        self._policies = policies

    @property
    def policies(self) -> PolicySet:
        self._policies = self._policies or policy_set(self._rules)
        return self._policies

    def decide(self, request: PermissionRequest, at: Instant) -> Answer:
        """Decide on the request as it is now. An earlier decision or preflight does not count."""
        self.appraisal = appraise_request(request)
        ruling = self.ruling = self.policies.decide(policy_request(request, self.appraisal, self.principal))
        self.decision = self._decision(ruling, at)
        match ruling.effect:
            case "allow":
                return Proceed()
            case "confirm":
                return self._confirm(request, ruling, at)
            case "handoff":
                return HandOver(ruling.handoff)
        return Refuse(refusal(ruling), {"reason": "policy_denied", "decision": decision_metadata(ruling)})

    def _confirm(self, request: PermissionRequest, ruling: Ruling, at: Instant) -> Answer:
        spec = ruling.confirmation
        if spec is not None and spec.actor == "controller" and self.principal.type == "user":
            return Proceed(
                self.principal.id
            )  # policy lets this authenticated person confirm their own action
        now = self._bond(request, at)
        if self._granted is not None and self._granted.covers(now) and at.mono < self._granted.expires:
            return Proceed(self._granted_by)
        given = UNSET if spec is None else spec.timeout_ms
        limit = min(CONFIRMATION_S, given / 1000 if isinstance(given, int | float) else CONFIRMATION_S)
        self.asked = msgspec.structs.replace(now, expires=at.mono + limit)
        self._granted = None
        crossing = _crossing(request, self.appraisal) if self.principal.type == "agent" else ""
        asked = pose(self.handle, question_of(request), ruling, self.appraisal, crossing)
        remember = spec is not None and spec.remember == "session"
        return Ask(
            asked.payload(), self.asked, limit, remember, request.surroundings.fields, self._kind(request)
        )

    def _kind(self, request: PermissionRequest) -> GrantKind | None:
        """Return what the person may allow for the session. A crossing is answered once."""
        if self.principal.type == "agent" and _crossing(request, self.appraisal):
            return None
        args, around = request.args, request.surroundings
        return grant_kind(request.primitive.id, args, request.element, around, self.appraisal)

    def _bond(self, request: PermissionRequest, at: Instant) -> GrantTerms:
        return grant_terms(
            session=self.session,
            principal=self.principal.id,
            handle=self.handle,
            action=request.primitive.id,
            args=request.args,
            resolved=request.resolved,
            policy=self.policies.revision,
            asked_at=at.mono,
            box=request.box,
        )

    def grant(self, by: str, digest: str | None) -> bool:
        """Take a person's grant. Return False if it is for other terms than the last ones shown."""
        if self.asked is None or digest not in (None, self.asked.digest):
            return False
        self._granted, self._granted_by = self.asked, by
        return True

    @property
    def confirmed(self) -> GrantTerms | None:
        """The grant that must cover the dispatch, if the ruling asks for a confirmation."""
        if self.ruling is None or self.ruling.effect != "confirm":
            return None
        return self._granted

    @property
    def needs_grant(self) -> bool:
        """Return whether a person other than the caller must confirm before dispatch."""
        spec = None if self.ruling is None else self.ruling.confirmation
        own = spec is not None and spec.actor == "controller" and self.principal.type == "user"
        return self.ruling is not None and self.ruling.effect == "confirm" and not own

    # -- obligations ----------------------------------------------------------------------------------------

    def limited(self, modes: tuple[ExecutionMode, ...]) -> tuple[ExecutionMode, ...]:
        """Return the modes that every `limitExecutionModes` obligation allows."""
        for one in self.obligations:
            if isinstance(one, LimitExecutionModesObligation):
                modes = tuple(mode for mode in modes if mode in one.modes)
        return modes

    @property
    def mode_order(self) -> tuple[ExecutionMode, ...]:
        """Return the order that the first `limitExecutionModes` obligation sets; empty without one (ACT-7d)."""
        limits = (o for o in self.obligations if isinstance(o, LimitExecutionModesObligation))
        return next((one.modes for one in limits), ())

    @property
    def must_settle(self) -> bool:
        """Return whether a rule demands that all work of the action has ended before it counts as succeeded."""
        return any(isinstance(o, CustomObligation) and o.name == SETTLED for o in self.obligations)

    def demanded(self, spec: VerificationSpec | None) -> VerificationSpec | None:
        """Return the verification with at least the policy that `requireVerification` obligations ask for."""
        asked = {o.policy for o in self.obligations if isinstance(o, RequireVerificationObligation)}
        if not asked:
            return spec
        given = VerificationSpec() if spec is None else spec
        if "all" in asked or given.policy == "all":
            # without own signals the minimum of the action applies, which demands all of it already
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
    """Return a ruling as its wire payload."""
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
    """Return the decision as the metadata of a result."""
    metadata: dict[str, Any] = {
        "effect": ruling.effect,
        "reason": ruling.reason,
        "decidedBy": ruling.decided_by,
    }
    if ruling.missing_grants:
        metadata["missingGrants"] = list(ruling.missing_grants)
    return metadata


def refusal(ruling: Ruling) -> str:
    missing = f"; it needs {', '.join(ruling.missing_grants)}" if ruling.missing_grants else ""
    return ruling.message or f"policy does not allow it ({ruling.reason}: {ruling.decided_by}{missing})"


def appraise_request(request: PermissionRequest) -> Appraisal:
    """Return the risk of the planned gestures on the element that they reach."""
    risk = gesture_risk(request.primitive, request.element, request.args, request.surroundings)
    found = appraise(
        request.element,
        risk.effect,
        _evidence(request, risk),
        declared=request.declared,
        trusted_risk=request.trusted_risk,
    )
    because = (*found.because, *_declared_reasons(request))
    found = msgspec.structs.replace(found, routine=_is_routine(risk, found), because=because)
    return found if request.primitive.trusted else msgspec.structs.replace(found, explicit=False)


def _declared_reasons(request: PermissionRequest) -> Iterator[str]:
    """Yield the reasons that the application gives for a risk. Words of a page are not shown to a person."""
    if request.primitive.trusted and request.declared is not None and request.declared.reason:
        yield request.declared.reason
    element = request.element
    if request.trusted_risk and element is not None and element.risk is not UNSET and element.risk.reason:
        yield element.risk.reason


def _is_routine(risk: GestureRisk, found: Appraisal) -> bool:
    """Return whether the gestures are routine, and nothing that was declared or inferred raises the risk."""
    return risk.routine and found.level == "safe" and found.basis == "inferred"


def _evidence(request: PermissionRequest, risk: GestureRisk) -> RiskEvidence:
    element = request.element
    if element is None:  # only the id of an action of the page says what it does
        label = "" if request.primitive.trusted else request.primitive.id
        return RiskEvidence(label=label, others=risk.labels, presses=not request.primitive.trusted)
    texts = [one for one in (element.name, element.text, element.description) if one]
    return RiskEvidence(
        label=" ".join(texts),
        others=risk.labels,
        surroundings=request.surroundings.surface if risk.effect not in ("ui_state", "draft", "none") else "",
        presses=risk.presses,
        deceptive=_deceptive(element, texts),
    )


def _deceptive(element: ElementNode, texts: list[str]) -> str:
    """Return why the label may deceive a person, or "": a disguise, or a name that is not what it shows."""
    seen, called = (_words(one) for one in (element.text, element.name))
    if seen and called and seen.isdisjoint(called):
        return f"it shows “{element.text}” but is called “{element.name}”"
    dropped = element.metadata.get("directionMarks") if isinstance(element.metadata, dict) else None
    if dropped or any(has_direction_marks(one) for one in texts):
        return "its name has marks that reorder the text"
    if any(has_mixed_scripts(one) for one in texts):
        return "its name mixes look-alike letters of several scripts"
    return next((why for one in texts if (why := meaning_of(one).disguise)), "")


def _words(text: str | UnsetType) -> set[str]:
    return set() if text is UNSET else {word for word in re.findall(r"\w+", skeleton(text)) if len(word) > 1}


def policy_request(
    request: PermissionRequest, appraisal: Appraisal, principal: PolicyPrincipal
) -> PolicyRequest:
    """Return every fact that a rule can match."""
    element, around = request.element, request.surroundings
    flow = request.workflow
    return PolicyRequest(
        principal_type=principal.type,
        principal_id=principal.id,
        principal_roles=frozenset(principal.roles or ()),
        grants=frozenset(principal.grants or ()),
        operation=OPERATIONS.get(request.primitive.id, "act"),
        action_id=request.primitive.id,
        action_kind=request.primitive.kind,
        side_effect=appraisal.side_effect,
        side_effect_basis=appraisal.basis,
        routine=appraisal.routine,
        risk_level=appraisal.level,
        risk_explicit=appraisal.explicit,
        risk_tags=appraisal.tags,
        role=None if element is None else element.role,
        stable_id=None if element is None else element.stable_id or None,
        meaning=None if element is None else element.meaning or None,
        scope_id=around.scope_id,
        scope_kind=around.scope_kind,
        route_id=around.route_id,
        origin=around.origin,
        data_classes=appraisal.data_classes,
        named_secret=_names_secret(request.args),
        workflow_id=None if flow is None else flow.workflow_id,
        interaction_mode=None if flow is None else flow.mode or None,
        crossing=_crossing(request, appraisal) if principal.type == "agent" else "",
    )


def _names_secret(args: dict[str, Any]) -> bool:
    """Return whether the text is a secret by its name (`{"secret": "crm-password"}`)."""
    text = args.get("text")
    return isinstance(text, dict) and set(text) == {"secret"}


def _crossing(request: PermissionRequest, appraisal: Appraisal) -> str:
    """Return the crossing of an action. To go to another origin is free, as it is by a link: acting there asks."""
    around = request.surroundings
    return request.origins.action_crossing(around.origin, appraisal.side_effect, around.carried_from)


def question_of(request: PermissionRequest) -> Question:
    primitive = request.primitive
    is_titled = primitive.kind == "domain" and primitive.trusted and primitive.title != primitive.id
    return Question(
        action_id=primitive.id,
        args=request.args,
        resolved=request.resolved,
        title=": ".join(one for one in (primitive.title, primitive.description) if one) if is_titled else "",
    )
