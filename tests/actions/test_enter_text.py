"""ui.enterText: a line break is text in a field of several lines, and refused elsewhere."""

from __future__ import annotations

import pytest

from tests.support.playbook import Playbook, action, button, found, request, started


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
