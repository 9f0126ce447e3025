"""From a case to an effect, deterministically: the nine steps of companions §5.6, and the deciding rule by name.

Rules may make things stricter or laxer, but never laxer than the floors; several documents compose to the strictest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from uiap.digests import json_digest
from uiap.policy.cedar import cedar_of
from uiap.policy.request import PolicyRequest
from uiap.policy.table import MAX_CACHED, CompiledRule, RuleTable
from uiap.policy.texts import plain_text
from uiap.spec.policy import (
    DATA_CLASS_RULES,
    POLICY_DEFAULTS,
    POLICY_EFFECTS,
    SIDE_EFFECT_RULES,
    UNKNOWN_DATA_CLASS_RULE,
    ConfirmationSpec,
    HandoffSpec,
    PolicyDefaults,
    PolicyDocument,
    PolicyEffect,
    PolicyGrant,
    PolicyObligation,
    PolicyReason,
)

T = TypeVar("T")
_STRICTNESS = {effect: rank for rank, effect in enumerate(POLICY_EFFECTS)}
_TAG_GRANTS: dict[str, PolicyGrant] = {
    "privileged": "admin",
    "billing": "billing",
    "identity": "identity",
    "security": "security",
}
_GUARDED_CLASSES = frozenset({"credential", "secret", "payment"})
DECISION_LIMIT_S = 0.01
USER = ConfirmationSpec(actor="user")
BY_POLICY = HandoffSpec(reason="policy")


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided and why. `decided_by` names the rule, default or floor that had the last word."""

    effect: PolicyEffect
    reason: PolicyReason
    decided_by: str
    matched_rules: tuple[str, ...] = ()
    missing_grants: tuple[PolicyGrant, ...] = ()
    obligations: tuple[PolicyObligation, ...] = ()
    confirmation: ConfirmationSpec | None = None
    handoff: HandoffSpec | None = None
    message: str | None = None


class _Step(msgspec.Struct, frozen=True):
    effect: PolicyEffect
    reason: PolicyReason
    by: str


def _strictest(*steps: _Step) -> _Step:
    """The first of the strictest, so that the order of steps, not of rules, breaks ties."""
    return max(steps, key=lambda step: _STRICTNESS[step.effect])


class PolicySet:
    """All documents in force."""

    def __init__(
        self, documents: tuple[PolicyDocument, ...], *, seconds: Callable[[], float] | None = None
    ) -> None:
        """`seconds`: the processor time of whoever asks; then a decision that takes too long is a no (P8)."""
        self.documents, self._seconds = documents, seconds
        self.revision = "pol_" + json_digest(documents)[:16]
        self._evaluators = [_Evaluator(document) for document in documents]

    @property
    def audits_fully(self) -> bool:
        """Does a document want arguments in its audit?"""
        return any(one.audit is not UNSET and one.audit.level == "full" for one in self.documents)

    def decide(self, case: PolicyRequest) -> Ruling:
        """Step 9: each document decides, the strictest counts. Without documents nothing is allowed."""
        if not self._evaluators:
            return Ruling(effect="deny", reason="default", decided_by="no policy is in force")
        if self._seconds is None:
            return self._decided(case)
        for _ in range(2):  # a pause of the interpreter is not the policy's fault: it is asked once more
            begun = self._seconds()
            ruling = self._decided(case)
            if self._seconds() - begun <= DECISION_LIMIT_S:
                return ruling
        return Ruling(effect="deny", reason="default", decided_by="evaluation took longer than 10 ms")

    def _decided(self, case: PolicyRequest) -> Ruling:
        try:
            rulings = [evaluator.decide(case) for evaluator in self._evaluators]
        except Exception as error:  # P8: what cannot be decided is not allowed
            return Ruling(
                effect="deny", reason="default", decided_by=f"evaluation failed: {type(error).__name__}"
            )
        if len(rulings) == 1:
            return rulings[0]
        strictest = max(rulings, key=lambda ruling: _STRICTNESS[ruling.effect])
        return msgspec.structs.replace(
            strictest,
            matched_rules=tuple(rule for ruling in rulings for rule in ruling.matched_rules),
            obligations=_distinct(o for ruling in rulings for o in ruling.obligations),
        )


class _Matched(msgspec.Struct, frozen=True, kw_only=True):
    """What one set of matching rules comes to; the same for every case that matches them."""

    names: tuple[str, ...] = ()
    step: _Step | None = None
    obligations: tuple[PolicyObligation, ...] = ()
    confirmation: ConfirmationSpec = USER
    handoff: HandoffSpec = BY_POLICY
    messages: dict[str, str] = {}


