"""What people write, as the members of a request: target, expectations, presentation. Nothing here is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.api.signals import target as reference
from uiap.spec.action import ActionTarget, PresentationHints, VerificationPolicy, VerificationSpec
from uiap.spec.capability import InstanceIdRef, SuccessSignal
from uiap.timeouts import REPLY_S

_SIGNAL: Any = SuccessSignal


def target(
    ref: str | None, stable_id: str | None, role: Any, name: str | None, scope: str | None
) -> ActionTarget | msgspec.UnsetType:
    """Role and name beside an id are expectations: the element must still be that."""
    if ref is None and stable_id is None and role is None:
        return UNSET
    named = reference(ref=ref, stable_id=stable_id, role=role, name=name, scope=scope)
    if ref is None and stable_id is None:
        return ActionTarget(ref=named)
    assert not isinstance(named, InstanceIdRef) or ref is not None
    return ActionTarget(
        ref=named,
        expected_role=role or UNSET,
        expected_name=name if name is not None else UNSET,
        expected_scope_id=scope or UNSET,
    )


def presentation(
    given: PresentationHints | Mapping[str, Any] | bool | None,
) -> PresentationHints | msgspec.UnsetType:
    if given is None or given is False:
        return UNSET
    if given is True:
        return PresentationHints(ghost_cursor=True, highlight="outline", pace="humanized")
    return given if isinstance(given, PresentationHints) else msgspec.convert(given, PresentationHints)


def verification(
    expect: Sequence[SuccessSignal | Mapping[str, Any]],
    policy: VerificationPolicy | None,
    verify_ms: float | None,
) -> VerificationSpec | msgspec.UnsetType:
    if not expect and policy is None and verify_ms is None:
        return UNSET
    wanted = signals(expect)
    return VerificationSpec(
        policy=policy or ("all" if wanted else UNSET),
        signals=wanted or UNSET,
        timeout_ms=verify_ms if verify_ms is not None else UNSET,
    )


def signals(given: Sequence[SuccessSignal | Mapping[str, Any]]) -> tuple[SuccessSignal, ...]:
    return tuple(msgspec.convert(s, _SIGNAL) if isinstance(s, Mapping) else s for s in given)


def reply_timeout_s(timeout_ms: float | None) -> float:
    """How long the caller waits for an answer that may take so long by its own terms."""
    return (timeout_ms or 0.0) / 1000 + REPLY_S
