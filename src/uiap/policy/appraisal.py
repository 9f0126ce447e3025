"""The risk of an action on an element: declared and inferred facts combined, the strictest of each counts.

Declarations of the page may raise the risk and never lower it. With `trusted_risk` they count as they are, because a
signed bundle of the application made them.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET

from uiap.policy import inference
from uiap.policy.lexicon import Hint
from uiap.spec.capability import RISK_LEVELS, RiskDescriptor, RiskLevel
from uiap.spec.policy import SideEffectClass
from uiap.spec.web import ElementNode

Basis = Literal["declared", "derived", "inferred"]


class RiskEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """Facts besides the element itself."""

    label: str = ""
    """Name, visible text and description of the element."""
    others: tuple[str, ...] = ()
    """Labels of other elements that the action presses, such as the submit button of a form."""
    surroundings: str = ""
    """The name of the dialog or form around it."""
    presses: bool = False
    """The action presses the element, so its label names the effect."""
    deceptive: str = ""
    """Why the name is not trusted: it mixes scripts, or the painted text differs from it."""


class Appraisal(msgspec.Struct, frozen=True, kw_only=True):
    """The risk, side effect and data classes of an action on an element."""

    level: RiskLevel = "safe"
    explicit: bool = False
    tags: frozenset[str] = frozenset()
    data_classes: frozenset[str] = frozenset()
    side_effect: SideEffectClass = "unknown"
    basis: Basis = "inferred"
    routine: bool = False
    """Nothing raises the risk, and the gesture is a routine step."""
    because: tuple[str, ...] = ()
    """The reasons in words, for the person who is asked to confirm."""


def strictest_level(*levels: RiskLevel) -> RiskLevel:
    """Return the strictest of several levels (CAP-8.1)."""
    return max(levels, key=RISK_LEVELS.index)


def appraise(
    element: ElementNode | None,
    effect: SideEffectClass,
    evidence: RiskEvidence,
    *,
    declared: RiskDescriptor | None = None,
    trusted_risk: bool = False,
) -> Appraisal:
    """Return the risk of an action with this effect. `declared` is the risk in the action's own descriptor."""
    element_risk = _risk_of(element)
    trusted = trusted_risk and element_risk is not None
    hints = () if trusted else _risk_hints(element, evidence)
    tags = {hint.kind for hint in hints} | _tags(element_risk) | _tags(declared)
    fields = () if element is None else _data_class_hints(element)
    level = strictest_level(
        "safe" if element_risk is None else element_risk.level,
        "safe" if declared is None else declared.level,
        "confirm" if hints or (evidence.deceptive and evidence.presses) else "safe",
    )
    derived = inference.derived_side_effect(tags)
    return Appraisal(
        level=level,
        explicit=trusted or declared is not None,
        tags=frozenset(tags),
        data_classes=frozenset(hint.kind for hint in fields) | _declared_classes(element),
        side_effect=effect if derived is None else derived,
        basis="inferred" if derived is None else "derived",
        because=(
            *((evidence.deceptive,) if evidence.deceptive else ()),
            *(f"“{hint.words}” suggests {hint.kind.replace('_', ' ')}" for hint in (*hints, *fields)),
        ),
    )


def _risk_of(element: ElementNode | None) -> RiskDescriptor | None:
    return None if element is None or element.risk is UNSET else element.risk


_BINS = frozenset({"trash", "trashcan", "bin", "dustbin", "garbage", "wastebasket"})
"""Icons that picture a place for deleted things."""


def _tags(risk: RiskDescriptor | None) -> set[str]:
    return set() if risk is None or risk.tags is UNSET else set(risk.tags)


def _risk_hints(element: ElementNode | None, evidence: RiskEvidence) -> tuple[Hint, ...]:
    others = [hint for label in evidence.others for hint in inference.risk_hints(label)]
    if not evidence.presses:
        return tuple(others)
    # an icon only makes a press riskier: it is a word of the markup, and no label that a person reads
    ids = (
        ()
        if element is None
        else (element.stable_id, element.default_action, element.meaning, _icon(element))
    )
    texts = (evidence.label, *(id for id in ids if id))
    own = tuple(dict.fromkeys(hint for text in texts for hint in inference.risk_hints(text)))
    # `OK` in a dialog called `Delete account?` deletes the account
    if own or not evidence.surroundings or inference.is_exit_label(evidence.label):
        return (*own, *others)
    return (*inference.risk_hints(evidence.surroundings), *others)


def _icon(element: ElementNode) -> str:
    """Return the order that the icon of a control without a name gives."""
    words = str(element.metadata.get("icon", "")).split() if isinstance(element.metadata, dict) else []
    return " ".join("delete" if word in _BINS else word for word in words)


def _data_class_hints(element: ElementNode) -> tuple[Hint, ...]:
    if "edit" not in element.affordances and "choose" not in element.affordances:
        return ()
    texts = (element.name, element.description, element.state.placeholder)
    ids = (element.stable_id, element.meaning)
    words = [one.casefold() for one in texts if one] + [inference.identifier_words(one) for one in ids if one]
    return inference.data_class_hints(" ".join(words))


def data_classes_of(element: ElementNode) -> frozenset[str]:
    """Return the data classes of a field: declared, and inferred from its name."""
    return _declared_classes(element) | {hint.kind for hint in _data_class_hints(element)}


def _declared_classes(element: ElementNode | None) -> frozenset[str]:
    """Return the published data classes. A masked field without any is at least `sensitive`."""
    if element is None:
        return frozenset()
    declared = frozenset() if element.data_classes is UNSET else frozenset(element.data_classes)
    return declared or (frozenset({"sensitive"}) if element.state.sensitive is True else frozenset())
