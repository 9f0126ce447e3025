"""The name of a session belongs to one process at a time."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from uiap.cli import resident_process
from uiap.errors import Unavailable
from uiap.host.sessions.session_folder import NameInUse, SessionFolder, claim_free_name

HOLDER = """
import sys
import threading
from contextlib import suppress
from pathlib import Path
from uiap.host.sessions.session_folder import SessionFolder
folder = SessionFolder(Path(sys.argv[1]), sys.argv[2])
folder.claim()
print(folder.write_secret(), flush=True)
sys.stdin.read()
"""


def hold(folder: Path, name: str) -> subprocess.Popen[str]:
    """Start a process that holds the name until it is killed. Its secret is the first line of its output."""
    command = [sys.executable, "-c", HOLDER, str(folder), name]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_a_second_process_neither_shares_nor_destroys_a_name(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with hold(run, "mcp") as first:
        assert first.stdout is not None
        secret = first.stdout.readline().strip()
        second = SessionFolder(run, "mcp")
        with pytest.raises(NameInUse, match="another process"):
            second.claim()
        assert second.approval.read_text() == secret
        assert second.serving_process() == first.pid
        assert claim_free_name(run, "mcp").name == "mcp-2"
        first.kill()
    assert second.serving_process() is None
    assert second.claim() is True, "a killed process leaves its name"
    second.release()


def test_two_owners_in_one_process_exclude_each_other(tmp_path: Path) -> None:
    first, second = (SessionFolder(tmp_path / "run", "a") for _ in range(2))
    assert (first.claim(), first.claim()) == (True, False)
    with pytest.raises(NameInUse):
        second.claim()
    first.release()
    assert second.claim() is True
    second.release()
    assert list((tmp_path / "run").iterdir()) == []


def test_one_of_many_wins_a_name_that_is_given_back(tmp_path: Path) -> None:
    """Each thread takes the name and gives it back; at no time do two have it."""
    holders: list[int] = []
    overlaps: list[int] = []

    def take(number: int) -> None:
        folder = SessionFolder(tmp_path / "run", "a")
        for _ in range(60):
            with suppress(NameInUse):
                folder.claim()
                holders.append(number)
                overlaps.extend(holders[1:])
                holders.remove(number)
                folder.release()

    threads = [threading.Thread(target=take, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert overlaps == []


def test_only_the_process_that_holds_the_name_is_signalled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UIAP_HOME", str(tmp_path))
    folder = SessionFolder(tmp_path / "run", "default")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        folder.claim()
        folder.release()
        folder.pid.write_text(str(other.pid))
        assert resident_process.running("default") is None
        assert resident_process.end("default") is False
        assert other.poll() is None, "the pid of a dead session belongs to another program by now"
        other.communicate(b"\n")


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "/tmp/x", "a\0b", "-x", ".x", "a b", "é", "x" * 65, "a\n"]
)
def test_a_name_cannot_leave_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(Unavailable, match="not a name for a session"):
        SessionFolder(tmp_path, name)


def test_nothing_is_written_into_a_folder_of_others(tmp_path: Path) -> None:
    theirs, run = tmp_path / "theirs", tmp_path / "run"
    theirs.mkdir(0o700)
    run.symlink_to(theirs)
    with pytest.raises(Unavailable, match="link"):
        SessionFolder(run, "default").claim()
    run.unlink()
    run.mkdir()
    run.chmod(0o755)
    with pytest.raises(Unavailable, match="chmod 700"):
        SessionFolder(run, "default").claim()
    assert [*theirs.iterdir(), *run.iterdir()] == []


@pytest.mark.parametrize("kind", ["lock", "approval"])
def test_a_link_in_the_folder_is_never_followed(tmp_path: Path, kind: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = SessionFolder(tmp_path / "run", "default")
    (tmp_path / "run").mkdir(0o700)
    getattr(folder, kind).symlink_to(victim)
    with pytest.raises(Unavailable):
        folder.claim()
        folder.write_secret()
    folder.release()
    assert victim.read_text() == "precious"
