"""`uiap record --session`: what is done in an open session becomes a file that runs."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from uiap.authoring.documents.workflow_files import read_definitions
from uiap.cli import record
from uiap.cli.main import main
from uiap.cli.socket_client import SessionNotOpen

STEP = {
    "type": "action",
    "id": "save",
    "actionId": "ui.activate",
    "target": {"by": "stableId", "value": "form.save"},
}


def recorded(*steps: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "create",
        "version": "1.0.0",
        "title": "Create",
        "category": "task",
        "startMode": "manual",
        "interactionModes": ["auto"],
        "parameters": [{"name": "title", "type": "string", "required": True}],
        "initialStepId": "done",
        "steps": [*steps, {"type": "complete", "id": "done"}],
    }


class FakeSession:
    """Answers the requests of the command, as a resident session does."""

    def __init__(self, *definitions: dict[str, Any] | Exception, picked: bool = False) -> None:
        self._definitions, self.asked = list(definitions), []  # type: ignore[var-annotated]

    def __call__(self, *_args: Any, **_options: Any) -> FakeSession:
        return self

    def ask(self, type: str, payload: dict[str, Any]) -> dict[str, Any]:
        self.asked.append((type.removeprefix("x.uiap.tools."), payload))
        match type:
            case "x.uiap.tools.record.start":
                return {"payload": {"recordingId": "rec_1", "url": "http://videos.test/", "person": True}}
            case "x.uiap.tools.wait":
                return {"payload": {"revision": "rev_2"}}
            case "x.uiap.tools.record.pick":
                return {"payload": {"role": "link", "name": "Intro"}}
        answer = self._definitions.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return {"payload": {"definition": answer}}


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal where Enter was pressed."""
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    monkeypatch.setattr(record.select, "select", lambda reads, *_: (reads, [], []))


def run(monkeypatch: pytest.MonkeyPatch, session: FakeSession, *words: str) -> int:
    monkeypatch.setattr(record, "SocketClient", session)
    return main(["record", "--session", "agent", *words])


def test_a_recording_is_written_as_yaml_that_can_be_read_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stdin: None, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "create.yaml"
    session = FakeSession(recorded(), recorded(STEP))
    assert run(monkeypatch, session, "-o", str(file), "--pick", "--title", "Create a video") == 0
    shown = capsys.readouterr().out
    assert "press Enter here when it is done" in shown and "link “Intro”" in shown
    assert f"1 steps; run it with: uiap workflow run {file} title=…" in shown
    (definition,) = read_definitions(str(file), file.read_bytes())
    assert [one.id for one in definition.steps] == ["save", "done"]
    assert [type for type, _ in session.asked] == [
        "record.start",
        "wait",
        "record.stop",
        "record.pick",
        "record.stop",
    ]
    assert session.asked[-1][1] == {"recordingId": "rec_1", "workflowId": "create", "title": "Create a video"}


def test_a_closed_window_ends_the_recording_with_what_was_done(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(record.select, "select", lambda *_: ([], [], []))
    file = tmp_path / "create.yaml"
    closed = SessionNotOpen("the session ended")
    assert run(monkeypatch, FakeSession(recorded(STEP), closed), "-o", str(file), "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(file), "steps": 1, "parameters": ["title"]}
    assert run(monkeypatch, FakeSession(closed), "-o", str(file)) == 1
    assert "before anything was recorded" in capsys.readouterr().err


def test_nothing_recorded_writes_no_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stdin: None, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "create.yaml"
    assert run(monkeypatch, FakeSession(recorded(), recorded()), "-o", str(file)) == 1
    assert "nothing was recorded" in capsys.readouterr().err and not file.exists()
    assert main(["record", "-o", str(file)]) == 2
