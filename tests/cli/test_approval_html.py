"""The approval page: everything from outside is escaped, and the page knows what it shows."""

from __future__ import annotations

from typing import Any

from uiap.cli.approval_html import handoff_card, page, picture, shown_ids

EVIL = '"><script>alert(1)</script>'


def question(**members: Any) -> dict[str, Any]:
    request = {
        "summary": f"delete {EVIL}",
        "actionId": "ui.activate",
        "risk": {"level": "confirm", "reason": EVIL},
    }
    return {
        "actionHandle": "act_1",
        "bond": "d1",
        "request": request,
        "expiresInMs": 1000,
        "principal": "bot",
        **members,
    }


def test_no_value_of_a_question_becomes_markup() -> None:
    html = page([question()], form_key=EVIL, nonce="n1")
    assert "<script>alert" not in html
    assert html.count("<script") == 1 and '<script nonce="n1">' in html


def test_the_title_counts_what_waits() -> None:
    step = {"actionHandle": "act_2", "note": "solve the captcha"}
    assert "Nothing to confirm" in page([], form_key="k", nonce="n")
    assert "2 actions wait" in page([question()], form_key="k", nonce="n", handoffs=[step])
    assert shown_ids([question()], [step]) == ["d1", "act_2"]


def test_a_handed_off_step_can_be_done_or_declined() -> None:
    card = handoff_card({"actionHandle": "act_2", "note": EVIL}, 0, "k")
    assert 'value="done"' in card and 'value="declined"' in card
    assert "<script>" not in card


def test_the_target_is_marked_on_the_picture_only_if_its_position_is_known() -> None:
    assert "<rect" not in picture(question())
    marked = picture(question(box={"x": 10, "y": 20, "width": 30, "height": 40}))
    assert 'x="4" y="14" width="42" height="52"' in marked
