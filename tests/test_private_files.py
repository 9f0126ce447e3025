"""Private files and folders: nothing is written through a link, a device, or a folder that others can enter."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from uiap.errors import Unavailable
from uiap.private_files import open_private, private_folder, write_private


@pytest.fixture(autouse=True)
def no_umask() -> Iterator[None]:
    """Run each test with the laxest umask."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_and_its_files_are_for_this_user_alone(tmp_path: Path) -> None:
    folder = private_folder(tmp_path / "a" / "b")
    write_private(folder / "secret", "long text")
    write_private(folder / "secret", "short")
    assert (mode(folder), mode(folder / "secret")) == (0o700, 0o600)
    assert (folder / "secret").read_text() == "short"


def test_permissions_of_an_earlier_file_are_tightened(tmp_path: Path) -> None:
    (tmp_path / "secret").touch(0o666)
    write_private(tmp_path / "secret", "x")
    assert mode(tmp_path / "secret") == 0o600


def lax(path: Path) -> None:
    path.mkdir(0o777)


def linked(path: Path) -> None:
    (path.parent / "other").mkdir(0o700)
    path.symlink_to(path.parent / "other")


def dangling(path: Path) -> None:
    path.symlink_to(path.parent / "missing")


def plain_file(path: Path) -> None:
    path.touch()


@pytest.mark.parametrize("trap", [lax, linked, dangling, plain_file])
def test_a_folder_that_is_not_private_is_refused(tmp_path: Path, trap: object) -> None:
    trap(tmp_path / "run")  # type: ignore[operator]
    with pytest.raises(Unavailable):
        private_folder(tmp_path / "run")
    assert not (tmp_path / "missing").exists()


def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    theirs = Path("/usr")
    if os.getuid() == 0:
        theirs = tmp_path / "theirs"
        theirs.mkdir(0o700)
        os.chown(theirs, 12345, 12345)
    with pytest.raises(Unavailable, match="another user"):
        private_folder(theirs)


def symbolic(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def hard(path: Path, victim: Path) -> None:
    os.link(victim, path)


def fifo(path: Path, _victim: Path) -> None:
    os.mkfifo(path)


def directory(path: Path, _victim: Path) -> None:
    path.mkdir()


def device(path: Path, _victim: Path) -> None:
    path.symlink_to("/dev/full")


@pytest.mark.parametrize("trap", [symbolic, hard, fifo, directory, device])
def test_a_file_that_is_not_ours_alone_is_never_written(tmp_path: Path, trap: object) -> None:
    victim, path = tmp_path / "victim", tmp_path / "s.approve"
    victim.write_text("precious")
    trap(path, victim)  # type: ignore[operator]
    with pytest.raises(Unavailable):
        write_private(path, "secret")
    with pytest.raises(Unavailable):
        open_private(path, empty=True)
    assert victim.read_text() == "precious"
