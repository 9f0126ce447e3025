from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from uiap.drivers.chromium.process.profile import LOCK, PREFIX, BrowserProfile, remove_abandoned_profiles


def test_profile_is_a_new_private_folder_and_is_removed_with_its_content(tmp_path: Path) -> None:
    profile = BrowserProfile(tmp_path)
    assert profile.path.parent == tmp_path
    assert profile.path.stat().st_mode & 0o077 == 0
    (profile.path / "Default").mkdir()
    profile.remove()
    assert list(tmp_path.iterdir()) == []


def test_profile_of_a_running_owner_is_kept(tmp_path: Path) -> None:
    profile = BrowserProfile(tmp_path)
    assert remove_abandoned_profiles(tmp_path) == []
    assert profile.path.exists()
    profile.remove()


def test_profile_of_a_killed_owner_is_removed(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from uiap.drivers.chromium.process.profile import BrowserProfile\n"
        "BrowserProfile(Path(sys.argv[1])); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False, timeout=30)
    (left,) = tmp_path.iterdir()
    assert remove_abandoned_profiles(tmp_path) == [left]
    assert list(tmp_path.iterdir()) == []


def test_folders_without_our_lock_and_links_are_kept(tmp_path: Path) -> None:
    (tmp_path / f"{PREFIX}other").mkdir()
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / LOCK).touch()
    (tmp_path / f"{PREFIX}link").symlink_to(victim)
    assert remove_abandoned_profiles(tmp_path) == []
    assert victim.exists()