class _Evaluator:
    def __init__(self, document: PolicyDocument) -> None:
        self._id = document.id
        given = document.defaults
        self._defaults = _filled(given)
        self._table = RuleTable(() if document.rules is UNSET else document.rules)
        self._limit = given.confirmation_timeout_ms
        self._known: dict[int, _Matched] = {}
        self._cedar = cedar_of(document)

    def decide(self, case: PolicyRequest) -> Ruling:
        """Our own steps, and Cedar's word where the document has one: the stricter counts."""
        own = self._own(case)
        if self._cedar is None:
            return own
        effect, by = self._cedar.decide(case)
        if _STRICTNESS[effect] <= _STRICTNESS[own.effect]:
            return own
        return msgspec.structs.replace(
            own,
            effect=effect,
            reason="rule",
            decided_by=f"{self._id}/{by}",
            confirmation=USER if effect == "confirm" else None,
            handoff=BY_POLICY if effect == "handoff" else None,
            message=None,
        )

    def _own(self, case: PolicyRequest) -> Ruling:
        if case.opaque:
            return _stop(_Step("deny", "platform_boundary", "platform boundary"))
        unknown = self._unknown_action(case)
        if unknown is not None and unknown.effect == "deny":
            return _stop(unknown)
        missing = _missing(case)
        if missing:
            effect: PolicyEffect = self._defaults.on_missing_grant or "deny"
            return _stop(_Step(effect, "missing_grant", "missing grants"), missing)
        matched = self._matched(self._table.matching(case))
        step = _floors(case, matched.step or self._base(case, unknown))
        return Ruling(
            effect=step.effect,
            reason=step.reason,
            decided_by=step.by,
            matched_rules=matched.names,
            obligations=matched.obligations,
            confirmation=matched.confirmation if step.effect == "confirm" else None,
            handoff=matched.handoff if step.effect == "handoff" else None,
            message=matched.messages.get(step.by),
        )

    def _unknown_action(self, case: PolicyRequest) -> _Step | None:
        if case.action_known:
            return None
        effect = self._defaults.on_unknown_action or "deny"
        return _Step(effect, "unknown_action", "defaults.onUnknownAction")

    def _base(self, case: PolicyRequest, unknown: _Step | None) -> _Step:
        """Step 4: the strictest of risk, side effect, data classes and certainty."""
        steps = [self._risk(case)]
        steps += [unknown] if unknown is not None else []
        side_effect = _side_effect(case, known=unknown is None)
        steps += [side_effect] if side_effect is not None else []
        steps += [_Step(e, "data_class", f"data class {c}") for c, e in _write_effects(case)]
        if not case.target_certain:
            effect = self._defaults.on_unknown_target or "confirm"
            steps.append(_Step(effect, "unknown_target", "defaults.onUnknownTarget"))
        return _strictest(*steps)

    def _risk(self, case: PolicyRequest) -> _Step:
        match case.risk_level:
            case "safe":
                return _Step(self._defaults.on_safe or "allow", "default", "risk safe")
            case "confirm":
                return _Step(self._defaults.on_confirm or "confirm", "risk_confirm", "risk confirm")
            case "blocked":
                return _Step(self._defaults.on_blocked or "deny", "risk_blocked", "risk blocked")

    def _matched(self, found: int) -> _Matched:
        known = self._known.get(found)
        if known is None:
            known = self._joined(self._table.rules(found))
            if len(self._known) >= MAX_CACHED:
                self._known.clear()
            self._known[found] = known
        return known

    def _joined(self, matched: tuple[CompiledRule, ...]) -> _Matched:
        """Steps 5 and 8: the highest priority decides, the strictest of it; obligations of all."""
        ranked = sorted(matched, key=lambda one: -one.priority)
        given = next((o.rule.confirmation for o in ranked if o.rule.confirmation is not UNSET), UNSET)
        confirmation = _or(given, USER)
        if confirmation.timeout_ms is UNSET and self._limit is not UNSET:
            confirmation = msgspec.structs.replace(confirmation, timeout_ms=self._limit)
        return _Matched(
            names=tuple(f"{self._id}/{one.rule.id}" for one in matched),
            step=self._by_rules(matched),
            obligations=_distinct(o for one in matched for o in (one.rule.obligations or ())),
            confirmation=confirmation,
            handoff=_or(
                next((o.rule.handoff for o in ranked if o.rule.handoff is not UNSET), UNSET), BY_POLICY
            ),
            messages={
                f"{self._id}/{o.rule.id}": plain_text(o.rule.message)
                for o in matched
                if o.rule.message is not UNSET
            },
        )

    def _by_rules(self, matched: tuple[CompiledRule, ...]) -> _Step | None:
        """Step 5: the highest priority present, and the strictest among those."""
        if not matched:
            return None
        top = max(one.priority for one in matched)
        deciding = [one.rule for one in matched if one.priority == top]
        rule = max(deciding, key=lambda r: _STRICTNESS[r.effect])
        return _Step(rule.effect, "rule" if rule.reason is UNSET else rule.reason, f"{self._id}/{rule.id}")


