"""Keys of messages: which messages a page is known to push by itself."""

from __future__ import annotations

import pytest

from uiap.signals.watch_events import exact_key, text_key, was_pushed
from uiap.spec.web import StatusUpdatedSignal, ToastShownSignal


@pytest.mark.parametrize(
    ("known", "text", "pushed"),
    [
        (text_key(ToastShownSignal(text="3 users online")), "4 users online", True),
        (exact_key(ToastShownSignal(text="3 in your cart")), "4 in your cart", False),
        (exact_key(ToastShownSignal(text="Saved")), "Saved", True),
        (text_key(StatusUpdatedSignal(text="Saved")), "Saved", False),
    ],
)
def test_a_message_that_the_page_pushed_may_have_another_number(known: str, text: str, pushed: bool) -> None:
    assert was_pushed({known: 1}, ToastShownSignal(text=text)) is pushed
