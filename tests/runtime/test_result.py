"""The result of one action, collected while it runs."""

from __future__ import annotations

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


def test_only_a_failure_without_a_side_effect_may_be_retried() -> None:
    builder = ResultBuilder("act_1", "ui.activate")
    assert builder.error(Failure("target_not_found", "nothing fits"), None).retryable is True
    unknown = Failure("internal_runtime_error", "it is not known", "unknown")
    assert builder.error(unknown, None).retryable is False
    assert {"outcome", "failureClass"} <= set(builder.metadata)
