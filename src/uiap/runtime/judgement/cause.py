"""The second question: did this action cause each effect that is claimed?

Claimed are the signals of the caller, or those the target declares; without any, some plausible change. An effect that
only coincides with the action proves nothing. A state that held before proves nothing either, but does not disprove:
at least one claimed effect must be new.
"""

from __future__ import annotations

from uiap.runtime.expectation import Expectation, split_verdicts
from uiap.runtime.judgement.answer import NO_FACTS, Answer, ObservedFacts, Passed, Waiting
from uiap.signals.effect_report import EffectReport
from uiap.signals.verdict import Verdict

SEEN = "the expected signals were observed"


def claimed_effects(
    expectation: Expectation, report: EffectReport, facts: ObservedFacts = NO_FACTS
) -> Answer:
    """Return whether every claimed effect was observed and caused by the action."""
    if expectation.reaction and facts.refocused:
        return Passed("the focus moved")
    weak = facts.gesture.get("weak") and not expectation.signals
    if expectation.any_change or weak:
        return _any_change(expectation, report)
    if not expectation.signals:
        return Passed("")
    _, verdicts = split_verdicts(expectation, report.verdicts)
    held = [v.holds and v.attribution != "background" for v in verdicts]
    enough = any(held) if expectation.policy == "any" else all(held)
    if not enough:
        missing = [s.kind for s, h in zip(expectation.signals, held, strict=True) if not h]
        return Waiting(f"not observed: {', '.join(missing)}")
    proved = [_proves(expectation, v) for v in verdicts]
    known = [p or v.already for p, v in zip(proved, verdicts, strict=True)]
    if expectation.policy != "any" and not all(known):
        unproved = [s.kind for s, k in zip(expectation.signals, known, strict=True) if not k]
        return Waiting(f"{NOT_CAUSED}: {', '.join(unproved)}")
    return Passed(SEEN) if any(proved) else Waiting(NOT_CAUSED)


NOT_CAUSED = "the expected state is there, but nothing shows that this action caused it"


def _proves(expectation: Expectation, verdict: Verdict) -> bool:
    """Return whether the signal is new and, where the driver attributes effects, caused."""
    return verdict.evidence and (not expectation.causal or verdict.attribution == "caused")


def _any_change(expectation: Expectation, report: EffectReport) -> Answer:
    if report.change is None:
        said = f"; the page says `{report.complaint}`" if report.complaint else ""
        return Waiting(f"nothing changed{said}")
    if expectation.causal and report.attribution != "caused":
        return Waiting(f"only a change that this action did not cause: {report.change}")
    return Passed(report.change)


def held_before(expectation: Expectation, verdicts: tuple[Verdict, ...]) -> bool:
    """Return whether every claimed signal held before the input."""
    _, claimed = split_verdicts(expectation, verdicts)
    return all(verdict.holds and verdict.already for verdict in claimed)
