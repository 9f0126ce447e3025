"""docs/howto/workflow.md works as written: a task is recorded, runs with other data, survives a redesign, is scheduled,
and runs on workers.

A program acts in the recorded session in place of the person in the window.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from apps.videoland import Settings, serving
from tests.support.postgres import Postgres, PostgresMissing

TEXT = (Path(__file__).parents[1] / "docs" / "howto" / "workflow.md").read_text("utf-8")
LINES = [
    line
    for body in re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    for line in body.splitlines()
]
BY_HAND = ("make demo", "export ")
WORKER, FLEET = "uiap worker", "$DATABASE"
ENDS_WITH = re.compile(r"exit code (\d)")
RUN = re.compile(r"\bwf_[0-9a-f]+")


class Reader:
    """A shell in which a reader types the commands of the page. The ids of runs are those that it printed."""

    def __init__(self, folder: Path, home: str, url: str) -> None:
        self.folder, self.run = folder, ""
        self.workers: list[subprocess.Popen[str]] = []
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.environ = {**os.environ, "UIAP_HOME": home, "VIDEOLAND": url, "PATH": path}

    def start(self, line: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self.environ,
            text=True,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.STDOUT,
        )

    def start_worker(self, line: str) -> str:
        """Start a worker in a terminal of its own, and wait until it is ready."""
        self.workers.append(self.start(f"exec {line}"))
        assert self.workers[-1].stdout is not None
        ready = self.workers[-1].stdout.readline()
        assert ready.startswith("ready"), ready
        return ready

    def close(self) -> None:
        for worker in self.workers:
            worker.terminate()
            worker.communicate(timeout=60)

    def type(self, line: str) -> str:
        process = self.start(re.sub(r"wf_\w+…", self.run, line))
        output, _ = process.communicate(timeout=90)
        expected = ENDS_WITH.search(line)
        assert process.returncode == (int(expected[1]) if expected else 0), f"{line}\n{output}"
        self.run = next(iter(RUN.findall(output)), self.run)
        return output

    def record(self, line: str) -> str:
        """Record without a window; another process does the task in the session."""
        recording = self.start(f"{line} --no-window")
        assert recording.stdout is not None
        session = re.search(r"\(session (\S+)\)", recording.stdout.readline())
        assert session is not None
        for action in ("fill Title 'My first video'", "select Category Tutorial", "click 'Create video'"):
            verb, rest = action.split(" ", 1)
            self.type(f"uiap {verb} --session {session[1]} --quiet {rest}")
        output, _ = recording.communicate("\n", timeout=90)
        assert recording.returncode == 0, output
        return output


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    settings = Settings(rows=40, truth=True, auto_login=True)
    with TemporaryDirectory(prefix="uiap-") as home, serving(settings) as server:
        typing = Reader(tmp_path, home, server.url)
        yield typing
        typing.close()


@pytest.fixture
def database() -> Iterator[str]:
    """The address of a PostgreSQL server, or nothing if this machine has none."""
    try:
        postgres = Postgres()
    except PostgresMissing:
        yield ""
        return
    yield postgres.url
    postgres.remove()


@pytest.mark.browser
@pytest.mark.timeout(300)
def test_the_page_works_as_written(reader: Reader, database: str) -> None:
    pytest.importorskip("dbos", reason="install uiap[workflows]")
    reader.environ["DATABASE"] = database
    how = {"uiap record": reader.record, WORKER: reader.start_worker}
    printed = [
        next((do for start, do in how.items() if line.startswith(start)), reader.type)(line)
        for line in LINES
        if line and not line.startswith(BY_HAND) and (database or FLEET not in line)
    ]
    outputs = "\n".join(printed)
    for block in re.findall(r"^```text\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        shown = block.strip().splitlines()[-1].partition("wf_")[0].rstrip(" …")
        assert shown in outputs, f"the page shows: {shown}"
    assert (reader.folder / "report.html").read_text("utf-8").count("<html") == 1
    if database:
        assert printed[-1].rstrip().endswith("succeeded")
