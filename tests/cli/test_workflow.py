"""`uiap workflow`: run a definition from a file, answer it, and read its records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.authoring.from_discovery.test_candidate import PACKAGE
from tests.host.handlers.test_workflows import CREATE, PicturingDriver, Videos
from uiap.cli.main import main

URL = "http://videos.test/new"


@pytest.fixture
def videos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Videos:
    """The scripted application in place of a browser, an empty home, and `create.json` in the current folder."""
    videos = Videos()

    async def scripted(*_args: Any) -> PicturingDriver:
        return PicturingDriver(videos.page())

    monkeypatch.setattr("uiap.api.workflow_application.open_chromium", scripted)
    monkeypatch.setenv("UIAP_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    named = msgspec.structs.replace(CREATE, metadata={"startUrl": URL})
    (tmp_path / "create.json").write_bytes(msgspec.json.encode(named))
    return videos


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


@pytest.mark.requirement("WF-6", "WF-10")
def test_a_run_waits_for_a_value_and_goes_on_with_it(
    videos: Videos, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("dbos", reason="install uiap[workflows]")
    assert main(["workflow", "run", "create.json"]) == 4
    waiting = printed(capsys)
    assert "waiting_for_input\nnext: uiap workflow input wf_" in waiting
    run = waiting.split()[1]
    assert main(["workflow", "status", run]) == 0
    assert printed(capsys).startswith(f"{run}  {CREATE.id} {CREATE.version}  waiting_for_input at ask\nnext:")
    assert main(["workflow", "input", run, "title"]) == 2
    capsys.readouterr()
    assert main(["workflow", "input", run, "title=Intro", "--json"]) == 0
    report = json.loads(printed(capsys))
    assert report["instance"]["status"] == "succeeded" and report["url"] == URL
    assert videos.saved == ["saved"]
    assert main(["workflow", "pause", run]) == 1
    assert f"run `{run}` has ended (succeeded); start another one" in capsys.readouterr().err
    assert main(["workflow", "repair", run, "--save", "kept.yaml"]) == 1
    assert "asks for no repair" in capsys.readouterr().err and not Path("kept.yaml").exists()
    assert main(["workflow", "status", run[:8]]) == 0, "a beginning that fits one run names it"
    assert run in printed(capsys)
    assert main(["workflow", "status", run[:3]]) == 1
    assert main(["workflow", "status", run, "--follow"]) == 0
    assert printed(capsys).endswith("✓ done\nsucceeded\n")
    assert main(["workflow", "status", "--follow"]) == 2
    capsys.readouterr()
    assert main(["workflow", "history", run]) == 0
    assert "? ask (waiting_for_input)" in printed(capsys)
    assert main(["workflow", "report", run, "-o", "run.html"]) == 0
    assert printed(capsys) == "run.html: 2 actions, succeeded\n"
    assert "✓</span> save" in Path("run.html").read_text() and "Saved 1" in Path("run.html").read_text()
    assert main(["workflow", "report", run, "-o", "run.json"]) == 0
    assert [one["stepId"] for one in json.loads(Path("run.json").read_bytes())["actions"]] == [
        "title",
        "save",
    ]
    capsys.readouterr()


def test_workflows_are_listed_and_shown(videos: Videos, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["workflow", "list", "create.json"]) == 0
    assert printed(capsys) == f"{CREATE.id} {CREATE.version}  Create a video (4 steps)\n"
    assert main(["workflow", "show", "create.json"]) == 0
    shown = printed(capsys)
    assert "  title: string, required\n" in shown
    assert "  title: ui.enterText on textbox “Title” with text={{title}}\n" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "missing.yaml"], "there is no file `missing.yaml`"),
        (["run", "create.json", "title"], "`title` is not a value; write NAME=VALUE"),
        (["run", "create.json", "titel=x"], "there is no parameter `titel`; the workflow has `title`"),
        (["run", "create.json#other"], "name one workflow"),
        (["run", "create.json", "--policy", "nothing.yaml"], "`nothing.yaml` is neither"),
        (["list"], "name a file with workflows"),
    ],
)
def test_a_wrong_call_is_answered_with_what_to_do(
    videos: Videos, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["workflow", *arguments]) in (1, 2)
    assert message.lower() in capsys.readouterr().err.lower()


@pytest.mark.requirement("WF-7")
def test_a_renamed_button_is_repaired_and_the_file_is_the_next_version(
    videos: Videos, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("dbos", reason="install uiap[workflows]")
    videos.label = "Saves"
    assert main(["workflow", "run", "create.json", "--input", "title=Intro"]) == 4
    waiting = printed(capsys)
    run = waiting.split()[1]
    assert "is it the button “Saves” now?" in waiting and f"next: uiap workflow repair {run}" in waiting
    assert main(["workflow", "repair", run, "--show"]) == 0
    assert "# proposed: the target of `save` changed" in printed(capsys)
    assert main(["workflow", "repair", run, "--pictures", "shown"]) == 0
    assert "# before: no picture\n# now: shown/save-now.png" in printed(capsys)
    assert Path("shown/save-now.png").read_bytes() == b"Saves"
    assert videos.saved == []
    assert main(["workflow", "repair", run, "--save", "create2.yaml"]) == 0
    assert "create2.yaml: version 1.0.1 has the repaired targets" in printed(capsys)
    assert main(["workflow", "repair", run, "--show"]) == 0
    assert "matchKey: id" in printed(capsys)
    assert main(["workflow", "run", "create2.yaml", "title=Other"]) == 0
    assert len(videos.saved) == 2


def test_a_candidate_of_discovery_becomes_a_file_with_one_command(
    videos: Videos, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("found.json").write_text(json.dumps(PACKAGE))
    assert main(["workflow", "from-discovery", "found.json"]) == 0
    assert printed(capsys) == "candidate.join.submit  Join\n"
    assert main(["workflow", "from-discovery", "found.json", "candidate.join.submit", "-o", "join.yaml"]) == 0
    assert "join.yaml: 7 steps; review it, then: uiap workflow run join.yaml" in printed(capsys)
    assert main(["workflow", "show", "join.yaml"]) == 0
    assert "name: string, required" in printed(capsys)
    assert main(["workflow", "from-discovery", "found.json", "other", "-o", "x.yaml"]) == 2
    Path("bad.json").write_text("[]")
    assert main(["workflow", "from-discovery", "bad.json"]) == 1
