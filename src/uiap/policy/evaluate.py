"""Evaluation of a request: nine deterministic steps to an effect, with the name of the rule that decided.

1. Platform boundary. 2. Unknown action. 3. Missing grants. 4. Defaults for risk, side effect, data classes and
uncertain targets. 5. Rules of the highest priority. 6. and 7. Floors that no rule can lower. 8. Obligations of all
matching rules. 9. Several documents: the strictest ruling counts.
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
ROUTINE = "routine"
"""The member of a document's metadata that lets routine steps go: `routine: allow`."""
BY_POLICY = HandoffSpec(reason="policy")


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """The decision and its reason. `decided_by` names the rule, default or floor that decided."""

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


_ROUTINE_STEP = _Step("allow", "default", "routine step")


def _strictest(*steps: _Step) -> _Step:
    """Return the first of the strictest steps. Ties are broken by the order of steps, not of rules."""
    return max(steps, key=lambda step: _STRICTNESS[step.effect])


class PolicySet:
    """All documents in force."""

    def __init__(
        self, documents: tuple[PolicyDocument, ...], *, cpu_seconds: Callable[[], float] | None = None
    ) -> None:
        """Compile the documents. `cpu_seconds` returns CPU time; with it, a decision that is too slow is a denial."""
        self.documents, self._cpu_seconds = documents, cpu_seconds
        self.revision = "pol_" + json_digest(documents)[:16]
        self._evaluators = [_Evaluator(document) for document in documents]

    @property
    def audits_fully(self) -> bool:
        """Whether a document asks for action arguments in the audit log."""
        return any(one.audit is not UNSET and one.audit.level == "full" for one in self.documents)

    def decide(self, request: PolicyRequest) -> Ruling:
        """Return the strictest ruling of all documents (step 9). Without documents nothing is allowed."""
        if not self._evaluators:
            return Ruling(effect="deny", reason="default", decided_by="no policy is in force")
        if self._cpu_seconds is None:
            return self._decide_now(request)
        for _ in range(2):  # the first attempt may be slow because of a pause of the interpreter
            begun = self._cpu_seconds()
            ruling = self._decide_now(request)
            if self._cpu_seconds() - begun <= DECISION_LIMIT_S:
                return ruling
        return Ruling(effect="deny", reason="default", decided_by="evaluation took longer than 10 ms")

    def _decide_now(self, request: PolicyRequest) -> Ruling:
        try:
            rulings = [evaluator.decide(request) for evaluator in self._evaluators]
        except Exception as error:  # a request that cannot be evaluated is denied
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


