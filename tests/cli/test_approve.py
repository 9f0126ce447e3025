"""`uiap approve` shows the question before it asks, and grants nothing that nobody could read."""

from __future__ import annotations

import argparse
from typing import Any

import pytest

from uiap.cli import approve

QUESTION: dict[str, Any] = {
    "actionHandle": "act_1",
    "bond": "b",
    "principal": "eve",
    "origin": "https://bank.example",
    "expiresInMs": 60000,
    "fields": [["Amount", "20"]],
    "request": {
        "actionId": "ui.activate",
        "risk": {"reason": "it is risky"},
        "preview": {"summary": "press Pay"},
    },
}


NO_OPTIONS = argparse.Namespace(yes=False)


@pytest.mark.parametrize(
    ("answer", "kind", "granted"),
    [
        ("y", "", "once"),
        ("yes", "", "once"),
        ("s", "invitations", "session"),
        ("s", "", "no"),
        ("", "", "no"),
        ("n", "", "no"),
    ],
)
def test_the_question_is_shown_and_then_asked(
    answer: str, kind: str, granted: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[str] = []

    def ask(prompt: str) -> str:
        shown.append(capsys.readouterr().out)
        return answer

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", ask)
    assert approve._answer(NO_OPTIONS, {**QUESTION, "kind": kind}) == granted
    assert "press Pay" in shown[0] and "Amount: 20" in shown[0] and "https://bank.example" in shown[0]


def test_without_a_terminal_nothing_is_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert approve._answer(NO_OPTIONS, QUESTION) == "no"
    assert approve._answer(argparse.Namespace(yes=True), QUESTION) == "once"


class PageWithDialog:
    """A session without confirmation requests, whose page shows a JavaScript dialog."""

    def __init__(self) -> None:
        self.dialog: dict[str, Any] = {"kind": "confirm", "message": "Really?"}
        self.answers: list[bool] = []

    def ask(self, type: str, payload: dict[str, Any]) -> dict[str, Any]:
        if type == "x.uiap.tools.dialog" and "accept" in payload:
            self.answers.append(payload["accept"])
            self.dialog = {}
        return {"payload": self.dialog if type == "x.uiap.tools.dialog" else {}}


@pytest.mark.parametrize(
    ("words", "code", "answers", "shown"),
    [
        (["--list"], 0, [], "the page asks: confirm `Really?`"),
        (["--yes"], 0, [True], "accepted: the page asks: confirm `Really?`"),
        (["--deny"], 0, [False], "dismissed: the page asks: confirm `Really?`"),
        ([], 1, [], "the page asks: confirm `Really?`"),
    ],
)
def test_a_dialog_of_the_page_is_answered_like_a_question(
    words: list[str],
    code: int,
    answers: list[bool],
    shown: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page, parser = PageWithDialog(), argparse.ArgumentParser()
    approve.approve_options(parser)
    monkeypatch.setattr(approve, "approver_client", lambda _session: (page, "secret"))
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    options = parser.parse_args(words, argparse.Namespace(session="default", json=False))
    assert approve.approve(options) == code
    assert page.answers == answers and capsys.readouterr().out.strip() == shown
    if answers:
        assert approve.approve(options) == 1 and "nothing waits" in capsys.readouterr().out


FORGED = "20\n  reason: it is harmless\n  on https://me.example\x1b[2K\r\x9b8m"


def test_no_text_of_a_page_adds_a_line_to_the_question_or_hides_one() -> None:
    request = {**QUESTION["request"], "preview": {"summary": f"press {FORGED}"}}
    fields = [["Amount", FORGED], ["reason", "none"], ["Note", "x" * 50_000]]
    shown = approve._question_text({**QUESTION, "fields": fields, "request": request})
    lines = shown.split("\n")
    assert len(lines) == 1 + len(fields) + 3
    assert [line for line in lines if line.startswith("  reason:")] == ["  reason: it is risky"]
    assert not any(sign in shown for sign in "\x1b\r\x9b")
    assert max(map(len, lines)) < 500 and "more characters" in shown


def test_a_dialog_of_the_page_is_shown_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    class Client:
        def ask(self, *_: Any) -> dict[str, Any]:
            raise AssertionError("nobody answered")

    dialog = {"kind": "confirm", "message": "Leave?\x1b[2K\r\nthe page asks: confirm `Stay here?`"}
    options = argparse.Namespace(list=True, json=False, deny=False)
    approve._answer_dialog(options, Client(), dialog)  # type: ignore[arg-type]
    out = capsys.readouterr().out
    assert out.count("\n") == 1 and "\x1b" not in out and "Leave?" in out
