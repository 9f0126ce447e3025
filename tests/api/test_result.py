"""The result of an action: true only if the effect was observed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from uiap.api.result import ActionFailed, Result
from uiap.spec.action import ActionResultPayload


def result(status: str, **members: Any) -> Result:
    message = {
        "actionHandle": "act_1",
        "actionId": "ui.activate",
        "status": status,
        "verification": {"passed": status == "succeeded", "policy": "all", "observed": []},
        **members,
    }
    return Result(msgspec.convert(message, ActionResultPayload), None)  # type: ignore[arg-type]


def test_only_a_succeeded_action_is_true() -> None:
    assert result("succeeded") and result("succeeded").check()
    for status in ("failed", "cancelled"):
        assert not result(status)


def test_a_failure_raises_its_code_message_and_result() -> None:
    failed = result("failed", error={"code": "stale_target", "message": "it changed"})
    with pytest.raises(ActionFailed, match="it changed") as raised:
        failed.check()
    assert raised.value.code == "stale_target"
    assert raised.value.result is failed


def test_a_replayed_result_says_so_and_absent_members_are_none_or_empty() -> None:
    assert result("succeeded", metadata={"replayed": True}).replayed
    plain = result("succeeded")
    assert not plain.replayed
    assert (plain.error, plain.target, plain.return_value, plain.metadata) == (None, None, {}, {})
    assert plain.to_dict()["status"] == "succeeded"
