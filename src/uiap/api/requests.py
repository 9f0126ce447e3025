"""Build the members of a request from Python arguments: target, expected signals, presentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.api.absent import absent_for_none
from uiap.api.signals import target as reference
from uiap.api.verbs import VerbOptions
from uiap.client.verbs import by_words
from uiap.runtime.word_target import OTHER_ROLE_NAMES
from uiap.spec.action import (
    ActionRequestPayload,
    ActionTarget,
    PresentationHints,
    VerificationPolicy,
    VerificationSpec,
)
from uiap.spec.capability import CustomRef, InstanceIdRef, SuccessSignal
from uiap.timeouts import REPLY_S

_SIGNAL: Any = SuccessSignal


def target(
    ref: str | None, stable_id: str | None, role: Any, name: str | None, scope: str | None
) -> ActionTarget | msgspec.UnsetType:
    """Return the target; role and name next to an id are expectations that the element must still meet.

    A name alone is searched as a verb searches its words: in names first, then in texts.
    """
    if ref is None and stable_id is None and role is None:
        words = by_words(name, within=scope) if name else ""
        return ActionTarget(ref=CustomRef(value=words)) if words else UNSET
    role = OTHER_ROLE_NAMES.get(role, role)
    element = reference(ref=ref, stable_id=stable_id, role=role, name=name, scope=scope)
    if ref is None and stable_id is None:
        return ActionTarget(ref=element)
    assert not isinstance(element, InstanceIdRef) or ref is not None
    return ActionTarget(
        ref=element,
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
    expected = signals(expect)
    return VerificationSpec(
        policy=policy or ("all" if expected else UNSET),
        signals=expected or UNSET,
        timeout_ms=verify_ms if verify_ms is not None else UNSET,
    )


def signals(given: Sequence[SuccessSignal | Mapping[str, Any]]) -> tuple[SuccessSignal, ...]:
    """Return the signals as structs; mappings are written as in the protocol."""
    return tuple(msgspec.convert(s, _SIGNAL) if isinstance(s, Mapping) else absent_for_none(s) for s in given)


def of_verb(request: dict[str, Any], options: VerbOptions) -> ActionRequestPayload:
    """Return the request of a verb with the options of the caller."""
    payload = msgspec.convert(request, ActionRequestPayload)
    expected = options.get("expect", ())
    return msgspec.structs.replace(
        payload,
        verification=verification(expected, None, None) if expected else payload.verification,
        timeout_ms=options.get("timeout_ms", UNSET),
        idempotency_key=options.get("idempotency_key", UNSET),
    )


def reply_timeout_s(timeout_ms: float | None) -> float:
    """Return how long to wait for a reply that the session sends after at most `timeout_ms`."""
    return (timeout_ms or 0.0) / 1000 + REPLY_S
