"""The expectation of one action: the effect that must be observed, and whether an observation shows it."""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec import UNSET

from uiap.actions.primitive import GestureReport, Primitive, Proof, ValueProof
from uiap.signals.verdict import Verdict
from uiap.signals.watch import EffectReport
from uiap.spec.action import VerificationOutcome, VerificationPolicy, VerificationSpec
from uiap.spec.capability import SuccessSignal
from uiap.spec.web import ElementNode
from uiap.timeouts import VERIFICATION_MS, VERIFICATION_S


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """The observations that success needs."""

    policy: VerificationPolicy
    signals: tuple[SuccessSignal, ...] = ()
    any_change: bool = False
    """No signal is declared: some plausible, attributed change must be observed (ACT-12.2)."""
    arrival: bool = False
    """A document is expected: it, or the route it stands for, must arrive."""
    in_view: bool = False
    """The target must be in the viewport; only a probe shows it."""
    hovered: bool = False
    """The target must be under the pointer; only a probe shows it."""
    told: bool = False
    """The gesture reads back its own effect; its report is enough."""
    reaction: bool = False
    """A moved focus counts as an effect."""
    held: ValueProof | None = None
    """The value that the target element must hold."""
    needs_new: bool = True
    """A non-idempotent action needs at least one new signal, not only states that held before."""
    causal: bool = True
    """The driver can attribute effects; a coincident effect alone is then never enough."""
    revision_advance: bool = False
    timeout_s: float = VERIFICATION_S


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
        revision_advance=spec is not None and spec.require_revision_advance is True,
        timeout_s=(VERIFICATION_MS if spec is None or spec.timeout_ms is UNSET else spec.timeout_ms) / 1000,
    )
    if base.policy == "none":
        return base
    asked = () if spec is None or spec.signals is UNSET else spec.signals
    signals = asked or _declared(primitive, element)
    if not primitive.traceable and (signals or isinstance(primitive.proof(element, args), tuple)):
        # no cause leads from a function of the program to the page, so the named signals only need to be new
        base = msgspec.structs.replace(base, causal=False)
    if signals:
        return msgspec.structs.replace(base, signals=signals)
    proof: Proof = primitive.proof(element, args)
    if isinstance(proof, tuple):
        return msgspec.structs.replace(base, signals=proof)
    if isinstance(proof, ValueProof):
        return msgspec.structs.replace(base, held=proof)
    if proof == "none":
        return msgspec.structs.replace(base, policy="none")
    return msgspec.structs.replace(
        base,
        any_change=proof in ("change", "reaction"),
        arrival=proof == "route",
        in_view=proof == "in_view",
        hovered=proof == "hovered",
        told=proof == "reported",
        reaction=proof == "reaction",
    )


def _declared(primitive: Primitive, element: ElementNode | None) -> tuple[SuccessSignal, ...]:
    """Return the success signals that the target declares for its activation."""
    if element is None or element.success is UNSET or "activate" not in primitive.affordances:
        return ()
    return element.success


class ObservedFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts besides the report: the gesture's own report, the target element, the focus."""

    told: GestureReport = {}
    element: ElementNode | None = None
    refocused: bool = False


NO_FACTS = ObservedFacts()


class Passed(msgspec.Struct, frozen=True):
    evidence: str


class Waiting(msgspec.Struct, frozen=True):
    why: str


Judgement: TypeAlias = Passed | Waiting


def judge(expectation: Expectation, report: EffectReport, facts: ObservedFacts = NO_FACTS) -> Judgement:
    """Judge one observation. `Waiting` names what is missing."""
    if expectation.revision_advance and not report.advanced:
        return Waiting("no new revision")  # ACT-12.4
    if expectation.policy == "none":
        return Passed("not verified")
    if expectation.in_view or expectation.hovered:
        return Waiting("it is not in view" if expectation.in_view else "it is not under the pointer")
    if expectation.arrival:
        return Passed("the page is there") if report.advanced else Waiting("no new page was seen")
    if report.busy is not None:
        return Waiting(f"{report.busy} is still under way")
    if expectation.held is not None or expectation.told:
        return _held(expectation, report, facts)
    if expectation.reaction and facts.refocused:
        return Passed("the focus moved")
    if expectation.any_change:
        return _changed(expectation, report)
    held = [v.holds and v.attribution != "background" for v in report.verdicts]
    enough = any(held) if expectation.policy == "any" else all(held)
    if not enough:
        missing = [s.kind for s, h in zip(expectation.signals, held, strict=True) if not h]
        return Waiting(f"not seen: {', '.join(missing)}")
    if expectation.needs_new and not _proved(expectation, report):
        return Waiting("the expected state is there, but nothing shows that this action caused it")
    return Passed("the expected signals were seen")


def _held(expectation: Expectation, report: EffectReport, facts: ObservedFacts) -> Judgement:
    """Judge the gesture's report and the value of the element. A weak report also needs a caused change."""
    told, held = facts.told, expectation.held
    if held is None and told.get("held") is not True:
        return Waiting("the gesture did not say that it worked")
    if held is not None and (facts.element is None or not held.test(facts.element, told)):
        return Waiting(f"not seen: {held.description}")
    if told.get("weak"):
        return _changed(expectation, report)
    return Passed(held.description if held is not None else "it was read back")


def _changed(expectation: Expectation, report: EffectReport) -> Judgement:
    if report.change is None:
        said = f"; the page says `{report.complaint}`" if report.complaint else ""
        return Waiting(f"nothing changed{said}")
    if expectation.causal and report.attribution != "caused":
        return Waiting(f"only a change that this action did not cause: {report.change}")
    return Passed(report.change)


def _proved(expectation: Expectation, report: EffectReport) -> bool:
    """Return whether a new signal was caused, or coincides with another caused change."""
    new = [v.attribution for v in report.verdicts if v.evidence]
    if not expectation.causal:
        return bool(new)
    return bool(new) and ("caused" in new or report.attribution == "caused")


def already(expectation: Expectation, verdicts: tuple[Verdict, ...]) -> bool:
    """Return whether the whole end state held before; an idempotent action is then a no-op."""
    return bool(verdicts) and not expectation.needs_new and all(v.holds and v.already for v in verdicts)


def outcome(expectation: Expectation, report: EffectReport | None, passed: bool) -> VerificationOutcome:
    """Return the wire outcome. `observed` lists only the signals that occurred, in the requested order (ACT-6.3)."""
    verdicts = report.verdicts if report is not None else ()
    seen = [v.holds and v.attribution != "background" for v in verdicts] or [False] * len(expectation.signals)
    pairs = list(zip(expectation.signals, seen, strict=True))
    missing = tuple(s for s, held in pairs if not held)
    return VerificationOutcome(
        passed=passed,
        policy=expectation.policy,
        observed=tuple(s for s, held in pairs if held),
        missing=missing or UNSET,
        timeout_ms=round(expectation.timeout_s * 1000),
    )
