"""The record of an action in terms of RFC 005: its intent, its expected state delta, and its lifecycle phase.

The intent is fixed with the request, and the delta before anything is dispatched. Results and traces carry both.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.runtime.expectation import Expectation, watched_signals
from uiap.runtime.word_target import parse_word_target
from uiap.spec.action import ActionRequestPayload, ActionTarget, ProgressStage
from uiap.spec.capability import CustomRef, SemanticRef
from uiap.spec.tools import LifecyclePhase

PHASES: Mapping[ProgressStage, LifecyclePhase] = MappingProxyType(
    {"checking_preconditions": "resolved", "verifying": "pending_verification"}
)
"""The phase that an action enters with a stage (MDM-4). The input enters `dispatched`, and the result the last one."""


def intent_of(request: ActionRequestPayload) -> str:
    """Return the intent of the request in words: the action and how it names its target. Values are left out."""
    args = {} if request.args is UNSET else request.args
    named = _target_words(request.target) or str(args.get("url", ""))
    return f"{request.action_id} {named}".strip()


def _target_words(target: Any) -> str:
    if not isinstance(target, ActionTarget):
        return ""
    if isinstance(target.ref, SemanticRef):
        return f"{target.ref.role} “{target.ref.name}”" if target.ref.name else target.ref.role
    if isinstance(target.ref, CustomRef) and (words := parse_word_target(target.ref.value)) is not None:
        narrowed = (("near", words.near), ("within", words.within))
        return " ".join(
            [words.role or "", f"“{words.text}”", *(f"{how} “{text}”" for how, text in narrowed if text)]
        ).strip()
    if target.ref is not UNSET:
        return target.ref.value
    return "" if target.expected_role is UNSET else target.expected_role


def expected_delta(expectation: Expectation) -> dict[str, Any]:
    """Return the state delta that the verification demands (MDM-6c)."""
    signals = [msgspec.to_builtins(one) for one in watched_signals(expectation)]
    kinds = {
        "change": expectation.any_change,
        "route": expectation.arrival,
        "in_view": expectation.in_view,
        "hovered": expectation.hovered,
        "read_back": expectation.read_back,
        "value": expectation.value_proof is not None,
        "signals": bool(signals),
    }
    delta: dict[str, Any] = {"kinds": [kind for kind, wanted in kinds.items() if wanted]}
    if signals:
        delta["signals"] = signals
    if expectation.value_proof is not None:
        delta["value"] = expectation.value_proof.description
    return {**delta, "policy": expectation.policy, "timeoutMs": round(expectation.timeout_s * 1000)}
