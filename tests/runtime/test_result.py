"""The result of one action, collected while it runs."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.runtime.outcome import Failure
from uiap.runtime.result import ResultBuilder


def test_a_recovery_is_noted_once() -> None:
    builder = ResultBuilder("act_1", "ui.activate")
    for text in ("scrolled", "resolved again", "scrolled"):
        builder.note(text)
    assert builder.notes == ["scrolled", "resolved again"]


def test_the_first_observed_effect_counts() -> None:
    builder = ResultBuilder("act_1", "ui.activate")
    builder.effect_seen(5.0)
    builder.effect_seen(9.0)
    assert builder.effect_at == 5.0


@pytest.mark.requirement("ACT-6.4b")
@pytest.mark.parametrize("code", ["action_unsupported", "confirmation_denied", "execution_mode_unavailable"])
def test_an_error_that_the_same_request_meets_again_is_not_retryable(code: Any) -> None:
    builder = ResultBuilder("act_1", "ui.activate")
    assert builder.error(Failure(code, "no"), None).retryable is False
    assert builder.error(Failure("target_not_interactable", "it is disabled"), None).retryable is True


def test_only_a_failure_without_a_side_effect_may_be_retried() -> None:
    builder = ResultBuilder("act_1", "ui.activate")
    assert builder.error(Failure("target_not_found", "nothing fits"), None).retryable is True
    unknown = Failure("internal_runtime_error", "it is not known", "unknown")
    assert builder.error(unknown, None).retryable is False
    assert {"outcome", "failureClass"} <= set(builder.metadata)
