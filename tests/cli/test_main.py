"""Bad input gets one sentence and the right exit code, never a traceback."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.cli.conftest import ENTRY, TIMEOUT_S, Run, environment
from uiap.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


def error_sentence(done: subprocess.CompletedProcess[str], code: int) -> str:
    """Return the one sentence on stderr; only a usage error adds a line that starts with `try:`."""
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr
    first, *rest = done.stderr.strip().splitlines()
    assert first.startswith("uiap: ")
    assert all(line.startswith("try: ") for line in rest), done.stderr
    assert bool(rest) == (code == 2)
    assert done.stdout == ""
    return first.removeprefix("uiap: ")


def test_the_entry_point_is_the_function_these_tests_run():
    (script,) = entry_points(group="console_scripts", name="uiap")
    assert script.value == "uiap.cli.main:main"


def test_help_lists_every_command_with_one_line(uiap: Run):
    done = uiap("--help")
    assert done.returncode == 0
    lines = done.stdout[done.stdout.index("Commands:") :].splitlines()[1:]
    listed = [" ".join(line.split()) for line in lines if line.strip()]
    assert listed == [f"{name} {row.summary}" for name, row in sorted(COMMANDS.items())]
    assert uiap("-h").stdout == done.stdout


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help(uiap_here: Run, name: str):
    done = uiap_here(name, "--help")
    assert done.returncode == 0, done.stderr
    assert "--json" in done.stdout or "Commands:" in done.stdout  # a group has it in its commands
    assert done.stdout.lower().startswith(f"usage: uiap {name}")
    assert done.stderr == ""


def test_version_is_printed(uiap: Run):
    done = uiap("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("uiap, version ")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["frobnicate"], 2, "no command `frobnicate`; the commands are"),
        (["--frobnicate"], 2, "--frobnicate"),
        (["replay", "--frobnicate"], 2, "--frobnicate"),
        (["replay", "a", "b"], 2, "unexpected extra argument"),
        (["replay", "--machine"], 2, "--machine"),
        (["conformance", "frobnicate"], 2, "frobnicate"),
        (["replay", "no-such-file"], 1, "no journal at `no-such-file`"),
        (["replay"], 1, "no store at"),
        (["replay", "sqlite:///no-such-file"], 1, "no store at `no-such-file`"),
        (["replay", "sqlite:////no/such/folder/x"], 1, "no store at"),
        (["replay", "mysql://ann:hunter2@db/x"], 1, "`mysql://ann:***@db/x` is not a store"),
        (["replay", "://"], 1, "is not a store"),
        (["replay", "postgresql://ann:hunter2@127.0.0.1:1/x"], 1, "cannot be opened"),
        (["replay", "."], 1, "no journal at `.`"),
        (["conformance", "requirements"], 1, "run this inside a checkout of uiap"),
    ],
)
def test_bad_input_gets_one_sentence(uiap_here: Run, arguments: list[str], code: int, says: str):
    sentence = error_sentence(uiap_here(*arguments), code)
    assert says.lower() in sentence.lower()
    assert "hunter2" not in sentence


def test_a_bad_setting_is_reported_like_a_bad_argument(uiap: Run):
    done = uiap("replay", UIAP_STORE="redis://ann:hunter2@db")
    assert "`redis://ann:***@db` is not a store" in error_sentence(done, 1)


def test_a_file_that_is_not_a_journal_is_refused_and_unchanged(uiap: Run, tmp_path: Path):
    (tmp_path / "notes.txt").write_text("buy milk\n" * 100)
    assert "file is not a database" in error_sentence(uiap("replay", "notes.txt"), 1)
    assert (tmp_path / "notes.txt").read_text() == "buy milk\n" * 100


def test_doctor_fails_and_reports_a_missing_browser(uiap: Run):
    done = uiap("doctor", UIAP_BROWSER="/no/such/browser")
    assert done.returncode == 1
    assert "/no/such/browser" in done.stdout
    assert "Traceback" not in done.stderr
    report = json.loads(uiap("doctor", "--json", UIAP_BROWSER="/no/such/browser").stdout)
    assert report["ok"] is False
    (browser,) = (finding for finding in report["findings"] if finding["part"] == "browser")
    assert (browser["ok"], browser["needed"]) == (False, True)


def test_json_is_one_json_document(uiap: Run):
    report = json.loads(uiap("conformance", "requirements", "--json", cwd=ROOT).stdout)
    assert report["total"] >= report["covered"] > 0
    assert sum(spec["total"] for spec in report["bySpec"].values()) == report["total"]
    assert len(report["missing"]) == report["total"] - report["covered"]


@pytest.mark.parametrize("arguments", [["--help"], ["conformance", "requirements", "--missing"]])
def test_a_closed_output_pipe_causes_no_error_message(tmp_path: Path, arguments: list[str]):
    """As in `uiap … | head -0`."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = subprocess.run(
            [*ENTRY, *arguments],
            cwd=ROOT,
            env=environment(tmp_path / "home"),
            stdout=write_end,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT_S,
        )
    finally:
        os.close(write_end)
    assert done.stderr == ""
    assert done.returncode in (0, 1)


def test_an_interrupt_ends_a_long_command_at_once(tmp_path: Path):
    """The command waits for a PostgreSQL server that accepts the connection and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(TIMEOUT_S)
        url = f"postgresql://ann@127.0.0.1:{silent.getsockname()[1]}/x?connect_timeout={TIMEOUT_S}"
        running = subprocess.Popen(
            [*ENTRY, "replay", url],
            env=environment(tmp_path / "home"),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        connection, _ = silent.accept()
        with connection:
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=TIMEOUT_S)
    assert (running.returncode, out, err.strip()) == (130, "", "interrupted")
