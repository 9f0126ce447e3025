"""The short forms of expected signals."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from uiap.client.signal_words import signal_of
from uiap.mcp_server.expectations import signals
from uiap.signals.registry import CUSTOM_FAMILIES
from uiap.spec.capability import SuccessSignal


@pytest.mark.parametrize(
    ("word", "sent"),
    [
        ("toast.contains:saved: 7", {"kind": "toast.contains", "text": "saved: 7"}),
        (
            "text.appeared:Order 7",
            {"kind": "custom", "name": "text.appeared", "payload": {"text": "Order 7"}},
        ),
        ("tab.opened", {"kind": "custom", "name": "tab.opened"}),
        ("tab.opened:/help", {"kind": "custom", "name": "tab.opened", "payload": {"url": "/help"}}),
        (
            "download.completed:*.csv",
            {"kind": "custom", "name": "download.completed", "payload": {"name": "*.csv"}},
        ),
        ("print.requested", {"kind": "custom", "name": "print.requested"}),
    ],
)
def test_a_short_form_is_a_signal(word: str, sent: dict[str, Any]) -> None:
    assert signal_of(word) == sent
    assert msgspec.convert(sent, SuccessSignal) is not None


@pytest.mark.parametrize("word", ["text.appeared", "toast.contains", "nonsense:x"])
def test_a_form_without_its_text_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="is not an expectation"):
        signal_of(word)


@pytest.mark.parametrize("kind", CUSTOM_FAMILIES)
def test_a_model_writes_the_name_of_our_own_signals_as_the_kind(kind: str) -> None:
    (signal,) = signals([{"kind": kind, "text": "x"}])
    assert msgspec.to_builtins(signal) == {"kind": "custom", "name": kind, "payload": {"text": "x"}}
