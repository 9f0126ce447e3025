"""The expectation of one action: its own end state, the effects that are claimed, and how both are reported."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from uiap.actions.primitive import Primitive, Proof, ValueProof
from uiap.signals.effect_report import EffectReport
from uiap.signals.verdict import Verdict
from uiap.spec.action import VerificationOutcome, VerificationPolicy, VerificationSpec
from uiap.spec.capability import SuccessSignal
from uiap.spec.web import ElementNode
from uiap.timeouts import VERIFICATION_MS, VERIFICATION_S


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """The observations that success needs."""

    policy: VerificationPolicy
    signals: tuple[SuccessSignal, ...] = ()
    """The effects that the caller or the target claims. Each must be caused by the action."""
    own: tuple[SuccessSignal, ...] = ()
    """The end state that the action exists for, as signals. It must hold, whatever is claimed."""
    messages: tuple[str, ...] = ()
    """Messages that speak against nothing, beside signals that prove the success."""
    any_change: bool = False
    """No signal is declared: some plausible, attributed change must be observed (ACT-12.2)."""
    arrival: bool = False
    """A document is expected: it, or the route it stands for, must arrive."""
    in_view: bool = False
    """The target must be in the viewport; only a probe shows it."""
    hovered: bool = False
    """The target must be under the pointer; only a probe shows it."""
    read_back: bool = False
    """The gesture reads back its own effect; its report is enough."""
    reaction: bool = False
    """A moved focus counts as an effect."""
    value_proof: ValueProof | None = None
    """The value that the target element must hold."""
    equivalent: ValueProof | None = None
    """A value of the target that counts as its own end state too, such as a text that the page formatted."""
    needs_new: bool = True
    """A non-idempotent action needs at least one new signal, not only states that held before."""
    causal: bool = True
    """The driver can attribute effects; a coincident effect alone is then never enough."""
    revision_advance: bool = False
    deferred: bool = False
    """The value was read back; the caller checks that it lasted, together with others that follow."""
    timeout_s: float = VERIFICATION_S
    field: str | None = None
    """The control whose value the action sets, if it only does that."""


def watched_signals(expectation: Expectation) -> tuple[SuccessSignal, ...]:
    """Return all signals to watch: those of the own end state first, then the claimed ones."""
    return (*expectation.own, *expectation.signals)


def split_verdicts(
    expectation: Expectation, verdicts: tuple[Verdict, ...]
) -> tuple[tuple[Verdict, ...], tuple[Verdict, ...]]:
    """Return the verdicts of the own end state and of the claimed signals."""
    return verdicts[: len(expectation.own)], verdicts[len(expectation.own) :]


def expect(
    spec: VerificationSpec | None,
    primitive: Primitive,
    element: ElementNode | None,
    args: dict[str, object],
    *,
    causal: bool = True,
) -> Expectation:
    """Return the expectation of the request, else of the target, else the minimum of the action (ACT-12.1)."""
    base = Expectation(
        policy="capability-default" if spec is None or spec.policy is UNSET else spec.policy,
        needs_new=primitive.idempotency(args) == "non_idempotent",
        causal=causal,
        field=element.instance_id
        if element is not None and primitive.effect(element, args) == "draft"
        else None,
        revision_advance=spec is not None and spec.require_revision_advance is True,
        timeout_s=(VERIFICATION_MS if spec is None or spec.timeout_ms is UNSET else spec.timeout_ms) / 1000,
    )
    if base.policy == "none":
        return base
    asked = () if spec is None or spec.signals is UNSET else spec.signals
    proof: Proof = primitive.proof(element, args)
    signals = asked or _declared(primitive, element, proof)
    if not primitive.traceable and (signals or isinstance(proof, tuple)):
        # no cause leads from a function of the program to the page, so the named signals only need to be new
        base = msgspec.structs.replace(base, causal=False)
    return msgspec.structs.replace(
        _with_own_state(base, primitive, args, proof, bool(signals)), signals=signals
    )


def _with_own_state(
    base: Expectation, primitive: Primitive, args: dict[str, object], proof: Proof, claimed: bool
) -> Expectation:
    """Add the end state that the action exists for. Signals of the caller never replace it."""
    if isinstance(proof, tuple):
        own = msgspec.structs.replace(base, own=proof, equivalent=primitive.equivalent(args))
        return base if primitive.kind == "domain" else own
    if isinstance(proof, ValueProof):
        return msgspec.structs.replace(base, value_proof=proof)
    if proof == "none" and not claimed:
        return msgspec.structs.replace(base, policy="none")
    return msgspec.structs.replace(
        base,
        any_change=proof in ("change", "reaction") and not claimed,
        reaction=proof == "reaction" and not claimed,
        arrival=proof == "route",
        in_view=proof == "in_view",
        hovered=proof == "hovered",
        read_back=proof == "reported",
    )


def _declared(primitive: Primitive, element: ElementNode | None, proof: Proof) -> tuple[SuccessSignal, ...]:
    """Return the success signals that a declared action, or the target of an activation, declares."""
    if primitive.kind == "domain" and isinstance(proof, tuple):
        return proof
    if element is None or element.success is UNSET or "activate" not in primitive.affordances:
        return ()
    return element.success


def outcome(expectation: Expectation, report: EffectReport | None, passed: bool) -> VerificationOutcome:
    """Return the wire outcome. `observed` lists only the signals that occurred, in the requested order (ACT-6.3).

    Without claimed signals, it lists those of the own end state.
    """
    verdicts = report.verdicts if report is not None else ()
    own, claimed = split_verdicts(expectation, verdicts)
    signals, found = (expectation.signals, claimed) if expectation.signals else (expectation.own, own)
    seen = [v.holds and v.attribution != "background" for v in found] or [False] * len(signals)
    pairs = list(zip(signals, seen, strict=True))
    missing = tuple(s for s, held in pairs if not held)
    return VerificationOutcome(
        passed=passed,
        policy=expectation.policy,
        observed=tuple(s for s, held in pairs if held),
        missing=missing or UNSET,
        timeout_ms=round(expectation.timeout_s * 1000),
    )