class _MatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one set of matching rules, the same for every request that matches them."""

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
        self._defaults = _with_defaults(given)
        self._table = RuleTable(() if document.rules is UNSET else document.rules)
        self._confirmation_timeout_ms = given.confirmation_timeout_ms
        self._cache: dict[int, _MatchResult] = {}
        self._cedar = cedar_of(document)
        self._lets_routine_go = (document.metadata or {}).get(ROUTINE) == "allow"

    def decide(self, request: PolicyRequest) -> Ruling:
        """Return the stricter of our own ruling and that of the document's Cedar policies."""
        ruling = self._decide_by_steps(request)
        if self._cedar is None:
            return ruling
        effect, by = self._cedar.decide(request)
        if _STRICTNESS[effect] <= _STRICTNESS[ruling.effect]:
            return ruling
        return msgspec.structs.replace(
            ruling,
            effect=effect,
            reason="rule",
            decided_by=f"{self._id}/{by}",
            confirmation=USER if effect == "confirm" else None,
            handoff=BY_POLICY if effect == "handoff" else None,
            message=None,
        )

    def _decide_by_steps(self, request: PolicyRequest) -> Ruling:
        if request.opaque:
            return _final(_Step("deny", "platform_boundary", "platform boundary"))
        unknown = self._unknown_action(request)
        if unknown is not None and unknown.effect == "deny":
            return _final(unknown)
        missing_grants = _missing_grants(request)
        if missing_grants:
            effect: PolicyEffect = self._defaults.on_missing_grant or "deny"
            return _final(_Step(effect, "missing_grant", "missing grants"), missing_grants)
        matched = self._matched(self._table.matching(request))
        step = _with_floors(request, matched.step or self._default_step(request, unknown))
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

    def _unknown_action(self, request: PolicyRequest) -> _Step | None:
        if request.action_known:
            return None
        effect = self._defaults.on_unknown_action or "deny"
        return _Step(effect, "unknown_action", "defaults.onUnknownAction")

    def _default_step(self, request: PolicyRequest, unknown: _Step | None) -> _Step:
        """Step 4: return the strictest of risk, side effect, data classes and uncertain target."""
        side_effect = self._side_effect_step(request, known_action=unknown is None)
        steps = [_ROUTINE_STEP] if side_effect is _ROUTINE_STEP else []
        steps += [self._risk_step(request)]
        steps += [unknown] if unknown is not None else []
        steps += [side_effect] if side_effect is not None else []
        steps += [_Step(e, "data_class", f"data class {c}") for c, e in _write_effects(request)]
        if not request.target_certain:
            effect = self._defaults.on_unknown_target or "confirm"
            steps.append(_Step(effect, "unknown_target", "defaults.onUnknownTarget"))
        return _strictest(*steps)

    def _side_effect_step(self, request: PolicyRequest, *, known_action: bool) -> _Step | None:
        """Step 4b. A routine step goes, if the document says so and the side effect would only ask."""
        step = _side_effect_step(request, known_action=known_action)
        asks = step is not None and step.effect == "confirm"
        if asks and self._lets_routine_go and request.routine and known_action:
            return _ROUTINE_STEP
        return step

    def _risk_step(self, request: PolicyRequest) -> _Step:
        match request.risk_level:
            case "safe":
                return _Step(self._defaults.on_safe or "allow", "default", "risk safe")
            case "confirm":
                return _Step(self._defaults.on_confirm or "confirm", "risk_confirm", "risk confirm")
            case "blocked":
                return _Step(self._defaults.on_blocked or "deny", "risk_blocked", "risk blocked")

    def _matched(self, found: int) -> _MatchResult:
        cached = self._cache.get(found)
        if cached is None:
            cached = self._combine(self._table.rules(found))
            if len(self._cache) >= MAX_CACHED:
                self._cache.clear()
            self._cache[found] = cached
        return cached

    def _combine(self, matched: tuple[CompiledRule, ...]) -> _MatchResult:
        """Steps 5 and 8: combine the deciding rule with the obligations of all matching rules."""
        ranked = sorted(matched, key=lambda one: -one.priority)
        given = next((o.rule.confirmation for o in ranked if o.rule.confirmation is not UNSET), UNSET)
        confirmation = _given_or(given, USER)
        if confirmation.timeout_ms is UNSET and self._confirmation_timeout_ms is not UNSET:
            confirmation = msgspec.structs.replace(confirmation, timeout_ms=self._confirmation_timeout_ms)
        return _MatchResult(
            names=tuple(f"{self._id}/{one.rule.id}" for one in matched),
            step=self._rule_step(matched),
            obligations=_distinct(o for one in matched for o in (one.rule.obligations or ())),
            confirmation=confirmation,
            handoff=_given_or(
                next((o.rule.handoff for o in ranked if o.rule.handoff is not UNSET), UNSET), BY_POLICY
            ),
            messages={
                f"{self._id}/{o.rule.id}": plain_text(o.rule.message)
                for o in matched
                if o.rule.message is not UNSET
            },
        )

    def _rule_step(self, matched: tuple[CompiledRule, ...]) -> _Step | None:
        """Step 5: return the strictest rule of the highest priority, or None without rules."""
        if not matched:
            return None
        top = max(one.priority for one in matched)
        deciding = [one.rule for one in matched if one.priority == top]
        rule = max(deciding, key=lambda r: _STRICTNESS[r.effect])
        return _Step(rule.effect, "rule" if rule.reason is UNSET else rule.reason, f"{self._id}/{rule.id}")


