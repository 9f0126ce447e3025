"""Writing text: the gestures, the values that count as the text, and refused line breaks."""

from __future__ import annotations

import pytest

from tests.support.playbook import Playbook, action, button, found, request, started
from uiap.actions.enter_text import ACTION
from uiap.actions.ops import Guard, Holds, Press, SetText, TypeText
from uiap.spec.web import ElementNode, WebElementState

GUARD = Guard(node="e1")


def field(text: str, *, sensitive: bool = False) -> ElementNode:
    state = WebElementState(visible=True, editable=True, text_value=text)
    return button("Phone", role="textbox", state=WebElementState(sensitive=True) if sensitive else state)


@pytest.mark.requirement("ACT-11.5")
def test_nothing_commits_the_text_unless_the_caller_asks_for_it() -> None:
    plan = ACTION.plan("externalDriver", GUARD, field(""), {"text": "x"})
    assert [type(op) for op in plan] == [SetText]
    plan = ACTION.plan("externalDriver", GUARD, field(""), {"text": "x", "commit": True})
    assert [type(op) for op in plan] == [SetText, Press] and plan[1].key == "Tab"  # type: ignore[union-attr]


def test_text_can_be_added_and_a_masked_field_is_compared_in_the_page() -> None:
    added = ACTION.plan("externalDriver", GUARD, field(""), {"text": "x", "clear": False})
    assert [type(op) for op in added] == [TypeText]
    masked = ACTION.plan("externalDriver", GUARD, field("", sensitive=True), {"text": "x"})
    assert [type(op) for op in masked] == [SetText, Holds]


def test_a_formatted_value_counts_only_after_the_text_was_typed() -> None:
    proof = ACTION.equivalent({"text": "5551234567"})
    assert proof is not None and proof.description == "value formatted by the page"
    assert proof.test(field("(555) 123-4567"), {"typed": True})
    assert not proof.test(field("(555) 123-4567"), {}), "a value from before is typed again"
    assert not proof.test(field("(555) 123-456"), {"typed": True})
    assert ACTION.equivalent({"text": {"secret": "pin"}}) is None


def typed(text: str, role: str) -> Playbook:
    wanted = request("ui.enterText", args={"text": text, "clear": False})
    return Playbook(action(wanted)) >> started >> found(button(role=role))


@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n", "\u2028", "\x0b", "\x85"])
@pytest.mark.parametrize("role", ["textbox", "searchbox", "combobox", "spinbutton"])
def test_a_line_break_in_a_single_line_is_refused(line_break: str, role: str) -> None:
    play = typed(f"hello{line_break}", role)
    assert play.result.error.code == "action_unsupported" and "line break" in play.message


@pytest.mark.parametrize(("text", "role"), [("a\nb", "textarea"), ("a b", "textbox")])
def test_a_line_break_is_text_in_a_field_of_several_lines(text: str, role: str) -> None:
    assert typed(text, role).results == []
