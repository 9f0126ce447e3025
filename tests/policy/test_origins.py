"""The origins of a session: acting on another one, and carrying a text to one, is a crossing that names both."""

from __future__ import annotations

from uiap.policy.origins import SessionOrigins

HERE, THERE = "https://app.example", "https://evil.example"
OPENED = SessionOrigins(act=(HERE,), read=("https://docs.example",))


def test_acting_elsewhere_or_carrying_a_text_is_a_crossing() -> None:
    assert OPENED.action_crossing(HERE, "draft", "") == ""
    assert OPENED.action_crossing(THERE, "none", "") == ""
    assert HERE in OPENED.action_crossing(THERE, "draft", "")
    assert "https://docs.example" in OPENED.action_crossing("https://docs.example", "ui_state", "")
    assert THERE in OPENED.action_crossing(HERE, "draft", THERE)


def test_a_page_without_an_origin_is_another_origin() -> None:
    assert HERE in OPENED.action_crossing("null", "draft", "")
    assert OPENED.action_crossing("null", "none", "") == ""
    assert SessionOrigins().action_crossing("null", "draft", "") == ""


def test_before_anything_is_opened_there_is_no_crossing() -> None:
    assert SessionOrigins().action_crossing(THERE, "draft", "") == ""


def test_all_origins_of_a_host_that_a_person_named_belong_to_the_session() -> None:
    named = SessionOrigins(act=(HERE,), hosts=("localhost",))
    assert named.action_crossing("http://localhost:8000", "draft", "") == ""
    assert named.action_crossing("https://localhost:9000", "data_write", "") == ""
    for other in ("http://localhost.evil.example", "http://127.0.0.1:8000", THERE):
        assert "localhost" in named.action_crossing(other, "draft", "")
