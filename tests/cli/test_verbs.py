"""The verbs as commands: short, typed by the schema, never waiting for a person."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import ENTRY, Run, environment
from uiap.cli.command_table import COMMANDS
from uiap.client.verbs import VERBS

PAGE = (
    "data:text/html,<title>shop</title><h1>Hello</h1><button>Send</button><label>Phone <input></label>"
    "<label>Size <select><option>Small<option>Large</select></label><div role=status id=out></div>"
    "<script>document.querySelector('button').onclick = () => out.textContent = 'Sent ' + Math.random()</script>"
    "<table><tr><th>Book<th>Due<tr><td>Dune<td>Monday</table><label>Code <input type=password></label>"
)


def test_every_verb_is_a_command():
    assert {entry.verb for entry in COMMANDS.values() if entry.verb} == set(VERBS)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["click"], "the following arguments are required: target"),
        (["fill", "Title"], "fill needs a text"),
        (["upload", "Photo"], "the following arguments are required: FILE"),
        (["invoke", "video.create", "title"], "`title` is not an argument; write name=value"),
        (["viewport", "wide"], "`wide` is not a size"),
        (["wait", "text"], "write the text to wait for"),
        (["do", "click Save; jump"], "`jump` is not a verb"),
        (["do", "fill Title"], "step 1: fill needs a text"),
    ],
)
def test_missing_words_are_named(uiap_here: Run, arguments: list[str], says: str) -> None:
    done = uiap_here(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


@pytest.mark.browser
def test_a_trusted_session_reads_acts_and_saves(uiap_here: Run, tmp_path: Path) -> None:
    opened = uiap_here("open", PAGE, "--trusted")
    assert (opened.returncode, '] textbox "Phone"' in opened.stdout) == (0, True)
    try:
        assert 'value "" → "0321"' in uiap_here("fill", "Phone", "0321").stdout
        typed = ("ui.enterText", "--role", "textbox", "--name", "Phone", "--arg", "text=321")
        assert 'value "0321" → "321"' in uiap_here("act", *typed).stdout
        assert uiap_here("select", "Size", "Large", "--quiet").stdout.count("\n") == 1
        assert uiap_here("click", "Send", "--expect", "status.contains:Sent").returncode == 0
        steps = uiap_here("do", "fill Phone=99; select Size=Small; click Send")
        assert (steps.returncode, steps.stdout.splitlines()[0]) == (0, "3 of 3 steps done")
        looks = uiap_here("do", "fill Phone=7; text Hello; find Send; table; wait text Hello")
        assert (looks.returncode, looks.stdout.splitlines()[:3]) == (
            0,
            ["5 of 5 steps done", "step 2 (text Hello):", "Hello"],
        )
        assert "step 4 (table):\nBook | Due\nDune | Monday\n" in looks.stdout
        late = uiap_here("do", "wait text Never; click Send", "--timeout", "0.5")
        assert (late.returncode, "step 1 (wait text Never) failed" in late.stdout) == (1, True)
        half = uiap_here(
            "do", '[{"do": "fill", "target": "Phone", "value": "1"}, {"do": "click", "target": "Nope"}]'
        )
        assert (half.returncode, half.stdout.splitlines()[:2]) == (
            1,
            [
                "1 of 2 steps done; step 2 (click Nope) failed",
                "target_not_found: no element matches `Nope`; observe the page again, or allow more time",
            ],
        )
        assert uiap_here("table").stdout == "Book | Due\nDune | Monday\n"
        assert json.loads(uiap_here("table", "--json").stdout) == [{"Book": "Dune", "Due": "Monday"}]
        assert uiap_here("eval", "document.title").stdout == '"shop"\n'
        assert uiap_here("wait", "text", "Sent").returncode == 0
        assert uiap_here("wait", "text", "Never", "--timeout", "0.2").returncode == 1
        assert uiap_here("viewport", "400x300").returncode == 0
        assert uiap_here("eval", "innerWidth").stdout == "400\n"
        assert uiap_here("pdf", "page.pdf").returncode == 0
        assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
        assert json.loads(uiap_here("har").stdout)["log"]["version"] == "1.2"
        missing = uiap_here("click", "Sendd", "--timeout", "1")
        assert (missing.returncode, missing.stdout.splitlines()[0][:59]) == (
            1,
            "target_not_found: no element matches `Sendd`; similar: butt",
        )
    finally:
        uiap_here("close")


@pytest.mark.browser
def test_no_command_waits_for_a_person(uiap_here: Run, tmp_path: Path) -> None:
    assert uiap_here("open", PAGE).returncode == 0
    try:
        asked = uiap_here("click", "Send")
        first, answer, then = asked.stdout.splitlines()
        handle = then.split()[-1]
        assert (asked.returncode, first) == (
            4,
            "waiting: a person has to confirm: activate the button “Send”",
        )
        assert answer == f"they answer with: uiap approve {handle}"
        assert uiap_here("wait", "action", handle, "--timeout", "0").returncode == 4
        assert uiap_here("approve", "--yes", handle).returncode == 0
        waited = uiap_here("wait", "action", "--quiet")
        assert waited.stdout.startswith("succeeded: ") and waited.stdout.count("\n") == 1

        assert uiap_here("fill", "Code", "1").returncode == 4
        listed = uiap_here("approve", "--list").stdout
        assert "please do this yourself" in listed and "report it with: uiap handoff done act_" in listed
        assert uiap_here("cancel").stdout.startswith("cancelled; ")

        started = time.monotonic()
        bounded = uiap_here("click", "Send", "--wait", "60", "--timeout", "0.5")
        assert (bounded.returncode, "no result within 0.5 s" in bounded.stderr) == (1, True)
        assert time.monotonic() - started < 10
        assert uiap_here("approve", "--list").stdout == "nothing waits for a person\n"

        home = environment(tmp_path / "home")
        waiting = subprocess.Popen(
            [*ENTRY, "click", "Send", "--wait", "60"], env=home, stderr=subprocess.PIPE, text=True
        )
        assert waiting.stderr is not None and "has to confirm" in waiting.stderr.readline()
        os.kill(waiting.pid, signal.SIGTERM)
        assert waiting.wait(20) == 143
        assert uiap_here("approve", "--list").stdout == "nothing waits for a person\n"
    finally:
        uiap_here("close")
