"""How risky is this action on this element? Declared and inferred facts, joined: the strictest of each counts.

What the page says of itself may raise a risk, never lower it (P7), unless `trusted_risk`: then a signed bundle of the
application's own vouches for what is declared.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET

from uiap.policy import inference
from uiap.spec.capability import RISK_LEVELS, RiskDescriptor, RiskLevel
from uiap.spec.policy import SideEffectClass
from uiap.spec.web import ElementNode

Basis = Literal["declared", "derived", "inferred"]


class RiskEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What is known beside the element itself. Texts are normalised: casefolded, look-alikes folded."""

    label: str = ""
    """Everything the element says: its name, its visible text, its description."""
    place: str = ""
    """The name of the dialog or form it stands in."""
    presses: bool = False
    """The action presses it; what it is called is then what would happen."""
    deceptive: str = ""
    """Why its name is not to be trusted: it mixes scripts, or what is seen says something else (H6)."""


class Appraisal(msgspec.Struct, frozen=True, kw_only=True):
    level: RiskLevel = "safe"
    explicit: bool = False
    tags: frozenset[str] = frozenset()
    data_classes: frozenset[str] = frozenset()
    side_effect: SideEffectClass = "unknown"
    basis: Basis = "inferred"
    because: tuple[str, ...] = ()
    """In words, for the person who is asked."""


def strictest_level(*levels: RiskLevel) -> RiskLevel:
    """CAP-8.1: the strictest level wins."""
    return max(levels, key=RISK_LEVELS.index)


def appraise(
    element: ElementNode | None,
    effect: SideEffectClass,
    evidence: RiskEvidence,
    *,
    declared: RiskDescriptor | None = None,
    trusted_risk: bool = False,
) -> Appraisal:
    """`declared` is what the action's own descriptor says, where a descriptor of the application exists."""
    stated = _stated(element)
    vouched = trusted_risk and stated is not None
    hints = () if vouched else _hints(element, evidence)
    tags = {hint.kind for hint in hints} | _tags(stated) | _tags(declared)
    fields = () if element is None else _fields(element)
    level = strictest_level(
        "safe" if stated is None else stated.level,
        "safe" if declared is None else declared.level,
        "confirm" if hints or (evidence.deceptive and evidence.presses) else "safe",
    )
    derived = inference.derived_side_effect(tags)
    return Appraisal(
        level=level,
        explicit=vouched or declared is not None,
        tags=frozenset(tags),
        data_classes=frozenset(hint.kind for hint in fields) | _classes(element),
        side_effect=effect if derived is None else derived,
        basis="inferred" if derived is None else "derived",
        because=(
            *((evidence.deceptive,) if evidence.deceptive else ()),
            *(f"“{hint.words}” suggests {hint.kind.replace('_', ' ')}" for hint in (*hints, *fields)),
        ),
    )


def _stated(element: ElementNode | None) -> RiskDescriptor | None:
    return None if element is None or element.risk is UNSET else element.risk


def _tags(risk: RiskDescriptor | None) -> set[str]:
    return set() if risk is None or risk.tags is UNSET else set(risk.tags)


def _hints(element: ElementNode | None, evidence: RiskEvidence) -> tuple[inference.Hint, ...]:
    if not evidence.presses:
        return ()
    if element is None:
        return inference.risk_hints(evidence.label)
    ids = " ".join(
        inference.identifier_words(id)
        for id in (element.stable_id, element.default_action, element.meaning)
        if id
    )
    own = inference.risk_hints(f"{evidence.label} {ids}".strip())
    # a harmless label in a dialog called `Delete account?` deletes the account
    if own or not evidence.place or inference.is_exit_label(evidence.label):
        return own
    return inference.risk_hints(evidence.place)


def _fields(element: ElementNode) -> tuple[inference.Hint, ...]:
    if "edit" not in element.affordances:
        return ()
    named = (element.name, element.description, element.state.placeholder)
    ids = (element.stable_id, element.meaning)
    words = [one.casefold() for one in named if one] + [inference.identifier_words(one) for one in ids if one]
    return inference.data_class_hints(" ".join(words))


def data_classes_of(element: ElementNode) -> frozenset[str]:
    """Data classes of what a field holds: declared, and what its name gives away."""
    return _classes(element) | {hint.kind for hint in _fields(element)}


def _classes(element: ElementNode | None) -> frozenset[str]:
    """What the publisher and the page say; a masked field without a class is at least sensitive."""
    if element is None:
        return frozenset()
    given = frozenset() if element.data_classes is UNSET else frozenset(element.data_classes)
    return given or (frozenset({"sensitive"}) if element.state.sensitive is True else frozenset())
