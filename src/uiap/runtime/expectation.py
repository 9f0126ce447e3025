"""Has the effect been observed? From what was expected and what was seen to a judgement, never an assumption."""

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
    """What must be seen before success may be claimed."""

    policy: VerificationPolicy
    signals: tuple[SuccessSignal, ...] = ()
    any_change: bool = False
    """No signal is declared: some plausible, attributed change must be seen (ACT-12.2)."""
    arrival: bool = False
    """A document was asked for: it, or the route it stands for, must be there."""
    in_view: bool = False
    """It must be seen in the viewport; only a probe can say so."""
    hovered: bool = False
    """It must be under the pointer; only a probe can say so."""
    told: bool = False
    """The gesture reads back its own work; what it says is enough."""
    reaction: bool = False
    """A moved focus counts like a change."""
    held: ValueProof | None = None
    """What the target must hold, judged of the element itself."""
    needs_new: bool = True
    """A non-idempotent action needs at least one new signal, not only end states that held already."""
    causal: bool = True
    """The driver can tell what an action caused; then what only coincides is never enough alone (HOUSE §4)."""
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
    """ACT-12.1: what the request asks, else what the target declares, else the profile's minimum."""
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
        # nothing can lead from a function outside back to the page: what was named must be seen after it began
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
    """The target's own success signals speak of its activation."""
    if element is None or element.success is UNSET or "activate" not in primitive.affordances:
        return ()
    return element.success


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """What is known besides the report."""

    told: GestureReport = {}
    element: ElementNode | None = None
    refocused: bool = False


NO_SIGHT = Sight()


class Passed(msgspec.Struct, frozen=True):
    evidence: str


class Waiting(msgspec.Struct, frozen=True):
    why: str


Judgement: TypeAlias = Passed | Waiting


def judge(expectation: Expectation, report: EffectReport, sight: Sight = NO_SIGHT) -> Judgement:
    """One look. `Waiting` says what is still missing."""
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
        return _held(expectation, report, sight)
    if expectation.reaction and sight.refocused:
        return Passed("the focus moved")
    if expectation.any_change:
        return _changed(expectation, report)
    held = [v.holds and v.attribution != "background" for v in report.verdicts]
    enough = any(held) if expectation.policy == "any" else all(held)
    if not enough:
        missing = [s.kind for s, h in zip(expectation.signals, held, strict=True) if not h]
        return Waiting(f"not seen: {', '.join(missing)}")
    if expectation.needs_new and not _proved(expectation, report):
        return Waiting("what was expected is there, but nothing shows that this action brought it")
    return Passed("the expected signals were seen")


def _held(expectation: Expectation, report: EffectReport, sight: Sight) -> Judgement:
    """What the gesture read back, and what the element holds. A weak reading needs a caused change beside it."""
    told, held = sight.told, expectation.held
    if held is None and told.get("held") is not True:
        return Waiting("the gesture did not say that it worked")
    if held is not None and (sight.element is None or not held.test(sight.element, told)):
        return Waiting(f"not seen: {held.description}")
    if told.get("weak"):
        return _changed(expectation, report)
    return Passed(held.description if held is not None else "it was read back")


def _changed(expectation: Expectation, report: EffectReport) -> Judgement:
    if report.change is None:
        said = f"; the page says `{report.complaint}`" if report.complaint else ""
        return Waiting(f"nothing changed{said}")
    if expectation.causal and report.attribution != "caused":
        return Waiting(f"only what this action did not cause: {report.change}")
    return Passed(report.change)


def _proved(expectation: Expectation, report: EffectReport) -> bool:
    """One new signal that was caused, or one that only coincides together with something else that was caused."""
    new = [v.attribution for v in report.verdicts if v.evidence]
    if not expectation.causal:
        return bool(new)
    return bool(new) and ("caused" in new or report.attribution == "caused")


def already(expectation: Expectation, verdicts: tuple[Verdict, ...]) -> bool:
    """Did the whole end state hold before anything was done? Then an idempotent action is a no-op."""
    return bool(verdicts) and not expectation.needs_new and all(v.holds and v.already for v in verdicts)


def outcome(expectation: Expectation, report: EffectReport | None, passed: bool) -> VerificationOutcome:
    """ACT-6.3: `observed` lists only what really occurred, as it was asked for, in that order."""
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
