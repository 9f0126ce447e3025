"""Completion scripts contain every command and option, and shells accept them."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.cli.conftest import Run
from uiap.cli.commands import COMMANDS
from uiap.cli.completion import command_completions


def test_every_command_is_listed_with_its_options():
    completions = command_completions()
    assert set(completions) == set(COMMANDS)
    assert {"--session", "--since", "--json", "--help"} <= set(completions["observe"].options)
    assert {"--headed", "--session"} <= set(completions["open"].options)
    assert "requirements" in completions["conformance"].options
    assert "url" not in completions["open"].options


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_accepts_its_script(uiap_here: Run, shell: str):
    script = uiap_here("completion", shell).stdout
    assert all(name in script for name in COMMANDS)
    if shutil.which(shell):
        checked = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, timeout=30)
        assert checked.returncode == 0, checked.stderr


def test_bash_completes_options_and_commands(uiap: Run):
    script = uiap("completion", "bash").stdout
    ask = "\nCOMP_WORDS=(uiap observe --si); COMP_CWORD=2; _uiap; echo ${COMPREPLY[@]}"
    ask += "\nCOMP_WORDS=(uiap scr); COMP_CWORD=1; _uiap; echo ${COMPREPLY[@]}"
    done = subprocess.run(["bash", "-c", script + ask], capture_output=True, text=True, timeout=30)
    assert done.stdout.split() == ["--since", "screenshot"]


def test_an_unknown_shell_is_refused_with_the_supported_ones(uiap: Run):
    done = uiap("completion", "tcsh")
    assert done.returncode == 2
    assert "bash" in done.stderr
