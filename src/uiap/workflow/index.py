"""The workflow index: which workflow fits this goal, here, for this person (WF-9).

It ranks by the words of the goal and states for each workflow whether it can start, and what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from uiap.spec.policy import PolicyGrant
from uiap.spec.vocabulary import InteractionMode
from uiap.spec.workflow import WorkflowDefinition, WorkflowListPayload, WorkflowSummary
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.conditions.registry import all_hold
from uiap.workflow.texts import plain_text

MODE_GRANTS: Mapping[InteractionMode, frozenset[PolicyGrant]] = MappingProxyType(
    {
        "guide": frozenset({"observe", "guide"}),
        "assist": frozenset({"observe", "guide", "draft", "act"}),
        "auto": frozenset({"observe", "guide", "draft", "act"}),
    }
)
"""The grants that each mode needs."""
MIN_SCORE = 0.34
"""A workflow fits a goal if at least a third of the goal's words occur in its texts."""
_WORDS = re.compile(r"[^\W_]+")
_STOP_WORDS = frozenset(
    {
        "a",
        "an",
        "and",
        "the",
        "to",
        "of",
        "in",
        "on",
        "for",
        "my",
        "our",
        "your",
        "with",
        "please",
        "i",
        "want",
    }
)


class WorkflowFit(NamedTuple):
    """One workflow with its score for the goal, and what is missing to start it."""

    definition: WorkflowDefinition
    score: float
    missing: tuple[str, ...]

    @property
    def startable(self) -> bool:
        return not self.missing


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """The grants and roles of the person who asks, and the route they are on."""

    grants: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    route_id: str | None = None


def fitting(
    definitions: Iterable[WorkflowDefinition],
    asked: WorkflowListPayload,
    situation: Situation,
    facts: ConditionFacts | None = None,
) -> list[WorkflowFit]:
    """Return the workflows that fit, best first: by score, then those that can start, then by id.

    Args:
        facts: The live state, for the entry conditions. Without it they are not judged.
    """
    goal = asked.goal if isinstance(asked.goal, str) else ""
    found = [
        WorkflowFit(one, score, tuple(missing_to_start(one, asked, situation, facts)))
        for one in definitions
        if _is_asked_for(one, asked) and ((score := goal_score(one, goal)) >= MIN_SCORE or not goal)
    ]
    return sorted(found, key=lambda fit: (-fit.score, not fit.startable, fit.definition.id))


def _is_asked_for(definition: WorkflowDefinition, asked: WorkflowListPayload) -> bool:
    if asked.category is not UNSET and definition.category != asked.category:
        return False
    if asked.mode is not UNSET and asked.mode not in definition.interaction_modes:
        return False
    routes = definition.route_ids or ()
    return asked.route_id is UNSET or not routes or asked.route_id in routes


def goal_score(definition: WorkflowDefinition, goal: str) -> float:
    """Return the share of the goal's words that one phrase of the workflow contains; 1.0 is all of them."""
    wanted = _words(goal)
    if not wanted:
        return 0.0
    phrases = [*(definition.goals or ()), plain_text(definition.title), definition.id]
    whole = f"{plain_text(definition.title)} {plain_text(definition.description)}"
    best = max(len(wanted & _words(phrase)) / len(wanted) for phrase in [*phrases, whole])
    exact = any(_words(phrase) == wanted for phrase in phrases)
    return round(best if exact else best * 0.95, 3)


def _words(text: str) -> set[str]:
    """Return the words of a text, without plural endings and common words."""
    words = {word for word in _WORDS.findall(text.lower()) if word not in _STOP_WORDS}
    return {word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words}


def missing_to_start(
    definition: WorkflowDefinition,
    asked: WorkflowListPayload,
    situation: Situation,
    facts: ConditionFacts | None = None,
) -> Iterator[str]:
    """Yield a phrase for each thing that is missing to start the workflow."""
    mode = definition.interaction_modes[0] if asked.mode is UNSET else asked.mode
    needed = MODE_GRANTS[mode] | set(definition.required_grants or ())
    yield from (f"grant `{grant}`" for grant in sorted(needed - situation.grants))
    yield from (f"role `{role}`" for role in definition.required_roles or () if role not in situation.roles)
    routes = definition.route_ids or ()
    if routes and situation.route_id is not None and situation.route_id not in routes:
        yield f"route {' or '.join(f'`{one}`' for one in routes)}"
    if facts is not None and definition.entry_conditions:
        verdict = all_hold(definition.entry_conditions, facts)
        if verdict.holds is not True:
            yield f"entry conditions{f': {verdict.why}' if verdict.why else ''}"


def summary(fit: WorkflowFit) -> WorkflowSummary:
    """Return one entry of `uiap.workflow.listed`."""
    one = fit.definition
    return WorkflowSummary(
        id=one.id,
        version=one.version,
        title=one.title,
        description=one.description,
        category=one.category,
        start_mode=one.start_mode,
        interaction_modes=one.interaction_modes,
        startable=fit.startable,
        missing=fit.missing or UNSET,
    )
