"""The origins of a session: acting on another one, and carrying a text to one, is a crossing that names both."""

from __future__ import annotations

import pytest

from uiap.policy.origins import SessionOrigins

HERE, THERE = "https://app.example", "https://evil.example"
OPENED = SessionOrigins(act=(HERE,), read=("https://docs.example",), current_url=f"{HERE}/start")


@pytest.mark.parametrize("url", ["/videos", f"{HERE}/x", "https://docs.example/y", "history:back", "?q=1"])
def test_going_to_an_origin_of_the_session_is_no_crossing(url: str) -> None:
    assert OPENED.destination_crossing(url) == ""


@pytest.mark.parametrize(
    "url", [THERE, "//evil.example/x", "http://app.example/", "https://app.example:8443/"]
)
def test_going_elsewhere_is_a_crossing_that_names_both_origins(url: str) -> None:
    why = OPENED.destination_crossing(url)
    assert HERE in why and "it goes to" in why


def test_acting_elsewhere_or_carrying_a_text_is_a_crossing() -> None:
    assert OPENED.action_crossing(HERE, "draft", "") == ""
    assert OPENED.action_crossing(THERE, "none", "") == ""
    assert HERE in OPENED.action_crossing(THERE, "draft", "")
    assert "https://docs.example" in OPENED.action_crossing("https://docs.example", "ui_state", "")
    assert THERE in OPENED.action_crossing(HERE, "draft", THERE)


def test_before_anything_is_opened_there_is_no_crossing() -> None:
    assert SessionOrigins().destination_crossing(THERE) == ""
