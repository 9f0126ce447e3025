"""The review of a package by a person: its subjects in groups, one decision for each, and the reviewed package.

Decisions are kept apart from the package, so that a review can be continued and its last decision undone. An accepted
finding is `verified` and names the review as evidence, a rejected one is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from uiap.spec.discovery import DiscoveryPackage, EvidenceIndex, EvidenceItem, EvidenceRef

_KEY_PARTS = 3
"""The key of an element has at least its scopes, its role and its text."""
Verdict = Literal["accept", "reject", "rename"]
KINDS = ("element", "action", "workflow")
RULE_MEMBERS = ("kind", "group", "confidence", "severity", "role")


_ACTION_ID = re.compile(r"[A-Za-z][\w-]*(\.[\w-]+)+")


class FindingDecision(msgspec.Struct, frozen=True, kw_only=True):
    """The decision of a person about one finding."""

    kind: str
    id: str
    verdict: Verdict
    name: str | None = None
    by: str = ""
    at: str = ""


class Subject(NamedTuple):
    """A finding that a person decides about."""

    kind: str
    id: str
    title: str
    group: str
    """The route where it is, or `everywhere`."""
    confidence: str
    role: str
    severity: str
    """The highest severity of the questions about it; `none` without one."""
    questions: tuple[str, ...]

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.id}"


def subjects(package: DiscoveryPackage) -> list[Subject]:
    """Return every element, action and workflow, in groups by route and in the order of urgency within a group."""
    found = [
        *(_subject(package, "element", one.semantic_key, one) for one in package.element_catalog.elements),
        *(
            _subject(package, "action", one.id, one)
            for one in package.action_catalog.actions
            if one.kind != "primitive"
        ),
        *(_subject(package, "workflow", one.id, one) for one in _workflows(package)),
    ]
    order = ("high", "medium", "low", "none")
    return sorted(found, key=lambda one: (one.group, order.index(one.severity), one.kind, one.id))


def open_subjects(package: DiscoveryPackage, decisions: Iterable[FindingDecision]) -> list[Subject]:
    """Return the subjects without a decision. A new name alone is not a decision."""
    decided = {(one.kind, one.id) for one in decisions if one.verdict != "rename"}
    return [one for one in subjects(package) if (one.kind, one.id) not in decided]


def matches(subject: Subject, rule: str) -> bool:
    """Return whether a rule such as `kind=element,confidence=high` fits. Raise ValueError for an unknown member."""
    for part in rule.split(","):
        member, _, value = part.partition("=")
        if member not in RULE_MEMBERS:
            raise ValueError(f"`{member}` is no member of a rule; use {', '.join(RULE_MEMBERS)}")
        if getattr(subject, member) != value:
            return False
    return True


def reviewed_package(package: DiscoveryPackage, decisions: Iterable[FindingDecision]) -> DiscoveryPackage:
    """Return the package after the review: accepted findings are verified, rejected ones are left out."""
    given = list(decisions)
    items = [_evidence(number, one) for number, one in enumerate(given, 1)]
    flows = tuple(_decided("workflow", ((one.id, one) for one in _workflows(package)), given))
    elements = ((one.semantic_key, one) for one in package.element_catalog.elements)
    actions = ((one.id, one) for one in package.action_catalog.actions)
    index = package.evidence_index.items if package.evidence_index else ()
    left = len(open_subjects(package, given))
    counts = {verdict: sum(one.verdict == verdict for one in given) for verdict in ("accept", "reject")}
    return replace(
        package,
        element_catalog=replace(
            package.element_catalog, elements=tuple(_decided("element", elements, given))
        ),
        action_catalog=replace(package.action_catalog, actions=tuple(_decided("action", actions, given))),
        workflow_candidates=replace(package.workflow_candidates, workflows=flows)
        if package.workflow_candidates
        else UNSET,
        evidence_index=EvidenceIndex(items=(*index, *items)),
        metadata={**(package.metadata or {}), "reviewRequired": left > 0, "review": {**counts, "open": left}},
    )


def _decided(
    kind: str, findings: Iterable[tuple[str, Any]], decisions: list[FindingDecision]
) -> Iterator[Any]:
    own = [(number, one) for number, one in enumerate(decisions, 1) if one.kind == kind]
    for id, finding in findings:
        kept = finding
        for number, decision in own:
            if decision.id == id and kept is not None:
                kept = _with_decision(kept, number, decision)
        if kept is not None:
            yield kept


def _with_decision(finding: Any, number: int, decision: FindingDecision) -> Any:
    if decision.verdict == "reject":
        return None
    by_person = EvidenceRef(source="manual_review", ref_id=f"review:{number}")
    kept = replace(finding, discovered_by=(*finding.discovered_by, by_person))
    if decision.verdict == "accept":
        return replace(kept, review_state="verified", confidence="high")
    if decision.kind == "element":
        return replace(kept, names=tuple(dict.fromkeys((decision.name or "", *(finding.names or ())))))
    if decision.kind == "workflow":
        return replace(kept, title=decision.name or "")
    if _ACTION_ID.fullmatch(
        decision.name or ""
    ):  # the word by which an agent asks for it, such as `video.create`
        return replace(kept, id=decision.name)
    return replace(kept, metadata={**(finding.metadata or {}), "title": decision.name})


def _evidence(number: int, one: FindingDecision) -> EvidenceItem:
    inline = {"verdict": one.verdict, "about": f"{one.kind}:{one.id}", "by": one.by, "at": one.at}
    return EvidenceItem(ref_id=f"review:{number}", source="manual_review", kind="note", inline=inline)


def _subject(package: DiscoveryPackage, kind: str, id: str, one: Any) -> Subject:
    routes: Any = getattr(one, "routes", None) or getattr(one, "route_ids", None) or ()
    names: Any = getattr(one, "names", None) or ()
    given = names[0] if names else getattr(one, "title", UNSET) or (one.metadata or {}).get("title")
    title = given or (readable_key(id) if kind == "element" else id)
    refs = {id, one.stable_id} if kind == "element" and one.stable_id is not UNSET else {id}
    about = [
        item
        for item in package.review_queue.items
        if any(f"`{ref}`" in item.description for ref in refs) or (item.stable_id or None) in refs
    ]
    severities = {item.severity for item in about}
    severity = next((level for level in ("high", "medium", "low") if level in severities), "none")
    return Subject(
        kind,
        id,
        str(title),
        routes[0] if len(routes) == 1 else "everywhere",
        one.confidence,
        getattr(one, "role", kind),
        severity,
        tuple(item.description for item in about),
    )


def readable_key(key: str) -> str:
    """Return words for an element without a name: `link to /user1 of each row` for `/user|table|record link|/user1`."""
    parts = key.split("|")
    if len(parts) < _KEY_PARTS:
        return key
    role, text = parts[-2].removeprefix("record "), parts[-1].lstrip("#")
    leads = " to" if role == "link" and text.startswith("/") else ""
    named = f"{role}{leads} {text.partition('?')[0]}" if text else f"{role} without a name"
    return f"{named} of each row" if parts[-2].startswith("record ") else named


def _workflows(package: DiscoveryPackage) -> tuple[Any, ...]:
    return package.workflow_candidates.workflows if package.workflow_candidates else ()
