"""`uiap serve` as a process: wrong options, its output, and how it stops."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from pathlib import Path

import pytest

import uiap
from tests.cli.conftest import ENTRY, environment
from uiap.cli.main import main


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
@pytest.mark.parametrize("more", [[], ["--no-auth"]])
def test_it_refuses_to_serve_other_machines_without_tokens(
    capsys: pytest.CaptureFixture[str], host: str, more: list[str]
):
    assert main(["serve", "--host", host, "--port", "0", *more]) == 1
    assert "without tokens" in capsys.readouterr().err


def test_contradicting_options_are_usage_errors(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    (tmp_path / "t.json").write_text("{}")
    assert main(["serve", "--tokens", str(tmp_path / "t.json"), "--no-auth"]) == 2
    assert "choose one" in capsys.readouterr().err


class Served:
    """`uiap serve` in its own process."""

    def __init__(self, home: Path) -> None:
        words = [*ENTRY, "serve", "--port", "0", "--browsers", "1", "--json"]
        self.process = subprocess.Popen(words, env=environment(home), stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        ready = json.loads("".join(self.process.stdout.readline() for _ in range(5)))
        self.url, self.secret = ready["ws"], Path(ready["tokenFile"])

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(100)

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.mark.browser
async def test_it_serves_until_stopped_and_ends_its_sessions(tmp_path: Path):
    with Served(tmp_path / "home") as served:
        assert served.secret.stat().st_mode & 0o077 == 0
        ui = await uiap.connect(served.url, token=served.secret.read_text())
        assert (await ui.observe()).url == "about:blank"
        assert await asyncio.to_thread(served.stop) == 0
        with pytest.raises(uiap.UiapError):
            await ui.observe()
        await ui.close()
