"""The session commands offer what the Python API offers, and report bad input in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from uiap.cli.acting import result_text
from uiap.cli.session import session_parser
from uiap.cli.socket_client import not_open_text

PAGE = "data:text/html,<title>shop</title><h1>Hello</h1><button>Go</button><input aria-label=Name>"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["act"], 2, "arguments are required: action"),
        (["find"], 2, "arguments are required: text"),
        (["wait", "--timeout", "soon"], 2, "invalid float value: 'soon'"),
        (["act", "ui.activate", "--frobnicate"], 2, "--frobnicate"),
        (["tabs", "close"], 2, "name the tab to close"),
        (["state", "save"], 2, "name the state: uiap state save NAME"),
        (["tabs", "frobnicate"], 2, "invalid choice"),
        (["observe"], 1, "no session `default` is open; start one with: uiap open URL"),
        (["tabs", "--session", "other"], 1, "no session `other` is open"),
    ],
)
def test_bad_input_gets_one_sentence_and_no_usage(
    uiap_here: Run, arguments: list[str], code: int, says: str
) -> None:
    done = uiap_here(*arguments)
    assert done.returncode == code
    assert done.stdout == ""
    sentence, *rest = done.stderr.splitlines()
    assert sentence.startswith("uiap: ") and says in sentence
    assert all(line.startswith("try: uiap") for line in rest)


def test_a_session_that_is_not_open_is_answered_with_those_that_are(tmp_path: Path) -> None:
    (tmp_path / "crm.sock").touch()
    assert not_open_text("default", str(tmp_path)) == (
        "no session `default` is open, but `crm`; use: --session crm"
    )
    assert not_open_text("crm", str(tmp_path)).endswith("start one with: uiap open URL")
    assert not_open_text("crm", str(tmp_path / "absent")).endswith("start one with: uiap open URL")


def test_the_environment_names_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    assert session_parser("observe").parse_args(["observe"]).session == "default"
    monkeypatch.setenv("UIAP_SESSION", "crm")
    assert session_parser("observe").parse_args(["observe"]).session == "crm"
    assert session_parser("observe").parse_args(["observe", "--session", "shop"]).session == "shop"


@pytest.mark.browser
def test_session_commands_offer_what_the_python_api_offers(uiap_here: Run, tmp_path: Path) -> None:
    opened = uiap_here("open", PAGE, "--states", "kept")
    assert opened.returncode == 0, opened.stderr
    try:
        assert uiap_here("tabs", "open").stdout.splitlines()[1].startswith("* ")
        first = json.loads(uiap_here("tabs", "list", "--json").stdout)[0]["tab"]
        assert uiap_here("tabs", "show", first).stdout.startswith("* ")
        assert uiap_here("dialog").stdout == "no dialog is open\n"
        assert uiap_here("downloads").stdout == "no downloads\n"
        assert uiap_here("state", "save", "ann").returncode == 0
        assert uiap_here("state").stdout == "ann\n"
        assert (tmp_path / "kept" / "ann.json").exists()
        assert "text: string" in uiap_here("capabilities", "ui.enterText").stdout
        ruled = uiap_here("preview", "ui.activate", "--role", "button", "--name", "Go")
        assert ruled.stdout == "allow: decided by routine step\n"
        assert uiap_here("preview", "ui.frobnicate").returncode == 3
        typed = ("ui.enterText", "--name", "Name", "--role", "textbox", "--arg", "text=Ann")
        assert uiap_here("act", *typed).returncode == 0
        wrong = uiap_here("act", "ui.activate", "--role", "frobnicator")
        assert (wrong.returncode, "`role` is not valid" in wrong.stderr) == (2, True)
        gone = uiap_here("cancel", "act_none")
        assert (gone.returncode, "no action `act_none` is under way" in gone.stderr) == (1, True)
    finally:
        assert uiap_here("close").returncode == 0


@pytest.mark.browser
def test_an_unreachable_address_is_not_reported_as_open(uiap_here: Run) -> None:
    done = uiap_here("open", "http://localhost:1/")
    assert (done.returncode, done.stdout) == (1, "")
    assert "`http://localhost:1/` cannot be opened" in done.stderr
    assert uiap_here("observe").returncode == 1


@pytest.mark.parametrize("status", ["succeeded", "failed"])
def test_a_replayed_result_is_printed_as_replayed(status: str) -> None:
    metadata = {"replayed": True, "originalHandle": "act_1", "evidence": "the toast"}
    text = result_text({"status": status, "metadata": metadata, "error": {"message": "no", "code": "c"}})
    first, second = text.splitlines()[:2]
    assert first == "replayed: nothing was done now; this is the result of act_1"
    assert second.startswith("succeeded: " if status == "succeeded" else "c: no")
