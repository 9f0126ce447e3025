"""`uiap mcp` reports wrong options in one sentence, before it serves."""

from __future__ import annotations

import socket

import pytest

from tests.cli.conftest import Run
from uiap.cli.main import main
from uiap.cli.output import allowed_addresses


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--http", "--host", "0.0.0.0"], 1, "MCP is served on loopback only, not on `0.0.0.0`"),
        (["--http", "--host", "192.0.2.1"], 1, "not on `192.0.2.1`"),
        (["--session", "a", "--connect", "ws://x"], 2, "choose one"),
        (["--session", "nobody"], 1, "no session `nobody` is open"),
        (["--allow", "http://localhost"], 1, "cannot be allowed"),
        (["--allow", "localhost", "--connect", "ws://x"], 2, "--allow is for a new browser"),
        (["--autonomy", "ask", "--session", "a"], 2, "--autonomy is for a new browser"),
        (["--profile", "huge"], 2, "huge"),
        (["--downloads", "nowhere"], 2, "nowhere"),
        (["--uploads", "nowhere"], 2, "nowhere"),
    ],
)
def test_wrong_options_are_reported_in_one_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], code: int, says: str
):
    assert main(["mcp", *words]) == code
    printed = capsys.readouterr()
    assert says in printed.err
    assert printed.out == ""  # standard output is the protocol's


def test_a_port_in_use_is_reported_in_one_sentence(uiap_here: Run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = uiap_here("mcp", "--http", "--port", str(taken.getsockname()[1]))
    assert (done.returncode, done.stdout) == (1, "")
    assert "is in use; choose another port" in done.stderr
    assert "Traceback" not in done.stderr


def test_it_exits_when_its_input_ends(uiap: Run):
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
def test_local_addresses_are_allowed_only_if_no_other_machine_can_connect(
    allow: tuple[str, ...], public_only: bool, shared: bool, reach: tuple[str, ...]
) -> None:
    assert allowed_addresses(allow, public_only, shared=shared) == reach