def _with_defaults(given: PolicyDefaults) -> PolicyDefaults:
    """Return the document's defaults, completed by those of the spec."""
    given_values = {
        name: value for name in given.__struct_fields__ if (value := getattr(given, name)) is not UNSET
    }
    return msgspec.structs.replace(POLICY_DEFAULTS, **given_values)


def _given_or(given: T | UnsetType, default: T) -> T:
    return default if given is UNSET else given


def _final(step: _Step, missing_grants: tuple[PolicyGrant, ...] = ()) -> Ruling:
    return Ruling(
        effect=step.effect,
        reason=step.reason,
        decided_by=step.by,
        missing_grants=missing_grants,
        handoff=BY_POLICY if step.effect == "handoff" else None,
        confirmation=USER if step.effect == "confirm" else None,
    )


def _missing_grants(request: PolicyRequest) -> tuple[PolicyGrant, ...]:
    """Step 3: return the missing grants for the side effect, the risk tags and the written data classes."""
    needed: set[PolicyGrant] = set(SIDE_EFFECT_RULES[request.side_effect].grants)
    needed |= {_TAG_GRANTS[tag] for tag in request.risk_tags if tag in _TAG_GRANTS}
    if "sensitive_data" in request.risk_tags:
        needed.add("write.sensitive" if request.writes else "read.sensitive")
    if request.writes:
        for name in request.data_classes:
            needed |= DATA_CLASS_RULES.get(name, UNKNOWN_DATA_CLASS_RULE).write
    return tuple(sorted(needed - request.grants))


def _side_effect_step(request: PolicyRequest, *, known_action: bool) -> _Step | None:
    """Step 4b: an inferred write or unknown effect does not count if the risk is declared safe."""
    effect_class = request.side_effect if known_action else "unknown"
    inferred = request.side_effect_basis == "inferred" and effect_class in ("data_write", "unknown")
    if known_action and inferred and request.risk_explicit and request.risk_level == "safe":
        return None
    return _Step(SIDE_EFFECT_RULES[effect_class].effect, "side_effect", f"side effect {effect_class}")


def _write_effects(request: PolicyRequest) -> list[tuple[str, PolicyEffect]]:
    if not request.writes:
        return []
    rules = (
        (name, DATA_CLASS_RULES.get(name, UNKNOWN_DATA_CLASS_RULE)) for name in sorted(request.data_classes)
    )
    effects = [(name, rule.write_effect) for name, rule in rules if rule.write_effect is not None]
    if request.named_secret:  # the session types it, so a person confirms instead of typing it themselves
        return [(name, "confirm" if effect == "handoff" else effect) for name, effect in effects]
    return effects


def _with_floors(request: PolicyRequest, step: _Step) -> _Step:
    """Steps 6 and 7: return the step, or a stricter floor that no rule can lower (CAP-8.2, ACT-5.3)."""
    floors = []
    if request.risk_level == "blocked":
        floors.append(_Step("handoff", "risk_blocked", "floor: risk blocked"))
    if request.risk_level == "confirm":
        floors.append(_Step("confirm", "risk_confirm", "floor: risk confirm"))
    if request.writes and not _GUARDED_CLASSES.isdisjoint(request.data_classes):
        floors.append(_Step("confirm", "data_class", "floor: guarded data"))
    if request.crossing:
        floors.append(_Step("confirm", "risk_confirm", f"floor: {request.crossing}"))
    needs = SIDE_EFFECT_RULES[request.side_effect].grants
    if request.interaction_mode == "guide" and not needs <= {"observe", "guide"}:
        floors.append(_Step("handoff", "workflow_mode", "floor: workflow mode guide"))
    if request.interaction_mode == "assist" and "act" in needs:
        floors.append(_Step("confirm", "workflow_mode", "floor: workflow mode assist"))
    return _strictest(step, *floors)


def _distinct(obligations: Iterable[PolicyObligation]) -> tuple[PolicyObligation, ...]:
    distinct: list[PolicyObligation] = []
    for obligation in obligations:
        if obligation not in distinct:
            distinct.append(obligation)
    return tuple(distinct)
