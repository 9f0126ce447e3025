"""The facts that conditions are judged on, and the verdict on one condition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from uiap.graph.store import GraphStore
from uiap.spec.workflow import StepResult


class ConditionVerdict(NamedTuple):
    """Whether a condition holds; None if that cannot be decided, with the reason."""

    holds: bool | None
    why: str = ""


CustomJudge: TypeAlias = Callable[[Mapping[str, Any]], bool | None]


@dataclass(frozen=True, kw_only=True)
class ConditionFacts:
    """The live state at one moment."""

    page: GraphStore | None = None
    """None if no page is open."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    results: Mapping[str, StepResult] = field(default_factory=dict)
    grants: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    """The actions that can be requested here."""
    custom: Mapping[str, CustomJudge] = field(default_factory=dict)
    """Conditions that the host adds, by name."""


TRUE, FALSE = ConditionVerdict(True), ConditionVerdict(False)


def decided(holds: bool) -> ConditionVerdict:
    return TRUE if holds else FALSE


def undecided(why: str) -> ConditionVerdict:
    return ConditionVerdict(None, why)