def _filled(given: PolicyDefaults) -> PolicyDefaults:
    """What the document says, and the companions' defaults for the rest."""
    said = {name: value for name in given.__struct_fields__ if (value := getattr(given, name)) is not UNSET}
    return msgspec.structs.replace(POLICY_DEFAULTS, **said)


def _or(given: T | UnsetType, default: T) -> T:
    return default if given is UNSET else given


def _stop(step: _Step, missing: tuple[PolicyGrant, ...] = ()) -> Ruling:
    return Ruling(
        effect=step.effect,
        reason=step.reason,
        decided_by=step.by,
        missing_grants=missing,
        handoff=BY_POLICY if step.effect == "handoff" else None,
        confirmation=USER if step.effect == "confirm" else None,
    )


def _missing(case: PolicyRequest) -> tuple[PolicyGrant, ...]:
    """Step 3: grants of the side effect, of the risk tags, and of the data classes that are written."""
    needed: set[PolicyGrant] = set(SIDE_EFFECT_RULES[case.side_effect].grants)
    needed |= {_TAG_GRANTS[tag] for tag in case.risk_tags if tag in _TAG_GRANTS}
    if "sensitive_data" in case.risk_tags:
        needed.add("write.sensitive" if case.writes else "read.sensitive")
    if case.writes:
        for name in case.data_classes:
            needed |= DATA_CLASS_RULES.get(name, UNKNOWN_DATA_CLASS_RULE).write
    return tuple(sorted(needed - case.grants))


def _side_effect(case: PolicyRequest, *, known: bool) -> _Step | None:
    """Step 4b: a merely inferred write or unknown counts only where the risk is not explicitly safe."""
    effect_class = case.side_effect if known else "unknown"
    inferred = case.side_effect_basis == "inferred" and effect_class in ("data_write", "unknown")
    if known and inferred and case.risk_explicit and case.risk_level == "safe":
        return None
    return _Step(SIDE_EFFECT_RULES[effect_class].effect, "side_effect", f"side effect {effect_class}")


def _write_effects(case: PolicyRequest) -> list[tuple[str, PolicyEffect]]:
    if not case.writes:
        return []
    rules = (
        (name, DATA_CLASS_RULES.get(name, UNKNOWN_DATA_CLASS_RULE)) for name in sorted(case.data_classes)
    )
    return [(name, rule.write_effect) for name, rule in rules if rule.write_effect is not None]


def _floors(case: PolicyRequest, step: _Step) -> _Step:
    """Steps 6 and 7: what no rule can lower (CAP-8.2, ACT-5.3)."""
    floors = []
    if case.risk_level == "blocked":
        floors.append(_Step("handoff", "risk_blocked", "floor: risk blocked"))
    if case.risk_level == "confirm":
        floors.append(_Step("confirm", "risk_confirm", "floor: risk confirm"))
    if case.writes and not _GUARDED_CLASSES.isdisjoint(case.data_classes):
        floors.append(_Step("confirm", "data_class", "floor: guarded data"))
    needs = SIDE_EFFECT_RULES[case.side_effect].grants
    if case.interaction_mode == "guide" and not needs <= {"observe", "guide"}:
        floors.append(_Step("handoff", "workflow_mode", "floor: workflow mode guide"))
    if case.interaction_mode == "assist" and "act" in needs:
        floors.append(_Step("confirm", "workflow_mode", "floor: workflow mode assist"))
    return _strictest(step, *floors)


def _distinct(obligations: Iterable[PolicyObligation]) -> tuple[PolicyObligation, ...]:
    kept: list[PolicyObligation] = []
    for obligation in obligations:
        if obligation not in kept:
            kept.append(obligation)
    return tuple(kept)
