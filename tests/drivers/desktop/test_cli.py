"""A desktop application through the same CLI commands as a web page."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ENTRY = [sys.executable, "-c", "import sys; from uiap.cli.main import main; sys.exit(main())"]
Run = Callable[..., str]
DISPLAY = '{"kind": "value.equals", "value": "%s", "target": {"by": "semantic", "role": "textarea"}}'


@pytest.fixture
def uiap(environ: dict[str, str], tmp_path: Path) -> Iterator[Run]:
    """Return a function that runs a CLI command in a new process; the fixture closes a session that is left open."""

    def run(*arguments: str, code: int = 0) -> str:
        env = {**environ, "UIAP_HOME": str(Path(environ["HOME"]) / "uiap"), "COLUMNS": "100"}
        done = subprocess.run(
            [*ENTRY, *arguments], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=90
        )
        assert done.returncode == code, (arguments, done.stdout, done.stderr)
        return done.stdout or done.stderr

    yield run
    run("close")  # closes nothing, unless the test failed


def test_every_session_command_works_on_a_desktop_application(uiap: Run, tmp_path: Path):
    missing = uiap("open", "desktop:no-such-program", code=1)
    assert missing.startswith("uiap: the program `no-such-program` does not exist")
    assert "open: desktop:galculator" in uiap("open", "desktop:galculator", "--trusted")
    assert '"galculator"' in uiap("observe")
    ref = uiap("find", "7", "--role", "button").partition("]")[0].removeprefix("[")
    assert uiap("act", "ui.activate", ref, "--expect", DISPLAY % "7").startswith("succeeded")
    uiap("act", "ui.activate", "--role", "button", "--name", "+", "--policy", "none")
    before = json.loads(uiap("observe", "--json"))["revision"]
    uiap("act", "ui.activate", "--role", "button", "--name", "5", "--expect", DISPLAY % "5")
    assert '"5"' in uiap("wait", "--since", before)  # reports a change from before the call
    uiap("act", "ui.activate", "--role", "button", "--name", "=", "--expect", DISPLAY % "12")
    uiap("expect", DISPLAY % "12")
    assert uiap("expect", DISPLAY % "13", "--timeout", "0.2", code=1)
    uiap("screenshot", "window.png")
    assert (tmp_path / "window.png").read_bytes().startswith(b"\x89PNG")
    traces = json.loads(uiap("trace", "list", "--json"))
    assert [one["status"] for one in traces] == ["succeeded"] * 4
    uiap("trace", "show", "--html", "trace.html")
    assert "ui.activate" in (tmp_path / "trace.html").read_text("utf-8")
    assert uiap("close").strip() == "closed"
    assert "no session `default` is open" in uiap("observe", code=1)
