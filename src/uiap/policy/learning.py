"""A policy file from the answers of a person: what was always granted goes, what was denied is denied.

The file is for review. A rule that would cover more than the person saw is written, but not enabled.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

import msgspec

from uiap.spec.policy import PolicyEffect

HEAD = """\
# A policy of uiap. Check it with: uiap policy check FILE; use it with: uiap open URL --policy FILE
modelVersion: "0.1"
id: {id}
defaults:
  onUnknownAction: confirm   # an action that nobody declared: allow, confirm, handoff or deny
  onBlocked: handoff         # what the application marks as blocked: handoff or deny
metadata:
  routine: allow             # routine steps go, as with --autonomy assist; remove it to be asked about every write
"""
RULES = """\
# A rule applies if all members of its match fit, and any entry of each list. The highest priority decides, then the
# strictest effect. Texts with * match anything in its place. No rule lowers a floor.
rules:
  - id: drafts-are-free
    match: { stableIds: ["draft.*"], operations: [write] }
    effect: allow
  - id: publishing-asks-once
    match: { actionIds: [ui.activate], stableIds: ["*.publish"] }
    effect: confirm
    confirmation: { remember: session }
  - id: money-is-for-people
    match: { riskTags: [billing] }
    effect: handoff
    handoff: { reason: payment }
# Members of a match, each with an example:
"""
MEMBERS: dict[str, tuple[str, str]] = {
    "principalTypes": ("[agent]", "who acts: user, agent, bridge, observer, system"),
    "principalIds": ('["agent-*"]', "the id of the principal"),
    "principalRoles": ("[clerk]", "a role that its admission gave it"),
    "grantsAll": ("[act, billing]", "all of these grants are held"),
    "grantsMissing": ("[read.sensitive]", "one of these grants is not held"),
    "operations": ("[write]", "observe, read, act, write, navigate, export"),
    "actionIds": ('[ui.activate, "video.*"]', "the action"),
    "actionKinds": ("[domain]", "primitive, or domain for an action of the application"),
    "executionModes": ("[inputSynthesis]", "the way it is carried out"),
    "sideEffectClasses": ("[data_write]", "draft, data_write, external_effect, destructive, unknown, …"),
    "riskLevels": ("[confirm]", "safe, confirm, blocked"),
    "riskTags": ("[billing, legal]", "words and declarations suggest this risk"),
    "roles": ("[button, link]", "the role of the element"),
    "stableIds": ('["account.*"]', "the stable id of the element (data-uiap-id, or a bundle)"),
    "meanings": ('["submit.*"]', "the meaning of the element in a bundle"),
    "scopeIds": ("[team-form]", "the stable id of the form, dialog or region around it"),
    "scopeKinds": ("[dialog]", "form, dialog, drawer, region, table, …"),
    "routeIds": ("[billing]", "the route of the page in a bundle"),
    "origins": ('["https://*.example.com"]', "the origin of the page or frame"),
    "dataClasses": ("[personal]", "the class of the data that is written"),
    "workflowIds": ("[onboarding]", "the workflow that acts"),
    "interactionModes": ("[assist]", "the mode of that workflow: guide, assist, auto"),
    "not": ("{ roles: [link] }", "a match that must not fit"),
}
"""Every member of a match: an example, and what it matches."""
_ORDINARY = frozenset({"data_write", "unknown"})


class AnsweredQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of one question that a rule can match, and the answer."""

    action: str
    origin: str
    role: str
    side_effect: str
    stable_id: str = ""
    risk_tags: tuple[str, ...] = ()


class AnswerCounts(msgspec.Struct, frozen=True):
    granted: int
    denied: int


def template(id: str) -> str:
    """Return a commented policy file with every member of a match."""
    width = max(len(f"{name}: {example}") for name, (example, _) in MEMBERS.items())
    lines = (f"#   {f'{name}: {example}':{width}}  {text}" for name, (example, text) in MEMBERS.items())
    return HEAD.format(id=json.dumps(id)) + RULES + "\n".join(lines) + "\n"


def learned_policy(id: str, answered: Iterable[tuple[AnsweredQuestion, bool]]) -> str:
    """Return a policy file with one rule for each kind of question that was answered."""
    counts: dict[AnsweredQuestion, Counter[bool]] = {}
    for question, granted in answered:
        counts.setdefault(question, Counter())[granted] += 1
    rules = "".join(
        _rule(number, question, AnswerCounts(count[True], count[False]))
        for number, (question, count) in enumerate(counts.items(), 1)
    )
    return HEAD.format(id=json.dumps(id)) + ("rules:\n" + rules if rules else "rules: []\n")


def learned_effect(question: AnsweredQuestion, answers: AnswerCounts) -> PolicyEffect:
    """Return the effect of a rule: as the person always answered, else `confirm`. A risk keeps asking."""
    if answers.denied:
        return "confirm" if answers.granted else "deny"
    return "allow" if question.side_effect in _ORDINARY and not question.risk_tags else "confirm"


def _rule(number: int, question: AnsweredQuestion, answers: AnswerCounts) -> str:
    effect = learned_effect(question, answers)
    match = {
        "actionIds": [question.action],
        "origins": [question.origin],
        "roles": [question.role],
        **({"stableIds": [question.stable_id]} if question.stable_id else {}),
        "sideEffectClasses": [question.side_effect],
        **({"riskTags": list(question.risk_tags)} if question.risk_tags else {}),
    }
    lines = [f"  # answered {answers.granted} times with yes, {answers.denied} times with no"]
    if effect == "allow" and not question.stable_id:
        lines.append(
            f"  # it has no stable id: the rule covers every {question.role} like it; enable it after review"
        )
    lines += [f"  - id: answer-{number}", f"    match: {json.dumps(match, ensure_ascii=False)}"]
    lines.append(f"    effect: {effect}")
    if effect == "allow" and not question.stable_id:
        lines.append("    enabled: false")
    if effect == "confirm" and not answers.denied:
        lines.append("    confirmation: { remember: session }")
    return "\n".join(lines) + "\n"
