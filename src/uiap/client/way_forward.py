"""The way forward after a refusal or failure, in one sentence per reason. It needs the standard library alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

NO_DETAIL: Mapping[str, Any] = MappingProxyType({})
WAYS: Mapping[str, str] = MappingProxyType(
    {
        "policy_denied": "a person can do it in the page themselves, or allow it in a policy file: uiap open --policy",
        "confirmation_denied": "a person denied it or did not answer; ask them before you try again",
        "forbidden": "only a person may do this; ask them to do it",
        "user_activation_required": "only a person may do this; ask them to do it",
        "stale_target": "the element is gone; read the page again: uiap observe",
        "target_not_interactable": "close what covers it, or fill in what is required first",
        "affordance": "name the control itself, by its ref or with --role, or click it and act on what opens",
        "invalid_args": "",
        "secret_missing": "",
        "verification_failed": "read the page before you decide, and do not just repeat it",
        "unsafe_retry_refused": "it may already have happened; read the page, and do not repeat it",
        "action_unsupported": "list the actions of this session: uiap capabilities",
        "cross_origin_unavailable": "it is in a frame of another site; open that site by its own address",
    }
)


def way_forward(reason: str, detail: Mapping[str, Any] = NO_DETAIL) -> str:
    """Return what to do next, empty if the message itself says it. The reason in the detail is the closer one."""
    return WAYS.get(str(detail.get("reason")), WAYS.get(reason, ""))
