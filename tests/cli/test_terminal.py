"""A person's terminal: texts of pages cannot control it."""

from __future__ import annotations

import io

import pytest

from uiap.cli.terminal import guarded, one_line, visible


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Kb", "a␛[2Kb"),
        ("\x1b[8mhidden", "␛[8mhidden"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("one\rtwo", "one␍two"),
        ("\x9b2J", "\ufffd2J"),
        ("\u202ereversed", "\ufffdreversed"),
        ("\x1b[31mred\x1b[0m\tand\nplain", "\x1b[31mred\x1b[0m\tand\nplain"),
        ("\r\x1b[2K3 routes", "\r\x1b[2K3 routes"),
    ],
)
def test_only_our_own_sequences_reach_a_terminal(text: str, shown: str) -> None:
    terminal = Terminal()
    print(text, end="", file=guarded(terminal))
    assert terminal.getvalue() == shown == visible(text)


def test_a_file_gets_a_text_as_it_is() -> None:
    file = io.StringIO()
    print("a\x1b[2Kb", end="", file=guarded(file))
    assert file.getvalue() == "a\x1b[2Kb"


def test_a_text_of_a_page_stays_on_one_line_and_is_cut() -> None:
    assert one_line("a\n b\u200bc\x1b[2K") == "a bc[2K"
    assert one_line("x" * 1_000).endswith("… (600 more characters)")
