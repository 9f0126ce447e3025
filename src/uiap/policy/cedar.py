"""Policies in Cedar, for organisations that already have them. They are evaluated too, and the stricter result counts.

A document carries them as text in `metadata.cedar`. Cedar knows permit and forbid; `@uiap("confirm")` or
`@uiap("handoff")` on a permit requires that. A request that Cedar does not permit, or cannot evaluate, is denied.
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
    """Return the compiled Cedar policies of a document, or None if it has none."""
    text = None if document.metadata is UNSET else document.metadata.get("cedar")
    return CedarPolicies(text) if isinstance(text, str) else None


class CedarPolicies:
    """One set of Cedar policies."""

    def __init__(self, text: str) -> None:
        try:
            self._cedar: Any = import_module("cedarpy")
        except ImportError:
            raise Unavailable("policies in Cedar need an extra: pip install 'uiap[cedar]'") from None
        try:
            self._policies = self._cedar.PolicySet.from_str(text)
            parsed = json.loads(self._cedar.policies_to_json_str(text))["staticPolicies"]
        except ValueError as error:
            raise Unavailable(f"not valid Cedar policies: {error}") from None
        self._names = {id: one.get("annotations", {}).get("id", id) for id, one in parsed.items()}
        self._effects = {id: _effect(id, one) for id, one in parsed.items()}

    def decide(self, request: PolicyRequest) -> tuple[PolicyEffect, str]:
        """Return the effect and the names of the policies that decided."""
        found = self._cedar.is_authorized(cedar_request(request), self._policies, cedar_entities(request))
        if found.diagnostics.errors:  # a policy that fails might have forbidden it
            return "deny", "cedar: a policy could not be evaluated"
        reasons = sorted(found.diagnostics.reasons)
        if not found.allowed:
            return "deny", self._policy_names(reasons, "nothing permits it")
        effect = max((self._effects[id] for id in reasons), key=POLICY_EFFECTS.index)
        return effect, self._policy_names([id for id in reasons if self._effects[id] == effect], "permitted")

    def _policy_names(self, ids: list[str], otherwise: str) -> str:
        return "cedar: " + (", ".join(self._names[id] for id in ids) or otherwise)


def _effect(id: str, policy: dict[str, Any]) -> PolicyEffect:
    given = policy.get("annotations", {}).get(ANNOTATION)
    if policy["effect"] == "forbid":
        return "deny"
    if given is None or given == "allow":
        return "allow"
    if given not in _ASKS:
        raise Unavailable(f"`@{ANNOTATION}({given!r})` of `{id}` is not known; use confirm or handoff")
    effect: PolicyEffect = given
    return effect


def cedar_request(request: PolicyRequest) -> dict[str, Any]:
    """Return the request for Cedar. Every fact is present, so that a policy need not test for it."""
    return {
        "principal": _uid(request.principal_type.capitalize(), request.principal_id),
        "action": _uid("Action", request.action_id or "observe"),
        "resource": _uid("Element", request.stable_id or ""),
        "context": {
            "operation": request.operation,
            "actionKind": request.action_kind or "",
            "actionKnown": request.action_known,
            "executionMode": request.execution_mode or "",
            "sideEffect": request.side_effect,
            "riskLevel": request.risk_level,
            "riskTags": sorted(request.risk_tags),
            "dataClasses": sorted(request.data_classes),
            "grants": sorted(request.grants),
            "role": request.role or "",
            "meaning": request.meaning or "",
            "scopeId": request.scope_id or "",
            "scopeKind": request.scope_kind or "",
            "routeId": request.route_id or "",
            "origin": request.origin or "",
            "workflowId": request.workflow_id or "",
            "interactionMode": request.interaction_mode or "",
            "opaque": request.opaque,
            "targetCertain": request.target_certain,
        },
    }


def cedar_entities(request: PolicyRequest) -> list[dict[str, Any]]:
    """Return the principal as a member of its roles, for `principal in Uiap::Role::"clerk"`."""
    roles = [{"type": "Uiap::Role", "id": role} for role in sorted(request.principal_roles)]
    principal = {"type": f"Uiap::{request.principal_type.capitalize()}", "id": request.principal_id}
    return [
        {"uid": principal, "attrs": {}, "parents": roles},
        *({"uid": role, "attrs": {}, "parents": []} for role in roles),
    ]


def _uid(type: str, id: str) -> str:
    return f"Uiap::{type}::{json.dumps(id, ensure_ascii=False)}"
