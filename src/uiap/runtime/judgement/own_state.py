"""The first question: has the element the end state that this action is for?

The text is in the field, the option is chosen, the switch is on, the target is in view. Signals of the caller never
replace it. A press has no end state of its own besides its delivery, which the dispatch has proved.
"""

from __future__ import annotations

from uiap.actions.primitive import ValueProof
from uiap.runtime.expectation import Expectation, split_verdicts
from uiap.runtime.judgement.answer import NO_FACTS, Answer, ObservedFacts, Passed, Waiting
from uiap.signals.effect_report import EffectReport
from uiap.signals.verdict import Verdict
from uiap.spec.web import ElementNode, WebElementState

DELIVERED = "the input reached its element"


def own_state(expectation: Expectation, report: EffectReport, facts: ObservedFacts = NO_FACTS) -> Answer:
    """Return whether the action's own end state holds now."""
    if (expectation.in_view or expectation.hovered) and not facts.probed:
        return Waiting("it is not in view" if expectation.in_view else "it is not under the pointer")
    if expectation.arrival:
        return Passed("the page is there") if report.advanced else Waiting("no new page was observed")
    if expectation.read_back and facts.gesture.get("held") is not True:
        return Waiting("the gesture did not report its effect")
    if expectation.value_proof is not None:
        return _held(expectation, facts)
    if expectation.own:
        return _signals(expectation, report, facts)
    return Passed("it was read back" if expectation.read_back else DELIVERED)


def _held(expectation: Expectation, facts: ObservedFacts) -> Answer:
    proof = expectation.value_proof
    assert proof is not None
    if facts.element is None or not proof.test(facts.element, facts.gesture):
        return Waiting(f"not observed: {proof.description}")
    return Passed(proof.description)


def _signals(expectation: Expectation, report: EffectReport, facts: ObservedFacts) -> Answer:
    verdicts, _ = split_verdicts(expectation, report.verdicts)
    missing = [s.kind for s, v in zip(expectation.own, verdicts, strict=True) if not _counts(v)]
    proof = expectation.equivalent
    if missing and proof and facts.element is not None and proof.test(facts.element, facts.gesture):
        return Passed(proof.description)
    if missing and proof and facts.element is None and _is_shown_instead(proof, report, facts):
        return Passed("the page shows the text in place of the field")
    if missing and facts.element is None and facts.gesture.get("held") is True:
        return Passed("it was read back after its list had closed")
    return Waiting(f"not observed: {', '.join(missing)}") if missing else Passed("its end state was observed")


def _is_shown_instead(proof: ValueProof, report: EffectReport, facts: ObservedFacts) -> bool:
    """Return whether an element that took the place of a field shows its text, as a cell does after its editor."""
    shown = (_field_with(text) for text in report.shown_instead)
    return any(proof.test(field, facts.gesture) for field in shown)


def _field_with(text: str) -> ElementNode:
    return ElementNode(
        instance_id="", document_id="", role="textbox", state=WebElementState(text_value=text), affordances=()
    )


def _counts(verdict: Verdict) -> bool:
    return verdict.holds and verdict.attribution != "background"


def held_before(expectation: Expectation, verdicts: tuple[Verdict, ...], element: ElementNode | None) -> bool:
    """Return whether the own end state held before the input. An action without one never did."""
    own, _ = split_verdicts(expectation, verdicts)
    if expectation.value_proof is not None:
        return element is not None and expectation.value_proof.test(element, {})
    return bool(own) and all(verdict.holds and verdict.already for verdict in own)
