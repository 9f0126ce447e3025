"""Policies in Cedar, for organisations that already have them: each case is asked there too, and the stricter counts.

A document carries them as text in `metadata.cedar`. Cedar knows permit and forbid; `@uiap("confirm")` or
`@uiap("handoff")` on a permit makes it that. What Cedar does not permit, or cannot evaluate, is denied.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from msgspec import UNSET

from uiap.errors import Unavailable
from uiap.policy.request import PolicyRequest
from uiap.spec.policy import POLICY_EFFECTS, PolicyDocument, PolicyEffect

ANNOTATION = "uiap"
_ASKS: tuple[PolicyEffect, ...] = ("confirm", "handoff")


def cedar_of(document: PolicyDocument) -> CedarPolicies | None:
    """The Cedar policies of a document, compiled; None where it has none."""
    text = None if document.metadata is UNSET else document.metadata.get("cedar")
    return CedarPolicies(text) if isinstance(text, str) else None


class CedarPolicies:
    """One set of policies. `decide` gives the effect and the ids of the policies that decided."""

    def __init__(self, text: str) -> None:
        try:
            self._cedar: Any = import_module("cedarpy")
        except ImportError:
            raise Unavailable("policies in Cedar need an extra: pip install 'uiap[cedar]'") from None
        try:
            self._policies = self._cedar.PolicySet.from_str(text)
            parsed = json.loads(self._cedar.policies_to_json_str(text))["staticPolicies"]
        except ValueError as error:
            raise Unavailable(f"these are no policies in Cedar: {error}") from None
        self._names = {id: one.get("annotations", {}).get("id", id) for id, one in parsed.items()}
        self._asks = {id: _effect(id, one) for id, one in parsed.items()}

    def decide(self, case: PolicyRequest) -> tuple[PolicyEffect, str]:
        found = self._cedar.is_authorized(cedar_request(case), self._policies, cedar_entities(case))
        if found.diagnostics.errors:  # a policy that fails might have forbidden it
            return "deny", "cedar: a policy could not be evaluated"
        reasons = sorted(found.diagnostics.reasons)
        if not found.allowed:
            return "deny", self._said(reasons, "nothing permits it")
        effect = max((self._asks[id] for id in reasons), key=POLICY_EFFECTS.index)
        return effect, self._said([id for id in reasons if self._asks[id] == effect], "permitted")

    def _said(self, ids: list[str], otherwise: str) -> str:
        return "cedar: " + (", ".join(self._names[id] for id in ids) or otherwise)


def _effect(id: str, policy: dict[str, Any]) -> PolicyEffect:
    given = policy.get("annotations", {}).get(ANNOTATION)
    if policy["effect"] == "forbid":
        return "deny"
    if given is None or given == "allow":
        return "allow"
    if given not in _ASKS:
        raise Unavailable(f"`@{ANNOTATION}({given!r})` of `{id}` is not known; use confirm or handoff")
    asks: PolicyEffect = given
    return asks


def cedar_request(case: PolicyRequest) -> dict[str, Any]:
    """The case in Cedar's words; every fact is there, so that a policy may ask for it without looking first."""
    return {
        "principal": _uid(case.principal_type.capitalize(), case.principal_id),
        "action": _uid("Action", case.action_id or "observe"),
        "resource": _uid("Element", case.stable_id or ""),
        "context": {
            "operation": case.operation,
            "actionKind": case.action_kind or "",
            "actionKnown": case.action_known,
            "executionMode": case.execution_mode or "",
            "sideEffect": case.side_effect,
            "riskLevel": case.risk_level,
            "riskTags": sorted(case.risk_tags),
            "dataClasses": sorted(case.data_classes),
            "grants": sorted(case.grants),
            "role": case.role or "",
            "meaning": case.meaning or "",
            "scopeId": case.scope_id or "",
            "scopeKind": case.scope_kind or "",
            "routeId": case.route_id or "",
            "origin": case.origin or "",
            "workflowId": case.workflow_id or "",
            "interactionMode": case.interaction_mode or "",
            "opaque": case.opaque,
            "targetCertain": case.target_certain,
        },
    }


def cedar_entities(case: PolicyRequest) -> list[dict[str, Any]]:
    """The principal is in its roles: `principal in Uiap::Role::"clerk"`."""
    roles = [{"type": "Uiap::Role", "id": role} for role in sorted(case.principal_roles)]
    who = {"type": f"Uiap::{case.principal_type.capitalize()}", "id": case.principal_id}
    return [
        {"uid": who, "attrs": {}, "parents": roles},
        *({"uid": role, "attrs": {}, "parents": []} for role in roles),
    ]


def _uid(type: str, id: str) -> str:
    return f"Uiap::{type}::{json.dumps(id, ensure_ascii=False)}"
