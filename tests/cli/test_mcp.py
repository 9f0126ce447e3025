"""`uiap mcp` before it serves: what it refuses, in one sentence."""

from __future__ import annotations

import socket

import pytest

from tests.cli.conftest import Run
from uiap.cli.main import main
from uiap.cli.output import allowed_addresses


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--http", "--host", "0.0.0.0"], 1, "will not serve MCP on `0.0.0.0`"),
        (["--http", "--host", "192.0.2.1"], 1, "will not serve MCP"),
        (["--session", "a", "--connect", "ws://x"], 2, "choose one"),
        (["--session", "nobody"], 1, "no session `nobody` is open"),
        (["--allow", "http://localhost"], 1, "cannot be allowed"),
        (["--allow", "localhost", "--connect", "ws://x"], 2, "--allow is for a browser of our own"),
        (["--profile", "huge"], 2, "huge"),
        (["--downloads", "nowhere"], 2, "nowhere"),
        (["--uploads", "nowhere"], 2, "nowhere"),
    ],
)
def test_bad_options_are_one_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], code: int, says: str
):
    assert main(["mcp", *words]) == code
    told = capsys.readouterr()
    assert says in told.err
    assert told.out == ""  # standard output is the protocol's


def test_a_port_that_is_taken_is_one_sentence(uiap_here: Run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = uiap_here("mcp", "--http", "--port", str(taken.getsockname()[1]))
    assert (done.returncode, done.stdout) == (1, "")
    assert "is in use; choose another port" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_client_it_ends_with_its_input(uiap: Run):
    done = uiap("mcp")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("allow", "public_only", "shared", "reach"),
    [
        ((), False, False, ("localhost",)),
        (("10.0.0.0/8",), False, False, ("localhost", "10.0.0.0/8")),
        ((), True, False, ()),
        ((), False, True, ()),
        (("localhost:3000",), False, True, ("localhost:3000",)),
    ],
)
def test_this_machine_is_reached_only_through_a_door_that_is_this_machines_alone(
    allow: tuple[str, ...], public_only: bool, shared: bool, reach: tuple[str, ...]
) -> None:
    assert allowed_addresses(allow, public_only, shared=shared) == reach
